"""Values -> hashes that never change: canonical JSON, and a refusal of everything else."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from functools import cache
from json.encoder import encode_basestring
from typing import TypeVar

from pydantic import BaseModel

from mxspec.plan.memo import MOST_KNOWN, OncePerObject
from mxspec.spec.base import SpecModel

VERSION = "mxspec-1"
"""Part of every hash; another one makes every id new."""


class Leaves(dict[str, object]):
    """The leaves of a model, with their canonical text, which the points of a sweep share."""

    __slots__ = ("_text",)

    @property
    def text(self) -> str:
        """The canonical JSON; the leaves do not change once it has been asked for."""
        try:
            return self._text
        except AttributeError:
            self._text: str = _map_text(self)
            return self._text


def canonical(value: object) -> str:
    """A value as canonical JSON: keys sorted, no white space, shortest floats, -0.0 as 0.0.

    Raises:
        TypeError: A type that has no canonical form; nothing is guessed.
        ValueError: A number that is not finite.
    """
    kind = type(value)
    if kind is Leaves:
        assert isinstance(value, Leaves)
        return value.text
    if kind is str:
        assert isinstance(value, str)
        return encode_basestring(value)
    if kind is int:
        return str(value)
    if value is None or kind is bool:
        return json.dumps(value)
    if kind is float:
        assert isinstance(value, float)
        if not math.isfinite(value):
            raise ValueError(f"{value} is not finite, so it has no identity")
        return json.dumps(value + 0.0)
    if kind is list or kind is tuple:
        assert isinstance(value, (list, tuple))
        return f"[{','.join([canonical(item) for item in value])}]"
    if isinstance(value, Mapping):
        return _map_text(value)
    raise TypeError(f"a {kind.__name__} has no identity")


def _map_text(value: Mapping[str, object]) -> str:
    if not all(type(key) is str for key in value):
        raise TypeError("a map with keys that are no strings has no identity")
    return f"{{{','.join([f'{encode_basestring(key)}:{canonical(value[key])}' for key in sorted(value)])}}}"


def digest(*parts: object) -> str:
    """SHA-256 of some values and the version of the hash, as 64 hex digits."""
    return hashlib.sha256(canonical([VERSION, *parts]).encode()).hexdigest()


def digest_of_steps(state: str, content: str, steps: int) -> str:
    """`digest("steps", state, content, steps)` of two digests, in one go: every step of every run has one."""
    return hashlib.sha256(f'["{VERSION}","steps","{state}","{content}",{steps}]'.encode()).hexdigest()


def leaves(model: BaseModel) -> dict[str, object]:
    """A model as it is hashed: leaves at their default left out, so that a later field changes no id.

    What is returned is remembered: copy it to change it.
    """
    return _known(model)


def leaves_by_name(models: Mapping[str, M], of: Callable[[M], Mapping[str, object]]) -> Leaves:
    """The leaves of named models, remembered with their canonical text: the points of a sweep share most.

    Args:
        models: The models.
        of: What is hashed of one; a function of the model alone.
    """
    key = (of, *((name, id(model)) for name, model in models.items()))
    known = _NAMED.get(key)
    if known is None:
        if len(_NAMED) >= MOST_KNOWN:
            _NAMED.clear()
        known = _NAMED[key] = (tuple(models.values()), Leaves({name: of(one) for name, one in models.items()}))
    return known[1]


M = TypeVar("M", bound=BaseModel)
_NAMED: dict[tuple[object, ...], tuple[tuple[BaseModel, ...], Leaves]] = {}
"""The models are kept, so that no other one takes the place of an id."""


def _leaves_of(model: BaseModel) -> Leaves:
    found = Leaves()
    for name, key, required, default in _fields(type(model)):
        value = getattr(model, name)
        if required or value != default:
            found[key] = _leaf(value)
    for name, value in (model.__pydantic_extra__ or {}).items():
        found[name] = _leaf(value)
    if isinstance(model, SpecModel) and model.plugged is not None:
        found["plugin code"] = model.plugged.digest
    return found


def _leaves_of_map(value: Mapping[str, object]) -> Leaves:
    return Leaves({key: _leaf(item) for key, item in value.items()})


_known = OncePerObject(_leaves_of)
_known_map = OncePerObject(_leaves_of_map)


@cache
def _fields(kind: type[BaseModel]) -> tuple[tuple[str, str, bool, object], ...]:
    """Name, key, whether it is required, and default, of every field."""
    return tuple(
        (name, field.alias or name, field.is_required(), field.get_default(call_default_factory=True))
        for name, field in kind.model_fields.items()
    )


def _leaf(value: object) -> object:
    if isinstance(value, BaseModel):
        return _known(value)
    if isinstance(value, (list, tuple)):
        return [_leaf(item) for item in value]
    if isinstance(value, Mapping):
        return _known_map(value)
    return value
