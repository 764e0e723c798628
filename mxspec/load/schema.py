"""The spec language as JSON Schema: what the models say, and what loading adds."""

from __future__ import annotations

from typing import Any

from mxspec.load.errors import did_you_mean
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
    "$set": {
        "description": "Path -> value that takes the place of an inherited one, within lists too.",
        "type": "object",
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
