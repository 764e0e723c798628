"""Values -> hashes that never change: canonical JSON, and a refusal of everything else."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping

from pydantic import BaseModel

VERSION = "mxspec-1"
"""Part of every hash; another one makes every id new."""


def canonical(value: object) -> str:
    """A value as canonical JSON: keys sorted, no white space, shortest floats, -0.0 as 0.0.

    Raises:
        TypeError: A type that has no canonical form; nothing is guessed.
        ValueError: A number that is not finite.
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _plain(value: object) -> object:
    if value is None or type(value) in (str, bool, int):
        return value
    if type(value) is float:
        if not math.isfinite(value):
            raise ValueError(f"{value} is not finite, so it has no identity")
        return value + 0.0
    if type(value) in (list, tuple):
        assert isinstance(value, (list, tuple))
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        if not all(type(key) is str for key in value):
            raise TypeError("a map with keys that are no strings has no identity")
        return {key: _plain(item) for key, item in value.items()}
    raise TypeError(f"a {type(value).__name__} has no identity")


def digest(*parts: object) -> str:
    """SHA-256 of some values and the version of the hash, as 64 hex digits."""
    return hashlib.sha256(canonical([VERSION, *parts]).encode()).hexdigest()


def leaves(model: BaseModel) -> dict[str, object]:
    """A model as it is hashed: leaves at their default left out, so that a later field changes no id."""
    found: dict[str, object] = {}
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if field.is_required() or value != field.get_default(call_default_factory=True):
            found[field.alias or name] = _leaf(value)
    for name, value in (model.__pydantic_extra__ or {}).items():
        found[name] = _leaf(value)
    return found


def _leaf(value: object) -> object:
    if isinstance(value, BaseModel):
        return leaves(value)
    if isinstance(value, (list, tuple)):
        return [_leaf(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _leaf(item) for key, item in value.items()}
    return value
