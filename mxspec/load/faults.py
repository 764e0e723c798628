"""pydantic's errors, put where they belong, and which of them say something that others do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mxspec.load.nodes import ListNode, MapNode, Node, Path, ScalarNode, child, get
from mxspec.load.schema_walk import annotation_at, model_for, models_at

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

SHAPES = frozenset({"model_type", "tuple_type", "dict_type", "literal_error", "string_type"})
"""Errors that say that a value is no such thing at all."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A pydantic error, put where it belongs.

    Attributes:
        kind: pydantic's type of error.
        path: The value in the tree that it is about (for a missing key: the map).
        key: The missing key.
        choice: Path of the union that the error is one member's opinion of; None where there is none.
        member: The name of that member.
        context: pydantic's context.
    """

    kind: str
    path: Path
    key: str
    choice: Path | None
    member: str
    context: Mapping[str, Any]


def place(root: Node, error: ErrorDetails) -> Fault:
    """The value of a tree that an error is about."""
    path: list[str | int] = []
    node: Node | None = root
    key, member = "", ""
    choice: Path | None = None
    location = error["loc"]
    for index, step in enumerate(location):
        found = child(node, step) if node is not None and isinstance(node, (MapNode, ListNode)) else None
        if isinstance(found, ScalarNode) and isinstance(node, MapNode) and index < len(location) - 1:
            if error["type"] == "missing" or child(node, location[index + 1]) is not None:
                found = None  # the name of a member of a union, which its map has as a key as well
        if found is not None and (isinstance(node, MapNode) or isinstance(step, int)):
            path.append(step)
            node = found
        elif index == len(location) - 1 and error["type"] == "missing":
            key = str(step)
        elif not (isinstance(node, MapNode) and _is_kind(node, step)):
            choice, member = tuple(path), str(step)
    return Fault(error["type"], tuple(path), key, choice, member, error.get("ctx", {}))


def _is_kind(node: MapNode, step: str | int) -> bool:
    kind = node.entries.get("kind")
    return isinstance(kind, ScalarNode) and kind.value == step


def of_likely_members(faults: list[Fault], root: Node, start: Any) -> list[Fault]:
    """Of several models that a map may be, only what the one has to say whose keys are most like the map's."""
    likely: dict[Path, str] = {}
    for path in dict.fromkeys(fault.choice for fault in faults if fault.choice is not None):
        node = get(root, path)
        model = model_for(annotation_at(root, path, start), node)
        if isinstance(node, MapNode) and model is not None:
            likely[path] = model.__name__
    return [
        fault
        for fault in faults
        if fault.choice not in likely
        or fault.member == likely[fault.choice]
        or fault.member not in _names(root, fault, start)
    ]


def _names(root: Node, fault: Fault, start: Any) -> set[str]:
    assert fault.choice is not None
    return {one.__name__ for one in models_at(root, fault.choice, start)}


def relevant(faults: list[Fault], root: Node) -> Iterator[Fault]:
    """Leaves out what other errors imply: members of a union that were not meant, lists emptied by bad items."""
    for fault in faults:
        node = get(root, fault.path)
        if fault.kind == "too_short" and isinstance(node, ListNode) and len(node.items) >= fault.context["min_length"]:
            continue
        if fault.choice == fault.path and fault.kind in SHAPES:
            deeper = (one for one in faults if one is not fault and one.choice == fault.path)
            if any(one.kind not in SHAPES or one.path != fault.path for one in deeper):
                continue
        yield fault
