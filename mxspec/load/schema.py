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
}


def json_schema(part: str = "spec") -> dict[str, Any]:
    """The JSON Schema of a whole spec, a base or a benchmark.

    References (`${...}`) stand where values of any type are wanted, so editors may complain about them.

    Raises:
        ValueError: No such part.
    """
    if part not in PARTS:
        raise ValueError(f"no part {part!r}; {did_you_mean(part, PARTS) or 'parts are ' + ', '.join(PARTS)}")
    found = (Benchmark if part == "benchmark" else Spec).model_json_schema(by_alias=True)
    properties = found["properties"]
    if part == "benchmark":
        properties |= {"language": {"const": 1}, "part": {"const": "benchmark"}}
        found["required"] = [*found.get("required", []), "part"]
    else:
        properties |= _DIRECTIVES
        # What a file leaves out may come from what it extends.
        required = found.pop("required", [])
        if part == "base":
            properties["part"] = {"const": "base"}
            found["required"] = ["part"]
        else:
            found["if"] = {"not": {"required": ["extends"]}}
            found["then"] = {"required": required}
    return {"$schema": DIALECT, "title": f"mxspec {part}", **{key: v for key, v in found.items() if key != "title"}}
