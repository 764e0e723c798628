"""A point of a sweep as a patch of the resolved spec: milliseconds where loading it anew takes tens of them.

A change is patched in where nothing else depends on it: its value needs no composition of its own
(references, files, benchmarks, shorthands), and no reference of the spec leads to its place. Every other
change, and every value that does not fit, goes the long way, which alone tells errors.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mxspec.load.errors import Findings
from mxspec.load.forbidden import forbidden_values
from mxspec.load.interpolate import has_marks, targets
from mxspec.load.levels import unknown_levels
from mxspec.load.nodes import MapNode, Node, Path, Plain, to_plain, walk
from mxspec.load.paths import EXCLUSIVE, NoSuchPath, indexed, parse_path, put
from mxspec.load.point import Change
from mxspec.spec import Spec

COMPOSED = frozenset({"file", "use", "at", "on", "gate", "start", "score_on", "spec", "path", "prompt", "from", "set"})
"""Keys whose values loading reads or writes out."""
PATCHED = ("numerics", "policy", "questions", "rollout", "reward", "credit", "learn", "stages", "runtime", "roles")
"""Parts that may be patched."""
MOST_KNOWN = 4096
"""Parts that are remembered."""


@dataclass(slots=True, eq=False, repr=False)
class Patcher:
    """The resolved spec that points are patches of.

    Attributes:
        root: The composed tree, its references not yet resolved.
        whole: The same, resolved.
        plain: The same as plain data.
        spec: The same as a model.
    """

    root: MapNode
    whole: MapNode
    plain: dict[str, Plain]
    spec: Spec
    _targets: tuple[Path, ...] = field(init=False)
    _alone: dict[int, bool] = field(default_factory=dict)
    _parts: dict[tuple[str, str], tuple[Plain, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._targets = targets(self.root)

    def patched(self, changes: Sequence[Change]) -> tuple[MapNode, dict[str, Plain], Spec] | None:
        """The tree, data and model with some changes; None where they have to go the long way."""
        tree: Node = self.whole
        plain = self.plain
        parts: dict[str, None] = {}
        try:
            for one in changes:
                path = parse_path(one.path)
                if path[0] not in PATCHED or not self._stands_alone(path, one.node):
                    return None
                tree = put(tree, path, one.node)
                plain = _put(plain, indexed(self.whole, path), to_plain(one.node))
                parts[str(path[0])] = None
        except NoSuchPath:
            return None
        assert isinstance(tree, MapNode)
        if {"rollout", "evaluate"} & parts.keys() and unknown_levels(tree, Findings()):
            return None
        update: dict[str, Any] = {}
        try:
            for part in parts:
                plain[part], update[_field(part)] = self._part(part, plain[part])
        except ValidationError:
            return None
        return tree, plain, self.spec.model_copy(update=update)

    def _part(self, part: str, value: Plain) -> tuple[Plain, Any]:
        """A part of a spec as data and as a model; points that have it alike share both.

        Raises:
            ValidationError: It does not fit.
        """
        text = json.dumps(value)
        known = self._parts.get((part, text))
        if known is None:
            if len(self._parts) >= MOST_KNOWN:
                self._parts.clear()
            known = value, _adapter(type(self.spec), part).validate_json(text, strict=True)
            self._parts[part, text] = known
        return known

    def _stands_alone(self, path: Path, node: Node) -> bool:
        """Whether nothing but the value at a path depends on it, and it on nothing else."""
        if COMPOSED.intersection(map(str, path)) or any(_overlap(path, target) for target in self._targets):
            return False
        known = self._alone.get(id(node))
        if known is None:
            plain_enough = not any(
                COMPOSED.intersection(map(str, inner)) or has_marks(inner, one)
                for inner, one in walk(node, (path[-1],))
            )
            known = plain_enough and not forbidden_values(MapNode(node.at, {str(path[-1]): node}), Findings(), None)
            self._alone[id(node)] = known
        return known


def _overlap(one: Path, other: Path) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _put(tree: Any, path: Path, value: Plain) -> Any:
    """A copy of plain data with a value set; maps on the way are made where they are missing."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(tree, list):
        assert isinstance(step, int)
        return [*tree[:step], _put(tree[step], rest, value), *tree[step + 1 :]]
    key = str(step)
    inner = tree.get(key, {}) if isinstance(tree, dict) else {}
    exclusive = EXCLUSIVE.get(key)
    return {name: one for name, one in tree.items() if name != exclusive} | {key: _put(inner, rest, value)}


def _field(part: str) -> str:
    return next(name for name, one in Spec.model_fields.items() if (one.alias or name) == part)


@lru_cache(maxsize=64)
def _adapter(model: type[Spec], part: str) -> TypeAdapter[Any]:
    annotation: Any = model.model_fields[_field(part)].annotation
    return TypeAdapter(annotation)
