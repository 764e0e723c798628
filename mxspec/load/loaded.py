"""A spec file -> everything that later parts need: the models, the plain tree, the origins, the arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from mxspec.load.checks import check
from mxspec.load.compose import DIRECTIVES, Composer, Dropped
from mxspec.load.errors import Diagnostic, Findings, Position, did_you_mean, shown
from mxspec.load.inline import inline
from mxspec.load.interpolate import interpolate, targets
from mxspec.load.nodes import MapNode, Node, Path, Plain, ScalarNode, dotted, get, remove, to_plain, walk
from mxspec.load.paths import NoSuchPath, look_up, parse_path, plain_leaves, put
from mxspec.load.pause import collection_paused
from mxspec.load.points import MAIN, Change, Point, excluded, points_of
from mxspec.load.read import parse_value
from mxspec.load.shipped import locate
from mxspec.load.shorthand import write_out
from mxspec.load.validate import validate
from mxspec.spec import Spec
from mxspec.spec.benchmark import Benchmark
from mxspec.spec.sweep import Sweep

if TYPE_CHECKING:
    from mxspec.load.patch import Patcher

FIXED = ("sweep", "seed", "name", "notes", "language", "plugins")
"""What no arm changes: it would not be another cell."""
NOT_STAGED = (*FIXED, "vars", "numerics", "policy", "structure", "benchmarks", "stages", "evaluate", "init", "runtime")
"""What no stage sets for its time."""
MOST_TOLD = 20
"""Points of a sweep whose errors are told; what is wrong with one is often wrong with all."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One point of a sweep.

    Attributes:
        name: Its name; `main` where there is no sweep.
        arm: The declared arm that it is a point of.
        changes: Path -> value, as declared.
        spec: The spec with the changes made, without `sweep`.
        tree: The same as plain data.
    """

    name: str
    arm: str
    changes: Mapping[str, Plain]
    spec: Spec
    tree: dict[str, Plain]


@dataclass(frozen=True, slots=True)
class Pruned:
    """An inherited part that nothing reads, left out."""

    path: str
    origin: Position
    why: str

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.path}: left out ({self.why}); it stands in {self.origin}"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A spec that was read, resolved and checked.

    Attributes:
        path: The file.
        spec: The spec, self-contained; `sweep` included.
        tree: The same as plain data, with what was left out left out.
        origins: Dotted path of a leaf -> where its value stands.
        arms: The points of the sweep, the baseline first.
        warnings: What is worth knowing and no error.
        dropped: Inherited list items that later files replaced.
        pruned: Inherited parts that nothing reads.
        files: Every file that was read: `spec`, or `content` for prompts and scripts.
        part: `base` or `benchmark` for such a file (then there are no spec and no arms).
        reseeded: An arm's spec with another seed.
    """

    path: FilePath
    spec: Spec | None
    tree: dict[str, Plain]
    origins: Mapping[str, Position]
    arms: tuple[Arm, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    pruned: tuple[Pruned, ...] = ()
    files: Mapping[FilePath, str] = field(default_factory=dict)
    part: str | None = None
    reseeded: Callable[[Arm, int], Spec] = field(default=lambda arm, seed: _with_seed(arm.spec, seed), repr=False)

    @property
    def base_dir(self) -> FilePath:
        """Directory of the file, which relative paths of the worker's start from."""
        return self.path.parent

    @property
    def whole(self) -> Spec:
        """The spec of a file that is one.

        Raises:
            ValueError: The file is a base or a benchmark.
        """
        if self.spec is None:
            raise ValueError(f"{self.path} holds a {self.part}, not a whole spec")
        return self.spec


def _with_seed(spec: Spec, seed: int) -> Spec:
    return spec.model_copy(update={"seed": seed})


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


class _LeftOut(Exception):
    """A point that the sweep excludes."""


_LeaveOut = Callable[["Point", Plain], None]


def _kind_of(one: Diagnostic) -> tuple[object, ...]:
    """What two points have wrong alike: an unknown path, or a fault at one place."""
    nowhere = one.code in ("unknown-key", "no-such-path", "unknown-kind")
    return (one.code, one.path) if nowhere else (one.code, one.path, one.at)


@dataclass(slots=True)
class _Loading:
    path: FilePath
    sets: Sequence[str]
    trust: bool = False
    findings: Findings = field(default_factory=Findings)
    composer: Composer = field(init=False)
    model: type[Spec] = Spec
    used: set[Path] = field(default_factory=set)

    def load(self) -> Loaded:
        """All steps in order."""
        self.composer = Composer(self.findings)
        root = self.composer.file(self.path)
        self.findings.stop()
        assert root is not None
        part = root.entries.get("part")
        if part is not None:
            return self._part(root, part)
        root = self._set(root, self._command_line())
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
            arms = tuple(_read_by(arm) for arm in arms)
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
        )

    def _plugged(self, root: MapNode) -> MapNode:
        """The tree with the code of its plugins in it; the language takes their kinds from here on."""
        if "plugins" not in root.entries:
            return root
        from mxspec.load.plugins import load_plugins  # only specs with plugins need it

        root, self.model = load_plugins(root, self.composer, trust=self.trust)
        return root

    def _points(self, root: MapNode) -> tuple[MapNode, Spec, tuple[Arm, ...]]:
        """The resolved tree, the spec, and all points of its sweep, checked."""
        whole = self._resolve(root)
        spec = self._checked(whole)
        self.findings.stop()
        assert spec is not None
        arms = self._arms(root, whole, spec)
        self.findings.stop()
        return whole, spec, arms

    def _checked(self, whole: MapNode) -> Spec | None:
        """The spec in a resolved tree, if it is right; also as each of its stages changes it."""
        spec = validate(whole, self.model, self.findings)
        if spec is None:
            return None
        check(spec, whole, self.findings)
        for stage in spec.stages:
            if stage.set:
                self._staged(whole, stage.name)
        return spec

    def _staged(self, whole: MapNode, name: str) -> None:
        before = len(self.findings.errors)
        changes = get(whole, ("stages", name, "set"))
        assert isinstance(changes, MapNode)
        changed = self._set(whole, _changes(changes), NOT_STAGED, f"stage {name!r} sets")
        if len(self.findings.errors) == before:
            spec = validate(changed, self.model, self.findings)
            if spec is not None:
                check(spec, changed, self.findings)
        told = {(one.code, one.path) for one in self.findings.errors[:before]}
        self.findings.errors[before:] = [
            one for one in self.findings.errors[before:] if (one.code, one.path) not in told
        ]
        self._label(before, f"as the stage {name!r} sets it")

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

    def _unused_vars(self, whole: MapNode) -> None:
        """Warns of names that no reference leads to: they change nothing."""
        declared = whole.entries.get("vars")
        if not isinstance(declared, MapNode) or declared.at.file != shown(self.path):
            return
        for name in declared.entries:
            if ("vars", name) not in self.used and declared.keys[name].file == shown(self.path):
                at, where = declared.keys[name], f"vars.{name}"
                hint = f"write ${{vars.{name}}} where it is meant, or remove it"
                self.findings.warn("unread", "no reference leads to it", hint=hint, path=where, at=at)

    def _resolve(self, root: MapNode) -> MapNode:
        sweep, rest = root.entries.get("sweep"), root.without("sweep")
        self.used |= {target[:2] for target in targets(root)}
        resolved = inline(write_out(interpolate(rest, self.findings)), self.composer)
        return resolved if sweep is None else resolved.put("sweep", sweep, root.keys["sweep"])

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

    def _set(self, root: MapNode, changes: Sequence[Change], fixed: tuple[str, ...] = (), label: str = "") -> MapNode:
        for one in changes:
            try:
                path = parse_path(one.path)
                if path[0] in DIRECTIVES:
                    raise NoSuchPath(f"{path[0]!r} is said in files only", "write a file that extends this one")
                if path[0] in fixed:
                    raise NoSuchPath(f"{path[0]!r} is not changed here", "")
                changed = put(root, path, one.node)
            except NoSuchPath as error:
                message = f"{label}: {error.message}" if label else error.message
                self.findings.error("no-such-path", message, hint=error.hint, path=one.path, at=one.at)
                continue
            assert isinstance(changed, MapNode)
            root = changed
        return root

    def _arms(self, root: MapNode, whole: MapNode, spec: Spec) -> tuple[Arm, ...]:
        if spec.sweep is None:
            tree = to_plain(whole)
            assert isinstance(tree, dict)
            return (Arm(MAIN, MAIN, {}, spec, tree),)
        from mxspec.load.patch import Patcher  # only sweeps need it

        sweep = root.entries["sweep"]
        assert isinstance(sweep, MapNode)
        rest = root.without("sweep")
        plain = to_plain(whole.without("sweep"))
        assert isinstance(plain, dict)
        patcher = Patcher(rest, whole.without("sweep"), plain, spec.model_copy(update={"sweep": None}))
        arms: list[Arm] = []
        matched: set[int] = set()
        told: set[tuple[object, ...]] = set()
        wrong = 0

        def leave_out(point: Point, tree: Plain) -> None:
            rule = excluded(point, tree, spec.sweep) if spec.sweep is not None else None
            if rule is not None:
                matched.add(rule)
                raise _LeftOut

        for point in points_of(sweep, spec.sweep, rest, self.findings):
            before = len(self.findings.errors)
            try:
                arm = self._patch(patcher, point, leave_out) or self._arm(rest, point, leave_out)
            except _LeftOut:
                del self.findings.errors[before:]
                continue
            if arm is not None:
                arms.append(arm)
                continue
            new = [one for one in self.findings.errors[before:] if _kind_of(one) not in told]
            told |= {_kind_of(one) for one in new}
            self.findings.errors[before:] = new
            wrong += 1
            if wrong == MOST_TOLD:
                break
        self._exclusions(sweep, spec.sweep, matched, [plain, *(arm.tree for arm in arms[:MOST_TOLD])])
        if not arms and not self.findings.errors:
            self.findings.error("no-points", "the sweep excludes all of its points", path="sweep", at=sweep.at)
        baseline = spec.sweep.baseline
        if arms and baseline not in (None, arms[0].arm) and not self.findings.errors:
            message = f"the sweep excludes every point of its baseline {baseline!r}"
            self.findings.error("baseline", message, hint="compare with another arm", path="sweep", at=sweep.at)
        return tuple(arms)

    def _exclusions(self, sweep: MapNode, declared: Sweep, matched: set[int], trees: Sequence[Plain]) -> None:
        """Exclusions that left nothing out: a path that is nowhere is an error, a value that no point has a warning."""
        for index, rule in enumerate(declared.exclude):
            owner = get(sweep, ("exclude", index))
            if index in matched or self.findings.errors or not isinstance(owner, MapNode):
                continue
            where = f"sweep.exclude[{index}]"
            unknown = [path for path in rule.model_extra or {} if all(look_up(tree, path) is None for tree in trees)]
            for path in unknown:
                close = did_you_mean(path, plain_leaves(trees[0]))
                self.findings.error(
                    "no-such-path", f"no point has {path!r}", hint=close, path=f"{where}.{path}", at=owner.keys[path]
                )
            if not unknown:
                self.findings.warn("matches-nothing", "it leaves no point out", path=where, at=owner.at)

    def _patch(self, patcher: Patcher, point: Point, leave_out: _LeaveOut) -> Arm | None:
        """The short way to a point; None where there is none, or something is wrong with it."""
        found = None if any(stage.set for stage in patcher.spec.stages) else patcher.patched(point.changes)
        if found is None:
            return None
        tree, plain, spec = found
        leave_out(point, plain)
        findings = Findings()
        check(spec, tree, findings)
        if findings.errors:
            return None
        self.findings.warnings += findings.warnings
        return Arm(point.name, point.arm, {one.path: to_plain(one.node) for one in point.changes}, spec, plain)

    def _arm(self, root: MapNode, point: Point, leave_out: _LeaveOut) -> Arm | None:
        before = len(self.findings.errors)
        root = self._set(root, point.changes, FIXED, point.label)
        if len(self.findings.errors) > before:
            return None
        whole = self._resolve(root)
        tree = to_plain(whole)
        assert isinstance(tree, dict)
        leave_out(point, tree)
        spec = self._checked(whole)
        self._label(before, point.label)
        if spec is None or len(self.findings.errors) > before:
            return None
        return Arm(point.name, point.arm, {one.path: to_plain(one.node) for one in point.changes}, spec, tree)

    def _label(self, before: int, label: str) -> None:
        """Says in the errors found since `before` what they are about."""
        for index in range(before, len(self.findings.errors)):
            one = self.findings.errors[index]
            message = one.message if one.message.startswith(label) else f"{label}: {one.message}"
            self.findings.errors[index] = Diagnostic(one.code, message, one.hint, one.path, one.at, one.severity)

    def _reseeder(self, root: MapNode) -> Callable[[Arm, int], Spec]:
        """Seeds are set on the model, unless something refers to the seed."""
        if ("seed",) not in targets(root):
            return lambda arm, seed: _with_seed(arm.spec, seed)
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
            validate(resolved, self.model, self.findings, partial=True)
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


def _read_by(arm: Arm) -> Arm:
    """A point without what it does not read, though other points may: written and loaded it is the same."""
    from mxspec.load.checks.unread import without_unread

    spec, gone = without_unread(arm.spec)
    if not gone:
        return arm
    tree: Plain = arm.tree
    for path in gone:
        tree = _without(tree, path)
    assert isinstance(tree, dict)
    return replace(arm, spec=spec, tree=tree)


def _without(tree: Plain, path: Path) -> Plain:
    if isinstance(tree, list):
        named = (isinstance(one, dict) and one.get("name") == path[0] for one in tree)
        return [_without(one, path[1:]) if meant else one for one, meant in zip(tree, named, strict=True)]
    if not isinstance(tree, dict) or path[0] not in tree:
        return tree
    key = str(path[0])
    if len(path) == 1:
        return {name: one for name, one in tree.items() if name != key}
    return {**tree, key: _without(tree[key], path[1:])}


def _changes(node: MapNode) -> tuple[Change, ...]:
    return tuple(Change(path, value, node.keys[path]) for path, value in node.entries.items())


def origins_of(root: MapNode) -> dict[str, Position]:
    """Dotted path of every leaf -> where its value stands."""
    return {dotted(root, path): node.at for path, node in walk(root) if isinstance(node, ScalarNode)}
