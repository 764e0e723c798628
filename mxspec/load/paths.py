"""Dotted paths: `stages.rl.train.every`, `stages[1].steps`; read, looked up and written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import ListNode, MapNode, Node, Path, Plain, ScalarNode, child, index_of, name_of, replace

_STEP = re.compile(r"([^.\[\]=\s]+)|\[([0-9]+)\]")
EXCLUSIVE = {"file": "text", "text": "file"}
"""Two ways to say one thing: the one that is said later drops the one that was inherited."""


@dataclass(eq=False)
class NoSuchPath(ValueError):
    """A path that leads nowhere.

    Attributes:
        message: What is missing where.
        hint: What there is.
    """

    message: str
    hint: str

    def __str__(self) -> str:
        """Message and hint."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


@lru_cache(maxsize=4096)
def parse_path(text: str) -> Path:
    """Reads a dotted path.

    Raises:
        NoSuchPath: It is not one.
    """
    path: list[str | int] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            break
        path.append(match[1] if match[1] is not None else int(match[2]))
        position = match.end()
        if position < len(text) - 1 and text[position] == ".":
            position += 1
    if not path or position != len(text):
        raise NoSuchPath(f"{text!r} is not a path", "write it like stages.rl.steps or stages[1].steps")
    return tuple(path)


def indexed(root: Node, path: Path) -> Path:
    """A path with names of list items replaced by their indexes."""
    found: list[str | int] = []
    node: Node | None = root
    for step in path:
        index = index_of(node, step) if isinstance(node, ListNode) else None
        found.append(step if index is None else index)
        node = child(node, step) if node is not None else None
    return tuple(found)


def choices(node: Node) -> list[str]:
    """What a path may go on with at a node."""
    if isinstance(node, MapNode):
        return list(node.entries)
    if isinstance(node, ListNode):
        return [name_of(item) or f"[{index}]" for index, item in enumerate(node.items)]
    return []


def find(root: Node, path: Path) -> Node:
    """The node at a path.

    Raises:
        NoSuchPath: There is none; names what there is.
    """
    node = root
    for index, step in enumerate(path):
        found = child(node, step)
        if found is None:
            raise _missing(node, path, index)
        node = found
    return node


def look_up(tree: Plain, path: str) -> Plain:
    """The value at a path of plain data; None where there is none."""
    value = tree
    for step in parse_path(path):
        if isinstance(value, list):
            named = (v for i, v in enumerate(value) if i == step or (isinstance(v, dict) and v.get("name") == step))
            value = next(named, None)
        else:
            value = value.get(str(step)) if isinstance(value, dict) else None
    return value


def plain_leaves(value: Plain, *, whole_lists: bool = False, path: str = "") -> dict[str, Plain]:
    """Dotted path -> value of plain data; items of lists by name where they have one.

    Args:
        value: The data.
        whole_lists: Whether a list without maps, and a map without entries, is a leaf.
        path: Where the data stand.
    """
    if isinstance(value, dict) and (value or not whole_lists):
        inner = [(f"{path}.{key}", item) for key, item in value.items()]
    elif isinstance(value, list) and (not whole_lists or any(isinstance(item, dict) for item in value)):
        names = [item.get("name") if isinstance(item, dict) else None for item in value]
        inner = [
            (f"{path}.{name}" if isinstance(name, str) else f"{path}[{index}]", item)
            for index, (name, item) in enumerate(zip(names, value, strict=True))
        ]
    else:
        return {path.removeprefix("."): value}
    return {
        at: leaf
        for where, item in inner
        for at, leaf in plain_leaves(item, whole_lists=whole_lists, path=where).items()
    }


def _missing(node: Node, path: Path, index: int) -> NoSuchPath:
    where = written(path[:index]) or "the top level"
    known = choices(node)
    step = path[index]
    if isinstance(node, ScalarNode):
        return NoSuchPath(f"{where} is a single value, so {written(path)} does not exist", "")
    what = "an item" if isinstance(node, ListNode) else "a key"
    close = did_you_mean(str(step), known)
    if isinstance(node, ListNode) and str(step).isdecimal():
        close = f"write {where}[{step}]"
        close = "" if int(step) >= len(node.items) or isinstance(step, int) else f"{close};"
    there = f"there is {', '.join(known)}" if known else "it is empty"
    return NoSuchPath(f"{where} has no {what.split()[1]} {step!r}", f"{close} {there}".strip())


def written(path: Path) -> str:
    """A path as text."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def put(root: Node, path: Path, value: Node) -> Node:
    """A copy of a tree with a value set; maps on the way are made where they are missing.

    Raises:
        NoSuchPath: A list on the way has no such item, or a single value stands on the way.
    """
    node: Node = root
    for index, step in enumerate(path[:-1]):
        found = child(node, step)
        if found is None:
            if not isinstance(node, MapNode) or isinstance(step, int):
                raise _missing(node, path, index)
            for missing in reversed(path[index + 1 :]):
                if isinstance(missing, int):
                    raise _missing(MapNode(value.at), path, index + 1)
                value = MapNode(value.at, {missing: value}, {missing: value.at})
            return replace(root, path[: index + 1], value)
        node = found
    last = path[-1]
    if isinstance(node, ScalarNode) or (
        child(node, last) is None and (isinstance(node, ListNode) or isinstance(last, int))
    ):
        raise _missing(node, path, len(path) - 1)
    if isinstance(node, MapNode) and EXCLUSIVE.get(str(last)) in node.entries:
        root = replace(root, path[:-1], node.without(EXCLUSIVE[str(last)]))
    return replace(root, path, value)
