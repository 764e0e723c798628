"""The points of a sweep, each made into an arm, its spec, resolved and checked like the spec itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mxspec.load.checks import check
from mxspec.load.errors import Diagnostic, Findings, did_you_mean
from mxspec.load.loaded import Arm
from mxspec.load.nodes import MapNode, Path, Plain, get, to_plain
from mxspec.load.patch import Patcher
from mxspec.load.paths import look_up, plain_leaves
from mxspec.load.point import Point
from mxspec.load.points import excluded, points_of
from mxspec.load.steps import FIXED, Steps
from mxspec.spec import Spec
from mxspec.spec.sweep import Sweep

MOST_TOLD = 20
"""Points of a sweep whose errors are told; what is wrong with one is often wrong with all."""


class _LeftOut(Exception):
    """A point that the sweep excludes."""


def arms_of(steps: Steps, root: MapNode, whole: MapNode, spec: Spec) -> tuple[Arm, ...]:
    """All arms of a spec's sweep that is not left out, the baseline's first.

    Args:
        steps: What makes a spec of a point; errors go to its findings.
        root: The composed tree, the sweep included.
        whole: The same, resolved.
        spec: The same as a model, with a sweep.
    """
    sweep, declared = root.entries["sweep"], spec.sweep
    assert isinstance(sweep, MapNode) and declared is not None
    rest, resolved = root.without("sweep"), whole.without("sweep")
    plain = to_plain(resolved)
    assert isinstance(plain, dict)
    patcher = Patcher(rest, resolved, plain, spec.model_copy(update={"sweep": None}))
    return _Arms(steps, sweep, declared, rest, plain, patcher).all()


def tree_of(steps: Steps, root: MapNode, sweep: Sweep, arm: Arm) -> MapNode:
    """The resolved tree of one arm, which knows where its values stand."""
    node, rest = root.entries["sweep"], root.without("sweep")
    assert isinstance(node, MapNode)
    point = next(one for one in points_of(node, sweep, rest, Findings()) if one.name == arm.name)
    return steps.resolve(steps.set(rest, point.changes, FIXED, point.label))


@dataclass(slots=True, eq=False, repr=False)
class _Arms:
    steps: Steps
    node: MapNode
    sweep: Sweep
    rest: MapNode
    plain: dict[str, Plain]
    patcher: Patcher
    matched: set[int] = field(default_factory=set)

    def all(self) -> tuple[Arm, ...]:
        findings = self.steps.findings
        arms: list[Arm] = []
        told: set[tuple[object, ...]] = set()
        wrong = 0
        for point in points_of(self.node, self.sweep, self.rest, findings):
            before = len(findings.errors)
            try:
                arm = self._patched(point) or self._anew(point)
            except _LeftOut:
                del findings.errors[before:]
                continue
            if arm is not None:
                arms.append(arm)
                continue
            new = [one for one in findings.errors[before:] if _kind_of(one) not in told]
            told |= {_kind_of(one) for one in new}
            findings.errors[before:] = new
            wrong += 1
            if wrong == MOST_TOLD:
                break
        self._exclusions([self.plain, *(arm.tree for arm in arms[:MOST_TOLD])])
        if not arms and not findings.errors:
            rules = " and ".join(f"sweep.exclude[{index}]" for index in sorted(self.matched))
            message, at = f"{rules} leaves out all points", self.node.at
            findings.error("no-points", message, hint="exclude less", path="sweep.exclude", at=at)
        baseline = self.sweep.baseline
        if arms and baseline not in (None, arms[0].arm, arms[0].name) and not findings.errors:
            message = f"the sweep excludes every point of its baseline {baseline!r}"
            findings.error("baseline", message, hint="compare with another arm", path="sweep", at=self.node.at)
        return tuple(arms)

    def _leave_out(self, point: Point, tree: Plain) -> None:
        rule = excluded(point, tree, self.sweep)
        if rule is not None:
            self.matched.add(rule)
            raise _LeftOut

    def _exclusions(self, trees: Sequence[Plain]) -> None:
        """Exclusions that left nothing out: a path that is nowhere is an error, a value that no point has a warning."""
        for index, rule in enumerate(self.sweep.exclude):
            owner = get(self.node, ("exclude", index))
            if index in self.matched or self.steps.findings.errors or not isinstance(owner, MapNode):
                continue
            where = f"sweep.exclude[{index}]"
            unknown = [path for path in rule.model_extra or {} if all(look_up(tree, path) is None for tree in trees)]
            for path in unknown:
                close = did_you_mean(path, plain_leaves(trees[0]))
                self.steps.findings.error(
                    "no-such-path", f"no point has {path!r}", hint=close, path=f"{where}.{path}", at=owner.keys[path]
                )
            if not unknown:
                self.steps.findings.warn("matches-nothing", "it leaves no point out", path=where, at=owner.at)

    def _patched(self, point: Point) -> Arm | None:
        """The short way to a point; None where there is none, or something is wrong with it."""
        found = None if any(stage.set for stage in self.patcher.spec.stages) else self.patcher.patched(point.changes)
        if found is None:
            return None
        tree, plain, spec = found
        self._leave_out(point, plain)
        findings = Findings()
        check(spec, tree, findings)
        if findings.errors:
            return None
        self.steps.findings.warnings += findings.warnings
        return Arm(point.name, point.arm, {one.path: to_plain(one.node) for one in point.changes}, spec, plain)

    def _anew(self, point: Point) -> Arm | None:
        before = len(self.steps.findings.errors)
        root = self.steps.set(self.rest, point.changes, FIXED, point.label)
        if len(self.steps.findings.errors) > before:
            return None
        whole = self.steps.resolve(root)
        tree = to_plain(whole)
        assert isinstance(tree, dict)
        self._leave_out(point, tree)
        spec = self.steps.checked(whole)
        self.steps.blame(before, point.changes)
        self.steps.label(before, point.label)
        if spec is None or len(self.steps.findings.errors) > before:
            return None
        return Arm(point.name, point.arm, {one.path: to_plain(one.node) for one in point.changes}, spec, tree)


def _kind_of(one: Diagnostic) -> tuple[object, ...]:
    """What two points have wrong alike: an unknown path, or a fault at one place."""
    nowhere = one.code in ("unknown-key", "no-such-path", "unknown-kind")
    return (one.code, one.path) if nowhere else (one.code, one.path, one.at)


def read_by(arm: Arm) -> Arm:
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
