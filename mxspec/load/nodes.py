"""A YAML document as a tree whose every value knows where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mxspec.load.errors import Position
from mxspec.load.scalars import Scalar

Plain = Scalar | list["Plain"] | dict[str, "Plain"]
Step = str | int
Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A scalar.

    Attributes:
        at: Where it stands.
        value: Its value by YAML 1.2 core.
        text: As written.
        plain: Whether it is unquoted, so that its value depends on how it looks.
    """

    at: Position
    value: Scalar
    text: str = ""
    plain: bool = True


@dataclass(frozen=True, slots=True)
class ListNode:
    """A sequence."""

    at: Position
    items: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class MapNode:
    """A mapping; `keys` says where each key stands."""

    at: Position
    entries: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Position] = field(default_factory=dict)

    def put(self, key: str, node: Node, key_at: Position | None = None) -> MapNode:
        """A copy with one entry set."""
        return MapNode(self.at, {**self.entries, key: node}, {**self.keys, key: key_at or node.at})

    def without(self, *names: str) -> MapNode:
        """A copy with some entries left out."""
        return MapNode(
            self.at,
            {key: node for key, node in self.entries.items() if key not in names},
            {key: at for key, at in self.keys.items() if key not in names},
        )


Node = ScalarNode | ListNode | MapNode


def to_plain(node: Node) -> Plain:
    """The values alone."""
    match node:
        case ScalarNode():
            return node.value
        case ListNode():
            return [to_plain(item) for item in node.items]
        case MapNode():
            return {key: to_plain(child) for key, child in node.entries.items()}


def from_plain(value: Plain, at: Position) -> Node:
    """A tree of values that all stand at one place."""
    if isinstance(value, dict):
        return MapNode(at, {k: from_plain(v, at) for k, v in value.items()}, dict.fromkeys(value, at))
    if isinstance(value, list):
        return ListNode(at, tuple(from_plain(item, at) for item in value))
    return ScalarNode(at, value, str(value), plain=not isinstance(value, str))


def walk(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every node of a tree with its path, parents first."""
    yield path, node
    if isinstance(node, MapNode):
        for key, child in node.entries.items():
            yield from walk(child, (*path, key))
    elif isinstance(node, ListNode):
        for index, child in enumerate(node.items):
            yield from walk(child, (*path, index))


def child(node: Node, step: Step) -> Node | None:
    """The child of a node by key, index, or the `name` of a list's item; None where there is none."""
    if isinstance(node, MapNode):
        return node.entries.get(str(step))
    if isinstance(node, ListNode):
        index = index_of(node, step)
        return None if index is None else node.items[index]
    return None


def index_of(node: ListNode, step: Step) -> int | None:
    """The index that a step names in a list: an index, or the `name` of an item."""
    if isinstance(step, int):
        return step if 0 <= step < len(node.items) else None
    for index, item in enumerate(node.items):
        if name_of(item) == step:
            return index
    return None


def name_of(node: Node) -> str | None:
    """The `name` of a list's item, by which paths call it."""
    if isinstance(node, MapNode):
        name = node.entries.get("name")
        if isinstance(name, ScalarNode) and isinstance(name.value, str):
            return name.value
    return None


def get(node: Node, path: Path) -> Node | None:
    """The node at a path; None where there is none."""
    found: Node | None = node
    for step in path:
        found = child(found, step) if found is not None else None
    return found


def replace(node: Node, path: Path, new: Node) -> Node:
    """A copy of a tree with the node at an existing path replaced (or a new last key of a map added)."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(node, MapNode):
        key = str(step)
        old = node.entries.get(key)
        return node.put(key, replace(old, rest, new) if rest and old is not None else new, node.keys.get(key, new.at))
    assert isinstance(node, ListNode)
    index = index_of(node, step)
    assert index is not None
    items = list(node.items)
    items[index] = replace(items[index], rest, new)
    return ListNode(node.at, tuple(items))


def remove(node: Node, path: Path) -> Node:
    """A copy of a tree without the node at an existing path."""
    step, rest = path[0], path[1:]
    if isinstance(node, MapNode):
        if not rest:
            return node.without(str(step))
        return node.put(str(step), remove(node.entries[str(step)], rest), node.keys[str(step)])
    assert isinstance(node, ListNode)
    index = index_of(node, step)
    assert index is not None
    kept = [item if i != index else remove(item, rest) for i, item in enumerate(node.items) if rest or i != index]
    return ListNode(node.at, tuple(kept))


def dotted(root: Node | None, path: Path) -> str:
    """A path as text: items of lists by name where they have one, else by index."""
    text, node = "", root
    for step in path:
        name: str | None = None
        if isinstance(step, int):
            item = child(node, step) if node is not None else None
            name = name_of(item) if item is not None else None
            text += f".{name}" if name is not None else f"[{step}]"
        else:
            text += f".{step}"
        node = child(node, step) if node is not None else None
    return text.removeprefix(".")


def place_of(root: Node, path: Path, *, of_key: bool = False) -> Position:
    """Where the node at a path stands, or its key."""
    node = get(root, path)
    assert node is not None
    if of_key and path:
        owner = get(root, path[:-1])
        if isinstance(owner, MapNode):
            return owner.keys[str(path[-1])]
    return node.at
