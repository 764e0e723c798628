"""Text -> nodes: PyYAML's events, our scalars, and an error for everything that YAML lets slip."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import yaml

from mxspec.load.errors import Findings, Position, shown
from mxspec.load.nodes import ListNode, MapNode, Node, ScalarNode
from mxspec.load.scalars import has_leading_zero, parse_scalar
from mxspec.load.shipped import PREFIX, specs_dir

MOST_NODES = 100_000
"""Nodes of one document, aliases expanded; more is refused."""
MOST_BYTES = 8_000_000
"""Bytes of one file; more is refused, and never read."""
DEEPEST = 60
"""Levels of nesting; more is refused."""


class _Mark(Protocol):
    """What PyYAML's two kinds of marks have in common."""

    line: int
    column: int


_LOADER: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class _Stop(Exception):
    """Reading cannot go on; the findings say why."""


@dataclass(slots=True, eq=False, repr=False)
class _Reader:
    """Builds nodes from events.

    Attributes:
        file: Shown name of the file.
        findings: Where errors go.
        anchors: Anchored nodes and their expanded sizes.
        budget: Nodes that may still be made.
    """

    file: str
    findings: Findings
    events: list[yaml.Event]
    next: int = 0
    anchors: dict[str, tuple[Node, int]] = field(default_factory=dict)
    count: int = 0

    def at(self, event: yaml.Event) -> Position:
        """Where an event starts."""
        return _position(self.file, event.start_mark)

    def take(self) -> yaml.Event:
        """The next event."""
        self.next += 1
        return self.events[self.next - 1]

    def node(self, depth: int = 0) -> Node:
        """The next node, with all below it."""
        event = self.take()
        at = self.at(event)
        if depth > DEEPEST:
            self.findings.error("too-deep", f"nested deeper than {DEEPEST} levels", at=at)
            raise _Stop
        before = self.count
        self.count += 1
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                self.findings.error("unknown-alias", f"no anchor {event.anchor!r} stands before", at=at)
                return ScalarNode(at, None)
            node, size = self.anchors[event.anchor]
            self.count += size
            self._bound(at)
            return node
        self._bound(at)
        assert isinstance(event, (yaml.ScalarEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent))
        quoted = isinstance(event, yaml.ScalarEvent) and bool(event.style)
        if event.tag is not None and not (event.tag == "!" and quoted):
            self.findings.error("tag", f"tags are not read ({event.tag})", hint="write the plain value", at=at)
        match event:
            case yaml.ScalarEvent():
                node = self.scalar(event, at)
            case yaml.SequenceStartEvent():
                items: list[Node] = []
                while not isinstance(self.events[self.next], yaml.SequenceEndEvent):
                    items.append(self.node(depth + 1))
                self.take()
                node = ListNode(at, tuple(items))
            case _:
                node = self.mapping(at, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, self.count - before)
        return node

    def _bound(self, at: Position) -> None:
        if self.count > MOST_NODES:
            self.findings.error("too-large", f"more than {MOST_NODES} values, aliases expanded", at=at)
            raise _Stop

    def scalar(self, event: yaml.ScalarEvent, at: Position) -> ScalarNode:
        """A scalar's value: quoted and block scalars are strings."""
        plain = event.style is None or event.style == ""
        if not plain:
            return ScalarNode(at, event.value, event.value, plain=False)
        if has_leading_zero(event.value):
            number = event.value.lstrip("+-0") or "0"
            self.findings.error(
                "leading-zero",
                f"`{event.value}` has a leading zero",
                hint=f"write {number}, or quote it where text is meant",
                at=at,
            )
        return ScalarNode(at, parse_scalar(event.value), event.value)

    def mapping(self, at: Position, depth: int) -> MapNode:
        """A mapping; `<<` gives what the map itself does not."""
        entries: dict[str, Node] = {}
        keys: dict[str, Position] = {}
        merged: list[MapNode] = []
        merged_at: Position | None = None
        while not isinstance(self.events[self.next], yaml.MappingEndEvent):
            event = self.events[self.next]
            key_at = self.at(event)
            if not isinstance(event, yaml.ScalarEvent):
                self.findings.error("key", "a key must be text", at=key_at)
                self.node(depth + 1)
                self.node(depth + 1)
                continue
            self.take()
            if event.anchor is not None or event.tag is not None:
                self.findings.error("key", "a key carries no tag or anchor", at=key_at)
            value = self.node(depth + 1)
            if event.value == "<<" and not event.style and merged_at is None:
                merged_at = key_at
                merged += self._merged(value)
            elif event.value in keys or (event.value == "<<" and merged_at is not None and not event.style):
                first = keys.get(event.value) or merged_at or key_at
                self.findings.error(
                    "duplicate-key",
                    f"the key {event.value!r} stands twice in one map, first in line {first.line}",
                    hint="remove one of the two",
                    at=key_at,
                )
            else:
                entries[event.value], keys[event.value] = value, key_at
        self.take()
        for base in merged:
            for key, node in base.entries.items():
                if key not in entries:
                    entries[key], keys[key] = node, base.keys[key]
        return MapNode(at, entries, keys)

    def _merged(self, value: Node) -> list[MapNode]:
        several = value.items if isinstance(value, ListNode) else (value,)
        for one in several:
            if not isinstance(one, MapNode):
                self.findings.error("merge-key", "`<<` takes a map, or a list of maps", at=one.at)
        return [one for one in several if isinstance(one, MapNode)]


def _position(file: str, mark: _Mark | None) -> Position:
    """Where a mark of PyYAML's points; the start of the file where there is none."""
    return Position(file) if mark is None else Position(file, mark.line + 1, mark.column + 1)


def read_text(text: str, file: str, findings: Findings) -> MapNode | None:
    """Reads a document whose top level is a map.

    Args:
        text: The document.
        file: Name shown in errors.
        findings: Where errors go.

    Returns:
        The document, or None where it cannot be read at all.
    """
    findings.sources[file] = text
    document = _document(text, file, findings)
    if document is None:
        return None
    if not isinstance(document, MapNode):
        if isinstance(document, ScalarNode) and document.value is None:
            findings.error("empty", "the file is empty", hint="start with `language: 1`", at=Position(file))
        else:
            kind = "a list" if isinstance(document, ListNode) else "a single value"
            findings.error("top-level", f"the top level is {kind}, not a map", at=document.at)
        return None
    return document


def _document(text: str, file: str, findings: Findings) -> Node | None:
    try:
        events = list(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        at = _position(file, error.problem_mark or error.context_mark)
        line = text.splitlines()[at.line - 1 : at.line]
        tab = bool(line) and "\t" in line[0][: len(line[0]) - len(line[0].lstrip())]
        hint = "indent with spaces, not tabs" if tab or "'\\t'" in str(error.problem) else ""
        around = line[0][max(at.column - 2, 0) : at.column] if line else ""
        if not hint and around == "${":
            hint = "inside { } and [ ] a reference is quoted: '${..}'"
        elif not hint and around[1:] == "[" and around[0].isalnum():
            hint = "inside { } a path with an index is quoted: 'stages[0].steps'"
        if not hint and "expected key" in str(error.problem):
            hint = "keys of one map begin in the same column: look at the indentation of this line and those above"
        opened = error.context_mark
        if not hint and opened is not None and "flow" in str(error.context):
            hint = f"the bracket that opens in line {opened.line + 1} is not closed where this stands"
        problem = error.problem or error.context or "cannot be read as YAML"
        findings.error("yaml", f"not YAML: {problem}", hint=hint, at=at)
        return None
    except yaml.YAMLError as error:
        findings.error("yaml", f"not YAML: {str(error).splitlines()[0]}", at=Position(file))
        return None
    starts = [event for event in events if isinstance(event, yaml.DocumentStartEvent)]
    if len(starts) > 1:
        at = _position(file, starts[1].start_mark)
        findings.error("documents", "a second document begins here", hint="one file holds one document", at=at)
        return None
    if not starts:
        findings.error("empty", "the file is empty", hint="start with `language: 1`", at=Position(file))
        return None
    reader = _Reader(
        file, findings, [e for e in events if not isinstance(e, (yaml.StreamStartEvent, yaml.DocumentStartEvent))]
    )
    try:
        return reader.node()
    except _Stop:
        return None


def read_file(path: Path, findings: Findings, at: Position | None = None) -> MapNode | None:
    """Reads a spec file.

    Args:
        path: The file.
        findings: Where errors go.
        at: Where the file is named, for the errors about the file as such.

    Returns:
        The document, or None where it cannot be read.
    """
    file = shown(path)
    try:
        with path.open("rb") as stream:
            raw = stream.read(MOST_BYTES + 1)  # a device never ends
    except FileNotFoundError:
        findings.error("no-file", f"there is no file {file}", hint=shipped_hint(path), at=at or Position(file))
        return None
    except IsADirectoryError:
        findings.error("directory", f"{file} is a directory", hint="name a file in it", at=at or Position(file))
        return None
    except OSError as error:
        findings.error("unreadable", f"{file} cannot be read: {error.strerror}", at=at or Position(file))
        return None
    if len(raw) > MOST_BYTES:
        findings.error("too-large", f"{file} is longer than {MOST_BYTES:,} bytes", at=at or Position(file))
        return None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        findings.error("encoding", "not UTF-8", hint="save the file as UTF-8", at=Position(file, line, column))
        return None
    return read_text(text, file, findings)


def shipped_hint(path: Path) -> str:
    """A hint where the end of a path names a shipped file, or its beginning an address."""
    if any(part in ("http:", "https:") for part in path.parts):
        return "only files of this machine are read; download it first"
    from difflib import get_close_matches

    near = [one.name for one in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
    shipped = path.is_relative_to(specs_dir())
    if alike := get_close_matches(path.name, near, n=1, cutoff=0.7):
        within = path.parent.relative_to(specs_dir()) if shipped else Path()
        return f"did you mean '{PREFIX if shipped else ''}{(within / alike[0]).as_posix()}'?"
    for count in (2, 1):
        tail = Path(*path.parts[-count:])
        if (specs_dir() / tail).is_file():
            return f"the shipped one is called {PREFIX}{tail.as_posix()}"
    return ""


def parse_value(text: str, file: str, findings: Findings) -> Node | None:
    """Reads a value given on the command line, by the same rules as in a file."""
    findings.sources[file] = text
    before = len(findings.errors)
    if not text.strip():
        return ScalarNode(Position(file), None)
    node = _document(text, file, findings)
    return None if len(findings.errors) > before else node
