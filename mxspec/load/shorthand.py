"""Short ways to say a thing, written out: the models know the long one only."""

from __future__ import annotations

from collections.abc import Iterator

from mxspec.load.nodes import ListNode, MapNode, Node, Path, ScalarNode, get, replace


def write_out(root: MapNode) -> MapNode:
    """A tree without shorthands.

    | short | long |
    |---|---|
    | `evaluate.<name>.at: end`, `{every: 10}` | a list of one |
    | `stages.<name>.gate: {watch, at_least, ..}` | `{all: [{watch, at_least}], ..}` |
    | `structure.start: path` | `{file: path}` |
    | `plugins: [./mine.py, theirs]` | `[{file: ./mine.py}, {package: theirs}]` |
    | a use without `split` | `test` where it judges, `validation` where it scores a search, else `train` |
    """
    tree: Node = root
    for path in _children(root, ("evaluate",)):
        at = get(root, (*path, "at"))
        if isinstance(at, (ScalarNode, MapNode)):
            tree = replace(tree, (*path, "at"), ListNode(at.at, (at,)))
        tree = _split(tree, (*path, "on"), "test")
    for path in _children(root, ("stages",)):
        tree = _split(tree, (*path, "score_on"), "validation")
        gate = get(root, (*path, "gate"))
        if isinstance(gate, MapNode) and "all" not in gate.entries and {"watch", "at_least"} & gate.entries.keys():
            tree = replace(tree, (*path, "gate"), _gate(gate))
    start = get(root, ("structure", "start"))
    if isinstance(start, ScalarNode) and isinstance(start.value, str):
        tree = replace(tree, ("structure", "start"), MapNode(start.at, {"file": start}, {"file": start.at}))
    assert isinstance(tree, MapNode)
    return written_plugins(tree)


def written_plugins(root: MapNode) -> MapNode:
    """A tree whose plugins are maps: a path ends in `.py`, everything else names a package."""
    tree: Node = root
    for path in _children(root, ("plugins",)):
        named = get(root, path)
        if isinstance(named, ScalarNode) and isinstance(named.value, str):
            key = "file" if named.value.endswith(".py") else "package"
            tree = replace(tree, path, MapNode(named.at, {key: named}, {key: named.at}))
    assert isinstance(tree, MapNode)
    return tree


def _split(tree: Node, path: Path, split: str) -> Node:
    """Fills in the split of the uses in a list."""
    for item in _children(tree, path):
        use = get(tree, item)
        if isinstance(use, MapNode) and "use" in use.entries and "split" not in use.entries:
            tree = replace(tree, (*item, "split"), ScalarNode(use.at, split, split))
    return tree


def _gate(gate: MapNode) -> MapNode:
    names = [name for name in ("watch", "at_least") if name in gate.entries]
    measure = MapNode(gate.at, {name: gate.entries[name] for name in names}, {name: gate.keys[name] for name in names})
    return gate.without(*names).put("all", ListNode(gate.at, (measure,)), gate.keys[names[0]])


def _children(root: Node, path: Path) -> Iterator[Path]:
    node = get(root, path)
    if isinstance(node, MapNode):
        yield from ((*path, key) for key in node.entries)
    elif isinstance(node, ListNode):
        yield from ((*path, index) for index in range(len(node.items)))
