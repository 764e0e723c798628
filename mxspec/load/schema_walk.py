"""Which model a place of a spec is described by, and where else a key exists."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from mxspec.load.nodes import ListNode, MapNode, Node, Path, ScalarNode, child
from mxspec.spec import Spec


def members(annotation: Any) -> tuple[Any, ...]:
    """The alternatives of an annotation: unions flattened, `Annotated` peeled off."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return members(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return tuple(one for part in get_args(annotation) for one in members(part))
    return (annotation,)


def fields_of(model: type[BaseModel]) -> dict[str, Any]:
    """Key as written -> annotation."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def kind_of(model: type[BaseModel]) -> str | None:
    """The `kind` of a model of a union; None where it has none."""
    field = model.model_fields.get("kind")
    return str(get_args(field.annotation)[0]) if field is not None and get_origin(field.annotation) is Literal else None


def model_for(annotation: Any, node: Node | None) -> type[BaseModel] | None:
    """The model that describes a map: the only one, that of its `kind`, or the one whose keys are most like its own."""
    models = [one for one in members(annotation) if isinstance(one, type) and issubclass(one, BaseModel)]
    kind = node.entries.get("kind") if isinstance(node, MapNode) else None
    written = kind.value if isinstance(kind, ScalarNode) else None
    for model in models:
        if kind_of(model) is not None and kind_of(model) == written:
            return model
    if len(models) > 1 and not any(map(kind_of, models)) and isinstance(node, MapNode) and node.entries:
        return max(models, key=lambda model: _likeness(node, model))
    return models[0] if len(models) == 1 else None


def _likeness(node: MapNode, model: type[BaseModel]) -> float:
    from difflib import SequenceMatcher

    names = fields_of(model)
    return sum(max(SequenceMatcher(None, key, name).ratio() for name in names) for key in node.entries)


def annotation_at(root: Node, path: Path, start: Any = Spec) -> Any | None:
    """The annotation of the value at a path; None where the language has none."""
    annotation: Any | None = start
    node: Node | None = root
    for step in path:
        annotation = _step(annotation, node, step)
        node = child(node, step) if node is not None else None
        if annotation is None:
            return None
    return annotation


def _step(annotation: Any, node: Node | None, step: str | int) -> Any | None:
    if isinstance(node, MapNode):
        model = model_for(annotation, node)
        if model is not None:
            return fields_of(model).get(str(step))
    for one in members(annotation):
        origin, arguments = get_origin(one), get_args(one)
        if isinstance(node, MapNode) and origin is dict:
            return arguments[1]
        if isinstance(node, ListNode) and origin is tuple:
            return (
                arguments[0]
                if len(arguments) == 2 and arguments[1] is Ellipsis
                else arguments[min(int(step), len(arguments) - 1)]
            )
    return None


def models_at(root: Node, path: Path, start: Any) -> list[Any]:
    """The models that the value at a path may have."""
    return [one for one in members(annotation_at(root, path, start)) if hasattr(one, "model_fields")]


def known_keys(root: Node, path: Path, start: Any = Spec) -> list[str]:
    """The keys that the map at a path may have."""
    node: Node | None = root
    for step in path:
        node = child(node, step) if node is not None else None
    model = model_for(annotation_at(root, path, start), node)
    return list(fields_of(model)) if model is not None else []


def places(key: str, start: Any = Spec) -> list[str]:
    """Dotted paths at which the language has a key, shortest first (`<name>` and `[i]` stand for any)."""
    found = {path for path, name in _all_keys(start, "", ()) if name == key}
    return sorted(found, key=lambda path: (path.count("."), path))


def _all_keys(annotation: Any, prefix: str, seen: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    for one in members(annotation):
        origin = get_origin(one)
        if origin is dict:
            yield from _all_keys(get_args(one)[1], f"{prefix}.<name>", seen)
        elif origin is tuple:
            yield from _all_keys(get_args(one)[0], f"{prefix}[i]", seen)
        elif isinstance(one, type) and issubclass(one, BaseModel) and one not in seen:
            for name, inner in fields_of(one).items():
                path = f"{prefix}.{name}".removeprefix(".")
                yield path, name
                yield from _all_keys(inner, path, (*seen, one))
