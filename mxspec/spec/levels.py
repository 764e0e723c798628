"""The levels of a rollout tree, which the structure declares."""

from mxspec.spec.rollout import Tree
from mxspec.spec.structure import Cascade, PluggedStructure, Structure

OF_KIND = {
    "generated": ("designs", "executions"),
    "fixed": ("designs", "executions", "turn_samples"),
    "searched": ("executions",),
}
"""Levels by kind of structure; a cascade names its own. A fixed structure has one design."""

KEYS = {"designs": "design", "executions": "execution"}
"""Level -> the key of its nodes, which groups are made of."""


def levels_of(structure: Structure) -> tuple[str, ...]:
    """The levels below a question, from the top down."""
    if isinstance(structure, Cascade):
        return tuple(structure.levels)
    if isinstance(structure, PluggedStructure):
        return structure.tree_levels
    return OF_KIND[structure.kind]


def group_keys(structure: Structure) -> tuple[str, ...]:
    """What an advantage may be grouped by: keys of levels, and those of calls."""
    keys = [KEYS.get(level, level) for level in levels_of(structure) if level != "turn_samples"]
    return tuple(dict.fromkeys(("question", *keys, "agent", "turn", "parent")))


def width(tree: Tree, level: str) -> int:
    """Children per node at a level; 1 where the tree does not say."""
    own = {"designs": tree.designs, "executions": tree.executions, "turn_samples": tree.turn_samples}
    return own[level] if level in own else (tree.__pydantic_extra__ or {}).get(level, 1)
