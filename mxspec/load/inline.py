"""What a spec names is put into it: prompts, scripts, benchmarks; data paths become absolute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path as FilePath

from mxspec.load.compose import Composer
from mxspec.load.content import read_content
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import ListNode, MapNode, Node, Path, ScalarNode, dotted, get, name_of, replace, walk
from mxspec.load.read import read_file
from mxspec.load.shipped import PREFIX, benchmark_names, locate, specs_dir

UNREADABLE = "pass"
"""In place of a prompt or script that could not be read, which was told: nothing more is said about it."""
BENCHMARK_KEYS = ("language", "part")


@dataclass(slots=True, eq=False, repr=False)
class Inliner:
    """Replaces references to files by what the files hold."""

    root: MapNode
    composer: Composer
    partial: bool

    def all(self) -> MapNode:
        """The tree with everything in it."""
        for path in list(self._texts()):
            self._text(path)
        for path, node in list(self._uses()):
            self._benchmark(path, node)
        self._data()
        for path in list(self._files()):
            named = get(self.root, path)
            if isinstance(named, ScalarNode):
                self._replace(path, self._located(named))
        return self.root

    def _files(self) -> Iterator[Path]:
        """Where files are named that are not put into the spec: other specs, checkpoints, demonstrations."""
        yield from ((("init", "run", "spec")), ("init", "path"))
        roles, stages = self.root.entries.get("roles"), self.root.entries.get("stages")
        if isinstance(roles, MapNode):
            yield from (("roles", role, "model", "run", "spec") for role in roles.entries)
        if isinstance(stages, ListNode):
            yield from (("stages", index, "data", "file") for index in range(len(stages.items)))

    def _texts(self) -> Iterator[Path]:
        roles = self.root.entries.get("roles")
        if isinstance(roles, MapNode):
            yield from (("roles", role, "prompt") for role in roles.entries)
        yield from (("structure",), ("structure", "start"))
        evaluations = self.root.entries.get("evaluate")
        if isinstance(evaluations, MapNode):
            yield from (("evaluate", name, "structure") for name in evaluations.entries)

    def _text(self, path: Path) -> None:
        owner = get(self.root, path)
        if not isinstance(owner, MapNode):
            return
        named = owner.entries.get("file")
        if not isinstance(named, ScalarNode) or not isinstance(named.value, str):
            return
        where = f"{dotted(self.root, path)}.file"
        findings = self.composer.findings
        if "text" in owner.entries:
            findings.error(
                "file-and-text", "both `file` and `text` are given", hint="keep one", path=where, at=named.at
            )
            return
        text = read_content(named, where, self.composer)
        text = UNREADABLE if text is None else text
        key_at = owner.keys["file"]
        new = owner.without("file").put("text", ScalarNode(named.at, text, text, plain=False), key_at)
        self._replace(path, new)

    def _replace(self, path: Path, new: Node) -> None:
        tree = replace(self.root, path, new)
        assert isinstance(tree, MapNode)
        self.root = tree

    def _uses(self) -> Iterator[tuple[Path, ScalarNode]]:
        for start in ("questions", "evaluate", "stages"):
            node = self.root.entries.get(start)
            if node is None:
                continue
            for path, one in walk(node, (start,)):
                if path[-1] == "use" and isinstance(one, ScalarNode) and isinstance(one.value, str):
                    yield path, one

    def _benchmark(self, path: Path, node: ScalarNode) -> None:
        name = str(node.value)
        declared = self.root.entries.get("benchmarks")
        if declared is not None and not isinstance(declared, MapNode):
            return
        known = list(declared.entries) if declared else []
        if name in known:
            return
        shipped = benchmark_names()
        if name not in shipped:
            registered = sorted({*known, *shipped})
            hint = did_you_mean(name, registered) or f"there is {', '.join(registered)}"
            where = dotted(self.root, path)
            self.composer.findings.error(
                "unknown-benchmark", f"no benchmark {name!r}", hint=hint, path=where, at=node.at
            )
            return
        benchmark = read_file(specs_dir() / "benchmarks" / f"{name}.yaml", self.composer.findings, node.at)
        if benchmark is not None:
            self.composer.directories[benchmark.at.file] = specs_dir() / "benchmarks"
            owner = declared or MapNode(node.at)
            entry = benchmark.without(*BENCHMARK_KEYS)
            self._replace(("benchmarks",), owner.put(name, entry, benchmark.at))

    def _data(self) -> None:
        data = get(self.root, ("runtime", "data"))
        if not isinstance(data, MapNode):
            return
        for name, node in data.entries.items():
            if isinstance(node, ListNode):
                items = tuple(self._located(item) for item in node.items)
                self._replace(("runtime", "data", name), ListNode(node.at, items))

    def _located(self, node: Node) -> Node:
        """A candidate path made absolute; one that names the environment waits for the worker."""
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            return node
        if node.value.startswith("${env:") or (
            FilePath(node.value).is_absolute() and not node.value.startswith(PREFIX)
        ):
            return node
        return ScalarNode(node.at, str(locate(node.value, self.composer.directory(node.at))), node.text, plain=False)


def inline(root: MapNode, composer: Composer, *, partial: bool = False) -> MapNode:
    """Puts what a tree names into it.

    Args:
        root: A resolved tree.
        composer: Knows the directory of every file, and where errors go.
        partial: Whether the tree is a base.
    """
    return Inliner(root, composer, partial).all()


__all__ = ["inline", "name_of"]
