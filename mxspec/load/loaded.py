"""A spec file -> everything that later parts need: the models, the plain tree, the origins, the arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mxspec.load.compose import Composer, Dropped
from mxspec.load.errors import Diagnostic, Findings, Position
from mxspec.load.inline import inline
from mxspec.load.interpolate import has_marks, interpolate
from mxspec.load.nodes import MapNode, Node, Plain, ScalarNode, dotted, to_plain, walk
from mxspec.load.paths import NoSuchPath, parse_path, put
from mxspec.load.read import parse_value
from mxspec.load.shipped import locate
from mxspec.load.validate import validate
from mxspec.spec import Spec
from mxspec.spec.benchmark import Benchmark

MAIN = "main"
"""The arm of a spec without a sweep."""

Changes = tuple[tuple[str, Node, Position], ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm of a sweep.

    Attributes:
        name: Its name; `main` where there is no sweep.
        changes: Path -> value, as declared.
        spec: The spec with the changes made, without `sweep`.
        tree: The same as plain data.
    """

    name: str
    changes: Mapping[str, Plain]
    spec: Spec
    tree: dict[str, Plain]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A spec that was read, resolved and checked.

    Attributes:
        path: The file.
        spec: The spec, self-contained; `sweep` included.
        tree: The same as plain data, with what was left out left out.
        origins: Dotted path of a leaf -> where its value stands.
        arms: The arms, the baseline first.
        warnings: What is worth knowing and no error.
        dropped: Inherited list items that later files replaced.
        part: `base` or `benchmark` for such a file (then there are no spec and no arms).
        reseeded: An arm's spec with another seed.
    """

    path: Path
    spec: Spec | None
    tree: dict[str, Plain]
    origins: Mapping[str, Position]
    arms: tuple[Arm, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    part: str | None = None
    reseeded: Callable[[Arm, int], Spec] = field(default=lambda arm, seed: _with_seed(arm.spec, seed), repr=False)

    @property
    def base_dir(self) -> Path:
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


def load_spec(path: Path | str, *, sets: Sequence[str] = ()) -> Loaded:
    """Reads, composes, resolves and checks a spec with all its arms.

    Args:
        path: The file; `mxspec:<path>` for one that is shipped.
        sets: Changes as `path=value`, by the rules of the file's own values.

    Raises:
        SpecErrors: Everything that is wrong, at once.
    """
    return _Loading(locate(str(path), Path.cwd()), sets).load()


@dataclass(slots=True)
class _Loading:
    path: Path
    sets: Sequence[str]
    findings: Findings = field(default_factory=Findings)
    composer: Composer = field(init=False)

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
        sweep = root.entries.get("sweep")
        whole = self._resolve(root)
        spec = validate(whole, Spec, self.findings)
        if spec is not None:
            self._check(spec, whole)
        self.findings.stop()
        assert spec is not None
        arms = self._arms(root, whole, spec, sweep)
        self.findings.stop()
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
            reseeded=self._reseeder(root),
        )

    def _resolve(self, root: MapNode) -> MapNode:
        sweep, rest = root.entries.get("sweep"), root.without("sweep")
        resolved = inline(interpolate(rest, self.findings), self.composer)
        return resolved if sweep is None else resolved.put("sweep", sweep, root.keys["sweep"])

    def _check(self, spec: Spec, root: MapNode) -> None:
        from mxspec.load.checks import check

        check(spec, root, self.findings)

    def _command_line(self) -> Changes:
        changes: list[tuple[str, Node, Position]] = []
        for text in self.sets:
            path, equals, value = text.partition("=")
            file = f"--set {path.strip()}"
            if not equals:
                self.findings.error("set", f"{text!r} is no change", hint="write PATH=VALUE", at=Position("--set"))
                continue
            node = parse_value(value, file, self.findings)
            self.composer.directories[file] = Path.cwd()
            if node is not None:
                changes.append((path.strip(), node, Position(file)))
        return tuple(changes)

    def _set(self, root: MapNode, changes: Changes, arm: str = "") -> MapNode:
        for text, node, at in changes:
            try:
                path = parse_path(text)
                if arm and path[0] in ("sweep", "seed", "name", "vars", "notes", "language"):
                    raise NoSuchPath(f"an arm does not change {path[0]!r}", "it would not be another cell")
                changed = put(root, path, node)
            except NoSuchPath as error:
                message = f"arm {arm!r}: {error.message}" if arm else error.message
                self.findings.error("no-such-path", message, hint=error.hint, path=text, at=at)
                continue
            assert isinstance(changed, MapNode)
            root = changed
        return root

    def _arms(self, root: MapNode, whole: MapNode, spec: Spec, sweep: Node | None) -> tuple[Arm, ...]:
        if spec.sweep is None:
            tree = to_plain(whole)
            assert isinstance(tree, dict)
            return (Arm(MAIN, {}, spec, tree),)
        assert isinstance(sweep, MapNode)
        declared = sweep.entries["arms"]
        assert isinstance(declared, MapNode)
        arms: list[Arm] = []
        for name, changes in declared.entries.items():
            assert isinstance(changes, MapNode)
            arm = self._arm(root.without("sweep"), name, changes)
            if arm is not None:
                arms.append(arm)
        return tuple(sorted(arms, key=lambda arm: arm.name != spec.sweep.baseline if spec.sweep else False))

    def _arm(self, root: MapNode, name: str, changes: MapNode) -> Arm | None:
        before = len(self.findings.errors)
        declared = tuple((path, node, changes.keys[path]) for path, node in changes.entries.items())
        root = self._set(root, declared, name)
        if len(self.findings.errors) > before:
            return None
        whole = self._resolve(root)
        spec = validate(whole, Spec, self.findings)
        if spec is None:
            self._name_arm(before, name)
            return None
        self._check(spec, whole)
        self._name_arm(before, name)
        tree = to_plain(whole)
        assert isinstance(tree, dict)
        return Arm(name, {path: to_plain(node) for path, node, _ in declared}, spec, tree)

    def _name_arm(self, before: int, name: str) -> None:
        for index in range(before, len(self.findings.errors)):
            one = self.findings.errors[index]
            message = f"arm {name!r}: {one.message}"
            self.findings.errors[index] = Diagnostic(one.code, message, one.hint, one.path, one.at, one.severity)

    def _reseeder(self, root: MapNode) -> Callable[[Arm, int], Spec]:
        """Seeds are set on the model, unless something refers to the seed."""
        if not any(has_marks(path, node) for path, node in walk(root)):
            return lambda arm, seed: _with_seed(arm.spec, seed)

        def reseed(arm: Arm, seed: int) -> Spec:
            loading = _Loading(self.path, (*self.sets, f"seed={seed}"))
            return next(one.spec for one in loading.load().arms if one.name == arm.name)

        return reseed

    def _part(self, root: MapNode, part: Node) -> Loaded:
        kind = part.value if isinstance(part, ScalarNode) else None
        rest = root.without("part")
        if kind == "base":
            resolved = inline(interpolate(rest, self.findings, partial=True), self.composer, partial=True)
            validate(resolved, Spec, self.findings, partial=True)
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
