"""A spec file -> what loading gives: composed, resolved, validated, checked, its sweep made into arms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path as FilePath

from mxspec.load.compose import Composer
from mxspec.load.errors import Findings, Position, shown
from mxspec.load.inline import inline
from mxspec.load.interpolate import interpolate, targets
from mxspec.load.loaded import Arm, Loaded, Pruned, with_seed
from mxspec.load.nodes import ListNode, MapNode, Node, ScalarNode, dotted, get, remove, to_plain, walk
from mxspec.load.paths import parse_path
from mxspec.load.pause import collection_paused
from mxspec.load.point import MAIN, Change
from mxspec.load.read import parse_value
from mxspec.load.shipped import locate
from mxspec.load.shorthand import write_out
from mxspec.load.steps import Steps
from mxspec.load.validate import validate
from mxspec.spec import Spec
from mxspec.spec.benchmark import Benchmark


@collection_paused()
def load_spec(path: FilePath | str, *, sets: Sequence[str] = (), trust: bool = False) -> Loaded:
    """Reads, composes, resolves and checks a spec with all its arms.

    Args:
        path: The file; `mxspec:<path>` for one that is shipped.
        sets: Changes as `path=value`, by the rules of the file's own values.
        trust: Whether the code of its plugins is trusted, now and later.

    Raises:
        SpecErrors: Everything that is wrong, at once.
    """
    return _Loading(locate(str(path), FilePath.cwd()), sets, trust).load()


@dataclass(slots=True, eq=False, repr=False)
class _Loading:
    path: FilePath
    sets: Sequence[str]
    trust: bool = False
    findings: Findings = field(default_factory=Findings)
    composer: Composer = field(init=False)
    steps: Steps = field(init=False)
    changes: tuple[Change, ...] = ()

    def load(self) -> Loaded:
        """All steps in order."""
        self.composer = Composer(self.findings)
        self.steps = Steps(self.composer, self.findings)
        root = self.composer.file(self.path)
        self.findings.stop()
        assert root is not None
        part = root.entries.get("part")
        if part is not None:
            return self._part(root, part)
        self.changes = self._command_line()
        root = self.steps.set(root, self.changes)
        self.findings.stop()
        root = self._plugged(root)
        before = tuple(self.findings.warnings)
        whole, spec, arms = self._points(root)
        pruned = self._prune([spec, *(arm.spec for arm in arms)], whole)
        self.findings.stop()
        if pruned:
            for one in pruned:
                changed = remove(root, parse_path(one.path))
                assert isinstance(changed, MapNode)
                root = changed
            self.findings.warnings[:] = before
            whole, spec, arms = self._points(root)
        if spec.sweep is not None:
            from mxspec.load.arms import read_by

            arms = tuple(read_by(arm) for arm in arms)
        self._unused_vars(whole)
        tree = to_plain(whole)
        assert isinstance(tree, dict)
        return Loaded(
            path=self.path,
            spec=spec,
            tree=tree,
            origins=origins_of(whole),
            arms=arms,
            warnings=tuple(dict.fromkeys(self.findings.warnings)),
            dropped=tuple(self.composer.dropped),
            pruned=pruned,
            files=dict(self.composer.files),
            reseeded=self._reseeder(root),
            origins_of=partial(self._origins_of, root, spec, whole),
        )

    def _plugged(self, root: MapNode) -> MapNode:
        """The tree with the code of its plugins in it; the language takes their kinds from here on."""
        declared = root.entries.get("plugins")
        if declared is None or (isinstance(declared, ListNode) and not declared.items):
            return root
        from mxspec.load.plugins import load_plugins  # only specs with plugins need it

        root, self.steps.model = load_plugins(root, self.composer, trust=self.trust)
        return root

    def _points(self, root: MapNode) -> tuple[MapNode, Spec, tuple[Arm, ...]]:
        """The resolved tree, the spec, and all points of its sweep, checked."""
        whole = self.steps.resolve(root)
        spec = self.steps.checked(whole)
        self.steps.blame(0, self.changes)
        self._sets()
        self.findings.stop()
        assert spec is not None
        if spec.sweep is None:
            tree = to_plain(whole)
            assert isinstance(tree, dict)
            return whole, spec, (Arm(MAIN, MAIN, {}, spec, tree),)
        from mxspec.load.arms import arms_of  # only sweeps need it

        arms = arms_of(self.steps, root, whole, spec)
        self.findings.stop()
        return whole, spec, arms

    def _prune(self, specs: Sequence[Spec], whole: MapNode) -> tuple[Pruned, ...]:
        """Finds what nothing reads in any point: an error where this file says it, left out where it is inherited."""
        from mxspec.load.checks.unread import unread

        found = [dict(unread(spec)) for spec in specs]
        here = "--set" if self.sets else shown(self.path)  # --set changes what a file is read for
        pruned: list[Pruned] = []
        for path, why in found[0].items():
            if not all(path in other for other in found[1:]) or get(whole, path) is None:
                continue
            node, owner = get(whole, path), get(whole, path[:-1])
            assert node is not None and isinstance(owner, MapNode)
            at, where = owner.keys[str(path[-1])], dotted(whole, path)
            files = {inner.at.file for _, inner in walk(node)} | {at.file}
            if any(file == here or file.startswith("--set ") for file in files):
                self.findings.error("unread", f"nothing reads it: {why}", hint="remove it", path=where, at=at)
            elif path[0] != "benchmarks":  # an inherited one may have been put in by loading, not by a file
                pruned.append(Pruned(where, at, why))
        return tuple(pruned)

    def _sets(self) -> None:
        """Names the --set beside which a value of a file is wrong."""
        for index, one in enumerate(self.findings.errors):
            parent = one.path.rpartition(".")[0]
            near = [change.path for change in self.changes if parent and change.path.rpartition(".")[0] == parent]
            if near and one.at is not None and not one.at.file.startswith("--set"):
                self.findings.errors[index] = replace(one, message=f"{one.message} (with --set {near[0]})")

    def _unused_vars(self, whole: MapNode) -> None:
        """Warns of names that no reference leads to: they change nothing."""
        declared = whole.entries.get("vars")
        if not isinstance(declared, MapNode) or declared.at.file != shown(self.path):
            return
        for name in declared.entries:
            if ("vars", name) not in self.steps.used and declared.keys[name].file == shown(self.path):
                at, where = declared.keys[name], f"vars.{name}"
                hint = f"write ${{vars.{name}}} where it is meant, or remove it"
                self.findings.warn("unread", "no reference leads to it", hint=hint, path=where, at=at)

    def _command_line(self) -> tuple[Change, ...]:
        changes: list[Change] = []
        for text in self.sets:
            path, equals, value = text.partition("=")
            file = f"--set {path.strip()}"
            if not equals:
                self.findings.error("set", f"{text!r} is no change", hint="write PATH=VALUE", at=Position("--set"))
                continue
            node = parse_value(value, file, self.findings)
            self.composer.directories[file] = FilePath.cwd()
            if node is not None:
                changes.append(Change(path.strip(), node, Position(file)))
        return tuple(changes)

    def _origins_of(self, root: MapNode, spec: Spec, whole: MapNode, arm: Arm) -> dict[str, Position]:
        if spec.sweep is None:
            return origins_of(whole)
        from mxspec.load.arms import tree_of

        return origins_of(tree_of(self.steps, root, spec.sweep, arm))

    def _reseeder(self, root: MapNode) -> Callable[[Arm, int], Spec]:
        """Seeds are set on the model, unless something refers to the seed."""
        if ("seed",) not in targets(root):
            return lambda arm, seed: with_seed(arm.spec, seed)
        loaded: dict[int, dict[str, Spec]] = {}

        def reseed(arm: Arm, seed: int) -> Spec:
            if seed not in loaded:
                loading = _Loading(self.path, (*self.sets, f"seed={seed}"), self.trust)
                loaded[seed] = {one.name: one.spec for one in loading.load().arms}
            return loaded[seed][arm.name]

        return reseed

    def _part(self, root: MapNode, part: Node) -> Loaded:
        kind = part.value if isinstance(part, ScalarNode) else None
        rest = root.without("part")
        if kind == "base":
            rest = self._plugged(rest)
            resolved = write_out(interpolate(rest, self.findings, partial=True))
            resolved = inline(resolved, self.composer, partial=True)
            validate(resolved, self.steps.model, self.findings, partial=True)
        elif kind == "benchmark":
            resolved = rest.without("language")
            validate(resolved, Benchmark, self.findings)
        else:
            self.findings.error(
                "value", f"unknown part {kind!r}", hint="write base or benchmark", path="part", at=part.at
            )
            resolved = rest
        self.findings.stop()
        tree = to_plain(resolved)
        assert isinstance(tree, dict)
        return Loaded(self.path, None, tree, origins_of(resolved), part=str(kind), dropped=tuple(self.composer.dropped))


def origins_of(root: MapNode) -> dict[str, Position]:
    """Dotted path of every leaf -> where its value stands."""
    return {dotted(root, path): node.at for path, node in walk(root) if isinstance(node, ScalarNode)}
