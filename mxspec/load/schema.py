"""The spec language as JSON Schema: what the models say, and what loading adds."""

from __future__ import annotations

from typing import Any, get_args, get_origin

from pydantic import BaseModel

from mxspec.load.errors import did_you_mean
from mxspec.load.paths import NoSuchPath, parse_path
from mxspec.load.schema_walk import fields_of, kind_of, members
from mxspec.spec import Spec
from mxspec.spec.benchmark import Benchmark

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PARTS = ("spec", "base", "benchmark")
_DIRECTIVES: dict[str, Any] = {
    "extends": {
        "description": "Files that this one builds on; later ones win.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    },
    "$unset": {
        "description": "Paths of a base to leave out.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    },
    "$append": {
        "description": "Path -> items that extend an inherited list.",
        "type": "object",
        "additionalProperties": {"type": "array"},
    },
}


REFERENCE = {"description": "A reference to another value.", "type": "string", "pattern": r"\$\{"}
"""What may stand in place of any value but a `kind`."""


def json_schema(part: str = "spec") -> dict[str, Any]:
    """The JSON Schema of a whole spec, a base or a benchmark.

    It takes what files may say: references in place of values, shorthands, and maps that are
    completed by what a file extends. What is missing in the end is for `validate` to say.

    Raises:
        ValueError: No such part.
    """
    if part not in PARTS:
        raise ValueError(f"no part {part!r}; {did_you_mean(part, PARTS) or 'parts are ' + ', '.join(PARTS)}")
    found = (Benchmark if part == "benchmark" else Spec).model_json_schema(by_alias=True)
    required = found.get("required", [])
    _shorthands(found["$defs"])
    meanings = {name: one.get("description", "") for name, one in found["$defs"].items()}
    for one in (found, *found["$defs"].values()):
        _as_written(one, meanings)
    found["$defs"]["Reference"] = REFERENCE
    properties = found["properties"]
    if part == "benchmark":
        properties |= {"language": {"const": 1}, "part": {"const": "benchmark"}}
        found["required"] = [*required, "part"]
    else:
        properties |= _DIRECTIVES
        properties["part"] = {"const": "base"}
        if part == "base":
            found["required"] = ["part"]
        else:  # what a file leaves out may come from what it extends
            found["if"] = {"not": {"anyOf": [{"required": ["extends"]}, {"required": ["part"]}]}}
            found["then"] = {"required": required}
    return {"$schema": DIALECT, "title": f"mxspec {part}", **{key: v for key, v in found.items() if key != "title"}}


def _as_written(schema: dict[str, Any], meanings: dict[str, str]) -> None:
    """Makes a model's schema take what a file may say of it."""
    schema.pop("required", None)
    for name, one in schema.get("properties", {}).items():
        if name == "kind":
            continue
        _any_kind(one)
        said = {key: one.pop(key) for key in ("description", "default", "title", "x-unit", "x-source") if key in one}
        said.setdefault("description", meanings.get(str(one.get("$ref", "")).rsplit("/", 1)[-1], ""))
        schema["properties"][name] = {**said, "anyOf": [one, {"$ref": "#/$defs/Reference"}]}


def _any_kind(schema: Any) -> None:
    """A map without its `kind` may override one that has it: `oneOf` becomes `anyOf`, all the way down."""
    if isinstance(schema, dict):
        if "oneOf" in schema:
            schema["anyOf"] = schema.pop("oneOf")
            schema.pop("discriminator", None)
        for one in schema.values():
            _any_kind(one)
    elif isinstance(schema, list):
        for one in schema:
            _any_kind(one)


def _shorthands(models: dict[str, Any]) -> None:
    """What `mxspec.load.shorthand` writes out."""
    if "Evaluation" not in models:
        return
    at = models["Evaluation"]["properties"]["at"]
    models["Evaluation"]["properties"]["at"] = {
        "description": at["description"],
        "anyOf": [{key: value for key, value in at.items() if key != "description"}, *at["items"]["anyOf"]],
    }
    measure = models["Measure"]["properties"]
    models["Gate"]["properties"] |= {"watch": dict(measure["watch"]), "at_least": dict(measure["at_least"])}
    start = models["Searched"]["properties"]["start"]
    said = start.pop("description", "Where the search starts.")
    models["Searched"]["properties"]["start"] = {"description": said, "anyOf": [start, {"type": "string"}]}


def describe_field(path: str) -> list[dict[str, Any]]:
    """What the language says of a path, one entry for each kind of the map that has it.

    Raises:
        NoSuchPath: The language has no such path.
    """
    places: list[Any] = [Spec]
    found: list[dict[str, Any]] = []
    steps = parse_path(path)
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
            raise NoSuchPath(f"the language has no {path}", did_you_mean(str(step), known))
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
                        "meaning": field.description or "",
                        "unit": extra.get("x-unit"),
                        "source": extra.get("x-source"),
                        "required": field.is_required(),
                        "default": default.model_dump(mode="json") if isinstance(default, BaseModel) else default,
                        "kinds": [kind for m in members(field.annotation) if (kind := _kind(m)) is not None],
                    }
                )
                inner.append(field.annotation)
    return inner


def _kind(model: Any) -> str | None:
    return kind_of(model) if hasattr(model, "model_fields") else None
