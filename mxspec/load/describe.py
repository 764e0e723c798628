"""What the language says of one value: meaning, type, bounds, unit, default, source."""

from __future__ import annotations

from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from mxspec.load.errors import did_you_mean
from mxspec.load.paths import NoSuchPath, parse_path
from mxspec.load.schema_walk import fields_of, kind_of, members
from mxspec.load.schema_walk import places as anywhere
from mxspec.spec import Spec

_WORDS = {
    "extends": ("list of text", "Files to start from; a later one wins, and this file over all. `mxspec:` is shipped."),
    "$unset": ("list of paths", "What is inherited and left out."),
    "$append": ("map of path: list", "Items put behind those of an inherited list."),
    "$set": ("map of path: value", "Single values of what is inherited, within lists too."),
    "part": ("base or benchmark", "What a file is that is no whole spec."),
}
"""Words of the language that are no values of a spec: type, meaning."""


def _first_line(model: Any, key: str) -> str:
    """What a kind is: the first line about its model."""
    return (model.__doc__ or "").strip().split("\n")[0] if key == "kind" else ""


def _word(name: str) -> dict[str, Any]:
    kind, meaning = _WORDS[name]
    nothing: dict[str, Any] = dict.fromkeys(("unit", "source", "default"))
    nothing |= {"bounds": "", "required": False, "kinds": []}
    return {"of": "file", "meaning": meaning, "type": kind, **nothing}


def describe_field(path: str) -> list[dict[str, Any]]:
    """What the language says of a path, one entry for each kind of the map that has it.

    Raises:
        NoSuchPath: The language has no such path.
    """
    if path in _WORDS:
        return [_word(path)]
    places: list[Any] = [Spec]
    found: list[dict[str, Any]] = []
    steps = parse_path(path.replace("[i]", "[0]"))
    for step in steps:
        found, inner = [], []
        known: list[str] = []
        for place in places:
            for one in members(place):
                origin, arguments = get_origin(one), get_args(one)
                if origin is dict:
                    inner.append(arguments[1])
                elif origin is tuple:
                    inner += [arguments[0]] if isinstance(step, int) else _named(arguments[0], str(step), found, known)
                elif isinstance(one, type) and hasattr(one, "model_fields"):
                    inner += _named(one, str(step), found, known)
        if not inner:
            elsewhere = anywhere(str(step))
            hint = f"{step!r} exists at {', '.join(elsewhere[:3])}" if elsewhere else did_you_mean(str(step), known)
            raise NoSuchPath(f"the language has no {path}", hint)
        places = inner
    if not found:
        raise NoSuchPath(f"{path} is a name of yours, or no value", "name a value below it, as in docs/reference.md")
    return found


def _named(model: Any, name: str, found: list[dict[str, Any]], known: list[str]) -> list[Any]:
    """The annotations of a field of a model (of each model of a union), described in `found`."""
    inner: list[Any] = []
    for one in members(model):
        if not hasattr(one, "model_fields"):
            continue
        if "name" in one.model_fields and name not in fields_of(one):
            inner.append(one)  # an item of a list, called by its name
        for key, field in one.model_fields.items():
            written = field.alias or key
            known.append(written)
            if written == name:
                extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
                default = None if field.is_required() else field.get_default(call_default_factory=True)
                found.append(
                    {
                        "of": kind_of(one) or one.__name__,
                        "meaning": field.description or _first_line(one, written),
                        "unit": extra.get("x-unit"),
                        "source": extra.get("x-source"),
                        "type": type_of(field.annotation),
                        "bounds": bounds_of(field),
                        "required": field.is_required(),
                        "default": default.model_dump(mode="json") if isinstance(default, BaseModel) else default,
                        "kinds": [kind for m in members(field.annotation) if (kind := _kind(m)) is not None],
                    }
                )
                inner.append(field.annotation)
    return inner


NAMES = {str: "text", int: "whole number", float: "number", bool: "true or false", NoneType: "null", object: "any"}


def type_of(annotation: Any) -> str:
    """What may stand at a place, in words."""
    parts: dict[str, None] = {}
    kinds: list[str] = []
    for one in members(annotation):
        origin, arguments = get_origin(one), get_args(one)
        if isinstance(one, type) and issubclass(one, BaseModel):
            kind = kind_of(one)
            if kind is None:
                parts["a map"] = None
            else:
                kinds.append(kind)
        elif origin is Literal:
            parts |= dict.fromkeys(f"`{value}`" for value in arguments)
        elif origin is tuple:
            parts[f"a list of {type_of(arguments[0])}"] = None
        elif origin is dict:
            inner = type_of(arguments[1])
            parts["a map by name" if inner in ("a map", "any") else f"a map by name of {inner}"] = None
        else:
            parts[NAMES.get(one, "any")] = None
    if kinds:
        parts[f"a map of kind {', '.join(kinds)}"] = None
    nothing = parts.pop("null", 0) is None
    return " or ".join([*parts, *(["null"] if nothing else [])])


def bounds_of(field: FieldInfo) -> str:
    """The bounds of a number, in words; empty where there are none."""
    words = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
    found = [
        f"{word} {getattr(one, name)}"
        for one in field.metadata
        for name, word in words.items()
        if getattr(one, name, None) is not None
    ]
    return ", ".join(found)


def _kind(model: Any) -> str | None:
    return kind_of(model) if hasattr(model, "model_fields") else None
