"""Keys of a tree that the structure declares no level for: found in the text, so that they are told with all else."""

from __future__ import annotations

from collections.abc import Iterator

from mxspec.load.errors import Findings, did_you_mean
from mxspec.load.nodes import MapNode, Node, Path, ScalarNode, dotted, get
from mxspec.load.schema_walk import fields_of
from mxspec.spec import Spec
from mxspec.spec.levels import OF_KIND

_ALL = tuple(dict.fromkeys(level for levels in OF_KIND.values() for level in levels))


def unknown_levels(root: MapNode, findings: Findings) -> set[Path]:
    """Reports keys of `rollout.tree` and of evaluations' trees that are no level of their structure.

    Returns:
        Their paths, so that nothing else is said about them.
    """
    reported: set[Path] = set()
    for path, structure in _trees(root):
        tree = get(root, path)
        if not isinstance(tree, MapNode):
            continue
        known = _levels(structure)
        for key, node in tree.entries.items():
            if key in (known or _ALL):
                continue
            close = did_you_mean(key, known or _ALL)
            if known is None and not close:
                continue
            if key in _ALL and isinstance(node, ScalarNode) and node.value == 1 and node.value is not True:
                continue  # one child a node is no level
            if isinstance(node, MapNode) and key in fields_of(Spec):
                close = f"{key!r} stands at the top level"
            where = (*path, key)
            hint = close or f"levels are {', '.join(known or _ALL)}"
            message = f"unknown key {key!r} under {dotted(root, path)}"
            findings.error("unknown-key", message, hint=hint, path=dotted(root, where), at=tree.keys[key])
            reported.add(where)
    return reported


def _trees(root: MapNode) -> Iterator[tuple[Path, Node | None]]:
    structure = root.entries.get("structure")
    yield ("rollout", "tree"), structure
    evaluations = root.entries.get("evaluate")
    if isinstance(evaluations, MapNode):
        for name in evaluations.entries:
            yield ("evaluate", name, "tree"), get(root, ("evaluate", name, "structure")) or structure


def _levels(structure: Node | None) -> tuple[str, ...] | None:
    """The levels of a structure; None where it does not say which kind it is."""
    kind = get(structure, ("kind",)) if structure is not None else None
    if isinstance(kind, ScalarNode) and kind.value == "cascade":
        levels = get(structure, ("levels",)) if structure is not None else None
        return tuple(levels.entries) if isinstance(levels, MapNode) else None
    return OF_KIND.get(str(kind.value)) if isinstance(kind, ScalarNode) else None
