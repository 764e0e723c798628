r"""`${...}`: references between values, resolved by OmegaConf where there are any.

A reference is a path from the top (`${vars.rl_lr}`, `${stages.rl.steps}`) or relative
(`${.sibling}`, `${..uncle}`). `\${` is a literal `${`. Prompts and notes are never read for
references. `${env:NAME}` stands only under `runtime` and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mxspec.load.environment import REFERENCE as ENVIRONMENT
from mxspec.load.errors import Findings, Position
from mxspec.load.nodes import MapNode, Node, Path, Plain, ScalarNode, dotted, from_plain, get, replace, to_plain, walk
from mxspec.load.paths import NoSuchPath, find, indexed, parse_path
from mxspec.load.read import MOST_BYTES, MOST_NODES

MOST_LINKS = 50
"""References that may lead from one to the next; more is refused."""
LITERAL = frozenset({"file", "text", "system", "notes"})
"""Keys whose values are text as it stands."""
_WRITTEN = re.compile(r"[\w.\[\]-]+")
_MARK = re.compile(r"(\\*)\$\{([^{}]*\}?)")


@dataclass(frozen=True, slots=True)
class _Reference:
    """A reference in a value: from `start` to `end` of its text, to `target`."""

    start: int
    end: int
    target: Path


@dataclass(slots=True, eq=False, repr=False)
class _Resolver:
    root: MapNode
    findings: Findings
    partial: bool
    references: dict[Path, list[_Reference]] = field(default_factory=dict)
    flat: dict[str, Plain] = field(default_factory=dict)
    names: dict[Path, str] = field(default_factory=dict)

    def collect(self) -> None:
        """Finds all references; what is none of ours is an error."""
        for path, node in walk(self.root):
            if has_marks(path, node):
                assert isinstance(node, ScalarNode)
                self.references[path] = list(self._in_text(path, node))

    def _in_text(self, path: Path, node: ScalarNode) -> Iterator[_Reference]:
        text = str(node.value)
        for match in _MARK.finditer(text):
            if len(match[1]) % 2:
                continue
            start, inner = match.end(1), match[2].removesuffix("}")
            written = text[start : match.end()]
            where = dotted(self.root, path)
            if ENVIRONMENT.fullmatch(written):
                if path[0] != "runtime":
                    hint = "results do not depend on the environment; write the value"
                    self.findings.error(
                        "env", f"{written} may stand under runtime only", hint=hint, path=where, at=node.at
                    )
                continue
            try:
                if not match[2].endswith("}"):
                    raise NoSuchPath("is not closed", "")
                if not _WRITTEN.fullmatch(inner):
                    raise NoSuchPath("is not a reference", _meant(inner))
                target = _absolute(inner, path)
                find(self.root, target)
            except NoSuchPath as error:
                if self.partial and _WRITTEN.fullmatch(inner):
                    continue
                escape = f"to keep it as text write \\{written}"
                hint = f"{error.hint}; {escape}" if error.hint else escape
                self.findings.error(
                    "reference",
                    f"`{written}` {error.message}" if not error.hint else f"`{written}`: {error.message}",
                    hint=hint,
                    path=where,
                    at=node.at,
                )
                continue
            yield _Reference(start, match.end(), indexed(self.root, target))

    def cycles(self) -> None:
        """Reports values that refer to each other in a circle, each circle once."""
        done: set[Path] = set()

        def visit(path: Path, trail: tuple[Path, ...]) -> None:
            if path in trail:
                circle = trail[trail.index(path) :]
                if not done.intersection(circle):
                    self._report(circle)
                done.update(circle)
                return
            if path in done:
                return
            if len(trail) > MOST_LINKS:
                done.update(trail)
                node = get(self.root, trail[0])
                at = node.at if node is not None else None
                message = f"more than {MOST_LINKS} references lead from one to the next"
                self.findings.error("too-deep", message, path=dotted(self.root, trail[0]), at=at)
                return
            for inner, references in self.references.items():
                if inner[: len(path)] == path:
                    for reference in references:
                        visit(reference.target, (*trail, path))
            done.add(path)

        for path in list(self.references):
            visit(path, ())

    def _report(self, circle: tuple[Path, ...]) -> None:
        places: list[Position] = []
        for path in circle:
            node = get(self.root, path)
            assert node is not None
            places.append(node.at)
        steps = " -> ".join(f"{dotted(self.root, p)} ({at})" for p, at in zip(circle, places, strict=True))
        first = dotted(self.root, circle[0])
        self.findings.error(
            "reference-cycle", f"the references form a circle: {steps} -> {first}", path=first, at=places[0]
        )

    def sizes(self) -> None:
        """Reports values that grow beyond the bounds of a document once their references are resolved."""
        known: dict[Path, tuple[int, int]] = {}

        def size(path: Path, node: Node) -> tuple[int, int]:
            """Values and characters of what a node becomes."""
            if path not in known:
                if isinstance(node, ScalarNode):
                    inner = [(one.target, get(self.root, one.target)) for one in self.references.get(path, ())]
                    own = (1, len(node.text))
                elif isinstance(node, MapNode):
                    inner, own = [((*path, key), one) for key, one in node.entries.items()], (1, 0)
                else:
                    inner, own = [((*path, index), one) for index, one in enumerate(node.items)], (1, 0)
                found = [size(where, one) for where, one in inner if one is not None]
                known[path] = (own[0] + sum(one for one, _ in found), own[1] + sum(one for _, one in found))
            return known[path]

        for path in self.references:
            node = get(self.root, path)
            assert node is not None
            values, characters = size(path, node)
            if values > MOST_NODES or characters > MOST_BYTES:
                what = f"{values:,} values and {characters:,} characters"
                where = dotted(self.root, path)
                self.findings.error("too-large", f"its references add up to {what}", path=where, at=node.at)
                return

    def flatten(self, path: Path) -> str:
        """Puts a value and all that it refers to into the flat map; returns its name there."""
        if path in self.names:
            return self.names[path]
        name = self.names[path] = f"v{len(self.names)}"
        node = get(self.root, path)
        assert node is not None
        self.flat[name] = self._rewrite(path, node)
        return name

    def _rewrite(self, path: Path, node: Node) -> Plain:
        if isinstance(node, ScalarNode):
            if not isinstance(node.value, str) or "${" not in node.value:
                return node.value
            text, end = "", 0
            for reference in self.references.get(path, []):
                text += _protect(node.value[end : reference.start], literal=path[-1] in LITERAL)
                text += f"${{{self.flatten(reference.target)}}}"
                end = reference.end
            return text + _protect(node.value[end:], literal=path[-1] in LITERAL)
        if isinstance(node, MapNode):
            return {key: self._rewrite((*path, key), inner) for key, inner in node.entries.items()}
        return [self._rewrite((*path, index), inner) for index, inner in enumerate(node.items)]


def _protect(text: str, *, literal: bool) -> str:
    """Escapes what OmegaConf must leave as it is: the environment, and all of a literal text."""
    if literal:
        return text.replace("${", "\\${")
    return re.sub(r"(?<!\\)\$\{", r"\\${", text)


def has_marks(path: Path, node: Node) -> bool:
    """Whether a value is read for references and holds a mark of one."""
    if not isinstance(node, ScalarNode) or not isinstance(node.value, str) or "${" not in node.value:
        return False
    return not any(step in LITERAL for step in path)


def _absolute(inner: str, path: Path) -> Path:
    dots = len(inner) - len(inner.lstrip("."))
    if dots > len(path):
        raise NoSuchPath("it leads above the top level", "")
    return (*(path[: len(path) - dots] if dots else ()), *parse_path(inner[dots:]))


def targets(root: MapNode) -> tuple[Path, ...]:
    """Where the references of a tree lead, those that resolve."""
    resolver = _Resolver(root, Findings(), True)
    resolver.collect()
    return tuple(one.target for found in resolver.references.values() for one in found)


def _meant(inner: str) -> str:
    """What to write for something in `${..}` that is no reference."""
    if inner.strip() != inner and _WRITTEN.fullmatch(inner.strip()):
        return f"no spaces stand in it: write ${{{inner.strip()}}}"
    if inner.startswith(("oc.env:", "env.", "env ")):
        return "the environment is read as ${env:NAME}, below runtime only"
    if re.search(r"[*+/]|\s-\s", inner):
        return "nothing is computed in it; write the value, or give it a name below vars"
    return ""


def interpolate(root: MapNode, findings: Findings, *, partial: bool = False) -> MapNode:
    """Resolves all references of a tree.

    Args:
        root: The composed tree.
        findings: Where errors go.
        partial: Whether the tree is a base, whose references may point to what only a child gives.

    Returns:
        The tree without references but those to the environment.
    """
    resolver = _Resolver(root, findings, partial)
    resolver.collect()
    if not resolver.references:
        return root
    before = len(findings.errors)
    resolver.cycles()
    if len(findings.errors) == before:
        resolver.sizes()
    if len(findings.errors) > before:
        return root
    names = {path: resolver.flatten(path) for path, found in resolver.references.items()}
    values = _resolve(resolver.flat)
    tree: Node = root
    for path, name in names.items():
        node = get(root, path)
        assert isinstance(node, ScalarNode)
        value = values[name]
        new = ScalarNode(node.at, value, node.text, node.plain) if not isinstance(value, (dict, list)) else None
        tree = replace(tree, path, new or from_plain(value, node.at))
    assert isinstance(tree, MapNode)
    return tree


def _resolve(flat: dict[str, Plain]) -> dict[str, Plain]:
    """Lets OmegaConf resolve a flat map of values; strings without `${` never reach it as anything but strings."""
    from omegaconf import OmegaConf

    resolved = OmegaConf.to_container(OmegaConf.create(flat), resolve=True)
    assert isinstance(resolved, dict)
    return {str(key): value for key, value in resolved.items()}


__all__ = ["has_marks", "interpolate", "to_plain"]
