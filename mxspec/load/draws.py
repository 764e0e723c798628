"""Draws of a sweep: values that depend on (seed, index, path) alone."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator

from mxspec.load.nodes import Node, ScalarNode, get
from mxspec.load.point import Change
from mxspec.spec.sweep import Draw, Random


def draws(node: Node, random: Random) -> Iterator[tuple[Change, ...]]:
    """What each draw changes.

    Args:
        node: `sweep.random` as it stands in the file, for places.
        random: The same, validated.
    """
    drawn: dict[str, Draw] = random.__pydantic_extra__ or {}
    for index in range(random.draws):
        changes = []
        for path, how in drawn.items():
            at = get(node, (path,))
            value = _draw(how, random.seed, index, path)
            where = at.at if at is not None else node.at
            text = value if isinstance(value, str) else json.dumps(value)
            changes.append(Change(path, ScalarNode(where, value, text), where))
        yield tuple(changes)


def _draw(how: Draw, seed: int, index: int, path: str) -> str | int | float | bool | None:
    """A value that depends on (seed, index, path) alone, so that more draws change none."""
    hashed = hashlib.sha256(f"{seed}:{index}:{path}".encode()).digest()
    share = int.from_bytes(hashed[:8], "big") / 2**64
    if how.choice is not None:
        value: str | int | float | bool | None = how.choice[int(share * len(how.choice))]
        return value
    if how.int_ is not None:
        low, high = how.int_
        return low + int(share * (high - low + 1))
    if how.log is not None:
        return _rounded(math.exp(math.log(how.log[0]) + share * (math.log(how.log[1]) - math.log(how.log[0]))))
    assert how.uniform is not None
    return _rounded(how.uniform[0] + share * (how.uniform[1] - how.uniform[0]))


def _rounded(value: float) -> float:
    """Four significant digits: the same on every machine, and short enough to read."""
    return float(f"{value:.4g}")
