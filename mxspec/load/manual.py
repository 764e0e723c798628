"""The reference of the language as a page: every value with its type, default, unit, meaning and source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from inspect import get_annotations
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from mxspec.load.describe import bounds_of, type_of
from mxspec.load.schema_walk import kind_of, members
from mxspec.spec import Spec

HEAD = """\
# Reference of the spec language

Made from the models by `mxspec schema --reference`. A value without a default is required. `<name>` stands for a name
of yours, `[i]` for an item of a list. Kinds are the values of `kind` that a map may have; each has fields of its own.

Every file may also say `extends`, `$unset`, `$append` and `$set` (path -> value within what is inherited),
and a file below `base/` or `benchmarks/` says which `part` it is. Shorter ways to say a thing:

| short | long |
|---|---|
| `evaluate.<name>.at: end` | `at: [end]` |
| `stages[i].gate: {watch: .., at_least: ..}` | `gate: {all: [{watch: .., at_least: ..}]}` |
| `structure.start: mas/single.py` | `start: {file: mas/single.py}` |
| `plugins: [./mine.py, theirs]` | `plugins: [{file: ./mine.py}, {package: theirs}]` |
| a use without `split` | `test` where it judges, `validation` where it scores a search, else `train` |

"""


def reference_page() -> str:
    """The page, as Markdown."""
    return HEAD + "\n".join(_sections(Spec, "", set()))


def _sections(model: type[BaseModel], path: str, seen: set[tuple[str, type[BaseModel]]]) -> Iterator[str]:
    """A section on a model, then sections on the models within it."""
    if (path, model) in seen:
        return
    seen.add((path, model))
    kind = kind_of(model)
    yield f"{'###' if path else '##'} {_title(path, kind)}\n"
    if model.__doc__:
        yield f"{model.__doc__.strip().splitlines()[0]}\n"
    rows = [_row(field, name) for name, field in model.model_fields.items() if name != "kind"]
    if rows:
        yield "| value | type | default | meaning |\n|---|---|---|---|"
        yield from rows
        yield ""
    more = _extras(model)
    if more is not None:
        yield from _sections(more, f"{path}.<path>".removeprefix("."), seen)
    for name, field in model.model_fields.items():
        for inner, where in _models(field.annotation, f"{path}.{field.alias or name}".removeprefix(".")):
            yield from _sections(inner, where, seen)


def _extras(model: type[BaseModel]) -> type[BaseModel] | None:
    """The model of the entries that a map may have besides its own."""
    for part in model.__mro__:
        annotation = get_annotations(part).get("__pydantic_extra__")
        if annotation is not None:
            found = [one for one in members(get_args(annotation)[1]) if isinstance(one, type)]
            return next((one for one in found if issubclass(one, BaseModel)), None)
    return None


def _title(path: str, kind: str | None) -> str:
    return f"`{path}`" + (f": `{{kind: {kind}}}`" if kind else "") if path else "The whole spec"


def _row(field: FieldInfo, name: str) -> str:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    about = [field.description or ""]
    about += [f"Unit: {extra['x-unit']}."] if extra.get("x-unit") else []
    about += [f"Source: {extra['x-source']}."] if extra.get("x-source") else []
    limits = bounds_of(field).capitalize()
    about += [f"{limits}."] if limits else []
    cells = (f"`{field.alias or name}`", type_of(field.annotation), _default(field), " ".join(about))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return ""
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        kind = kind_of(type(value))
        return f"`{{kind: {kind}}}`" if kind else "its defaults"
    return f"`{json.dumps(value)}`"


def _models(annotation: Any, path: str) -> Iterator[tuple[type[BaseModel], str]]:
    """The models that a place holds, with the paths of their maps."""
    for one in members(annotation):
        origin, arguments = get_origin(one), get_args(one)
        if isinstance(one, type) and issubclass(one, BaseModel):
            yield one, path
        elif origin is tuple:
            yield from _models(arguments[0], f"{path}[i]")
        elif origin is dict:
            yield from _models(arguments[1], f"{path}.<name>")
