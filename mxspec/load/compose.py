"""Files -> one tree: `extends` (later wins), `$unset`, `$append`, `$set`; every value keeps its origin."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mxspec.load.errors import Findings, Position, shown
from mxspec.load.nodes import ListNode, MapNode, Node, ScalarNode, remove, replace, to_plain
from mxspec.load.nodes import Path as Steps
from mxspec.load.paths import EXCLUSIVE, NoSuchPath, find, indexed, parse_path, put
from mxspec.load.read import DEEPEST, read_file
from mxspec.load.shipped import locate

NOT_INHERITED = ("sweep", "part")
DIRECTIVES = ("extends", "$unset", "$append", "$set")


@dataclass(frozen=True, slots=True)
class Dropped:
    """Inherited items that a list in a later file replaced.

    Attributes:
        path: The list.
        at: The list that replaced it.
        items: What is gone, as written.
        origin: Where the replaced list stands.
    """

    path: str
    at: Position
    items: tuple[str, ...]
    origin: Position

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.at}: {self.path}: dropped {', '.join(self.items)} of {self.origin}"


@dataclass(slots=True, eq=False, repr=False)
class Composer:
    """Reads a file and all that it extends.

    Attributes:
        findings: Where errors go.
        directories: Shown name of a file -> the directory that its relative paths start from.
        files: Every file read: `spec`, or `content` for a prompt or script that was put into the spec.
        dropped: Inherited list items that are gone.
    """

    findings: Findings
    directories: dict[str, Path] = field(default_factory=dict)
    files: dict[Path, str] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)

    def directory(self, at: Position) -> Path:
        """Where relative paths that stand at a position start from."""
        return self.directories.get(at.file, Path.cwd())

    def file(self, path: Path, chain: tuple[Path, ...] = (), at: Position | None = None) -> MapNode | None:
        """The tree of a file, composed with all that it extends; None where it cannot be read."""
        if path in chain:
            cycle = " -> ".join(shown(one) for one in (*chain[chain.index(path) :], path))
            self.findings.error("extends-cycle", f"the files extend each other: {cycle}", at=at)
            return None
        if len(chain) > DEEPEST:
            self.findings.error("too-deep", f"more than {DEEPEST} files extend one another", at=at)
            return None
        root = read_file(path, self.findings, at)
        if root is None:
            return None
        self.directories[shown(path)] = path.parent
        self.files[path] = "spec"
        base = MapNode(root.at)
        for reference in self._extends(root):
            source = locate(str(reference.value), path.parent)
            inherited = self.file(source, (*chain, path), reference.at)
            if inherited is None:
                continue
            if _plain(inherited, "part") == "benchmark":
                self.findings.error("extends", f"{shown(source)} is a benchmark, not a base", at=reference.at)
                continue
            self._left_sweep(inherited, root, reference.at)
            base = self.merge(base, inherited.without(*NOT_INHERITED))
        base = self._set(root, self._append(root, self._unset(root, base)))
        return self.merge(base, root.without(*DIRECTIVES))

    def _extends(self, root: MapNode) -> list[ScalarNode]:
        node = root.entries.get("extends")
        several = node.items if isinstance(node, ListNode) else () if node is None else (node,)
        found: list[ScalarNode] = []
        for one in several:
            if isinstance(one, ScalarNode) and isinstance(one.value, str):
                found.append(one)
            else:
                self.findings.error("extends", "`extends` takes a path, or a list of paths", path="extends", at=one.at)
        return found

    def _unset(self, root: MapNode, base: MapNode) -> MapNode:
        node = root.entries.get("$unset")
        several = node.items if isinstance(node, ListNode) else () if node is None else (node,)
        for one in several:
            try:
                path = parse_path(str(one.value) if isinstance(one, ScalarNode) else "")
                find(base, path)
            except NoSuchPath as error:
                self.findings.error(
                    "unset", f"nothing to unset: {error.message}", hint=error.hint, path="$unset", at=one.at
                )
                continue
            removed = remove(base, path)
            assert isinstance(removed, MapNode)
            base = removed
        return base

    def _append(self, root: MapNode, base: MapNode) -> MapNode:
        node = root.entries.get("$append")
        if node is None:
            return base
        if not isinstance(node, MapNode):
            self.findings.error("append", "`$append` takes a map of path: list", path="$append", at=node.at)
            return base
        for text, more in node.entries.items():
            at = node.keys[text]
            try:
                path = parse_path(text)
                old = find(base, path)
            except NoSuchPath as error:
                part = text.partition(".")[0]
                own = part not in base.entries and (part in root.entries or part in ("sweep", "vars", "plugins"))
                hint = f"nothing inherited has {text}: write it out below `{part}:`" if own else error.hint
                message = f"nothing to append to: {error.message}"
                self.findings.error("append", message, hint=hint, path="$append", at=at)
                continue
            if not isinstance(old, ListNode) or not isinstance(more, ListNode):
                self.findings.error("append", f"{text} and what is appended must be lists", path="$append", at=at)
                continue
            longer = replace(base, path, ListNode(old.at, (*old.items, *more.items)))
            assert isinstance(longer, MapNode)
            base = longer
        return base

    def _set(self, root: MapNode, base: MapNode) -> MapNode:
        """Values within what is inherited, by path: the way to one value of an inherited list."""
        node = root.entries.get("$set")
        if node is None:
            return base
        if not isinstance(node, MapNode):
            self.findings.error("set", "`$set` takes a map of path: value", path="$set", at=node.at)
            return base
        given: dict[Steps, str] = {}
        for text, value in node.entries.items():
            try:
                path = parse_path(text)
                same = given.setdefault(indexed(base, path), text)
                if same != text:
                    raise NoSuchPath(f"{same!r} is the same value and is set beside it", "set it once")
                if path[0] in (*DIRECTIVES, *NOT_INHERITED):
                    raise NoSuchPath(f"{path[0]!r} is not inherited", f"write {path[0]} itself")
                changed = put(base, path, value)
            except NoSuchPath as error:
                self.findings.error("no-such-path", error.message, hint=error.hint, path=text, at=node.keys[text])
                continue
            assert isinstance(changed, MapNode)
            base = changed
        return base

    def merge(self, base: MapNode, over: MapNode, path: str = "") -> MapNode:
        """Lays a map over another: maps merge, all else replaces, a changed `kind` replaces its map."""
        entries, keys = dict(base.entries), dict(base.keys)
        for key, node in over.entries.items():
            old = entries.get(key)
            where = f"{path}.{key}" if path else key
            if isinstance(old, MapNode) and isinstance(node, MapNode) and not _kind_changes(old, node):
                entries[key] = self.merge(old, node, where)
            else:
                if isinstance(old, ListNode) and isinstance(node, ListNode):
                    self._note(old, node, where)
                entries[key] = node
            keys[key] = over.keys[key]
            if EXCLUSIVE.get(key) in entries and EXCLUSIVE[key] not in over.entries:
                del entries[EXCLUSIVE[key]], keys[EXCLUSIVE[key]]
        return MapNode(over.at, entries, keys)

    def _left_sweep(self, inherited: MapNode, root: MapNode, at: Position) -> None:
        """Says that a sweep stays behind, which is not inherited."""
        sweep = inherited.entries.get("sweep")
        if isinstance(sweep, MapNode) and "sweep" not in root.entries and sweep.entries:
            arms = sweep.entries.get("arms")
            names = tuple(arms.entries) if isinstance(arms, MapNode) else tuple(sweep.entries)
            self.dropped.append(Dropped("sweep", at, names, sweep.at))

    def _note(self, old: ListNode, new: ListNode, path: str) -> None:
        kept = [to_plain(item) for item in new.items]
        gone = tuple(_brief(item) for item in old.items if to_plain(item) not in kept)
        if gone:
            self.dropped.append(Dropped(path, new.at, gone, old.at))


def _kind_changes(old: MapNode, new: MapNode) -> bool:
    kind = _plain(new, "kind")
    return kind is not None and kind != _plain(old, "kind")


def _plain(node: MapNode, key: str) -> object:
    value = node.entries.get(key)
    return value.value if isinstance(value, ScalarNode) else None


def _brief(node: Node) -> str:
    if isinstance(node, ScalarNode):
        return node.text
    if isinstance(node, MapNode):
        for key in ("name", "use", "kind"):
            value = _plain(node, key)
            if value is not None:
                return str(value)
    return "an item"
