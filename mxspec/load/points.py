"""A sweep -> its points: arms times axes, lists of cases, draws; each a set of changes with a name."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from mxspec.load.draws import draws
from mxspec.load.errors import Findings, did_you_mean
from mxspec.load.nodes import ListNode, MapNode, Node, Plain, get, to_plain
from mxspec.load.paths import look_up
from mxspec.load.point import MAIN, Change, Point
from mxspec.load.sweep_checks import check_draws, check_names, check_paths
from mxspec.spec.sweep import Sweep, When


@dataclass(frozen=True, slots=True)
class _Choice:
    """One value of a factor: what it changes, and its part of the name."""

    changes: tuple[Change, ...]
    label: str


_Factor = list[_Choice]


@dataclass(frozen=True, slots=True)
class _Condition:
    """Axes for the points of some arms that have been given some values."""

    arms: tuple[str, ...] | None
    where: Mapping[str, tuple[str, ...]]
    factors: tuple[_Factor, ...]
    matched: list[bool] = field(default_factory=list)

    def of(self, arm: str) -> bool:
        return self.arms is None or arm in self.arms

    def holds(self, arm: str, changes: Sequence[Change], row: Sequence[_Choice]) -> bool:
        given = {
            one.path: _key(one.node) for one in (*changes, *(change for choice in row for change in choice.changes))
        }
        found = self.of(arm) and all(given.get(path) in keys for path, keys in self.where.items())
        if found and not self.matched:
            self.matched.append(True)
        return found


def points_of(node: MapNode, sweep: Sweep, root: MapNode, findings: Findings) -> list[Point]:
    """All points, the baseline's first; none where they are more than the sweep's limit.

    Args:
        node: The sweep as it stands in the file, for places.
        sweep: The same, validated.
        root: The spec without the sweep, for names of list items.
        findings: Where errors go.
    """
    before = len(findings.errors)
    arms = _arms(node, sweep)
    check_draws(node, sweep, findings)
    short = _short_names(sweep)
    check_paths(node, sweep, arms, root, findings)
    if len(findings.errors) > before:
        return []
    shared = [
        *_axes(node, sweep, short),
        *_zips(node, sweep, short, findings),
        *_cases(node, short),
        *_drawn(node, sweep),
    ]
    conditional = [_condition(get(node, ("when", index)), when, short) for index, when in enumerate(sweep.when)]
    check_names(node, sweep, list(arms), findings)
    count = sum(
        math.prod(len(factor) for factor in (*shared, *(f for one in conditional if one.of(arm) for f in one.factors)))
        for arm in arms
    )
    if count > sweep.limit:
        message = f"the sweep has {count:,} points, and its limit is {sweep.limit:,}"
        findings.error(
            "too-many-points", message, hint="raise sweep.limit, or draw some at random", path="sweep", at=node.at
        )
    if len(findings.errors) > before:
        return []
    found: list[Point] = []
    for arm, changes in arms.items():
        rows: list[tuple[_Choice, ...]] = list(product(*shared))
        for one in conditional:
            more = list(product(*one.factors))
            rows = [(*row, *own) for row in rows for own in (more if one.holds(arm, changes, row) else [()])]
        found += [_point(arm, changes, row, named=bool(sweep.arms)) for row in rows]
    for index, (condition, when) in enumerate(zip(conditional, sweep.when, strict=True)):
        if condition.where and not any(condition.matched):
            at = get(node, ("when", index))
            message = f"no point has been given {', '.join(when.where)} as this asks for"
            where = f"sweep.when[{index}]"
            findings.warn("matches-nothing", message, path=where, at=at.at if at is not None else node.at)
    return _from_the_baseline(found, node, sweep, list(arms), findings)


def _from_the_baseline(
    points: list[Point], node: MapNode, sweep: Sweep, arms: list[str], findings: Findings
) -> list[Point]:
    """Points with the baseline's first: that point, or those of that arm."""
    baseline = sweep.baseline or arms[0]
    names = [point.name for point in points]
    if baseline not in (*arms, *names):
        part, at = baseline.partition("/")[0], get(node, ("baseline",))
        near = [name for name in names if name.startswith(f"{part}/")] or [*(arms if sweep.arms else ()), *names]
        some = ", ".join(near[:6]) + (", .." if len(near) > 6 else "")
        hint = did_you_mean(baseline, near) or f"there are {some}"
        place, where = at.at if at is not None else node.at, "sweep.baseline"
        findings.error("baseline", f"no arm or point {baseline!r}", hint=hint, path=where, at=place)
    return sorted(points, key=lambda point: (point.name != baseline, point.arm != baseline))


def _point(arm: str, changes: tuple[Change, ...], chosen: Sequence[_Choice], *, named: bool) -> Point:
    inner = ",".join(one.label for one in chosen)
    name = f"{arm}/{inner}" if named and inner else inner or arm
    label = f"arm {arm!r}" + (f" with {inner}" if inner else "")
    return Point(name, arm, (*changes, *(change for one in chosen for change in one.changes)), label)


def _arms(node: MapNode, sweep: Sweep) -> dict[str, tuple[Change, ...]]:
    declared = node.entries.get("arms")
    entries = declared.entries if isinstance(declared, MapNode) and sweep.arms else {MAIN: None}
    runtimes = node.entries.get("runtime")
    found: dict[str, tuple[Change, ...]] = {}
    for name, changes in entries.items():
        own = get(runtimes, (name,)) if runtimes is not None else None
        where = tuple(replace(one, path=f"runtime.{one.path}") for one in _each(_changes(own)))
        found[name] = (*_changes(changes), *where)
    return found


def _each(changes: Iterable[Change]) -> Iterator[Change]:
    """Changes by maps as changes of the values in them; a map with a `kind` is one value."""
    for one in changes:
        if isinstance(one.node, MapNode) and one.node.entries and "kind" not in one.node.entries:
            inner = (Change(f"{one.path}.{key}", node, one.node.keys[key]) for key, node in one.node.entries.items())
            yield from _each(inner)
        else:
            yield one


def _changes(node: Node | None) -> tuple[Change, ...]:
    if not isinstance(node, MapNode):
        return ()
    return tuple(Change(path, value, node.keys[path]) for path, value in node.entries.items())


def _axes(node: MapNode, sweep: Sweep, short: Mapping[str, str]) -> Iterator[_Factor]:
    axes = node.entries.get("axes")
    if isinstance(axes, MapNode):
        yield from (_axis(path, values, short) for path, values in axes.entries.items())


def _condition(node: Node | None, when: When, short: Mapping[str, str]) -> _Condition:
    assert isinstance(node, MapNode)
    where = node.entries.get("where")
    keys = {
        path: tuple(_key(one) for one in (*(wanted.items if isinstance(wanted, ListNode) else ()), wanted))
        for path, wanted in (where.entries.items() if isinstance(where, MapNode) else ())
    }
    return _Condition(when.arms, keys, tuple(_axis(path, node.entries[path], short) for path in when.model_extra or {}))


def _axis(path: str, values: Node, short: Mapping[str, str]) -> _Factor:
    """The values of an axis; equal ones are one."""
    assert isinstance(values, ListNode)
    found: dict[str, _Choice] = {}
    for index, value in enumerate(values.items):
        label = f"{short[path]}={_brief(value, index)}"
        found.setdefault(_key(value), _Choice((Change(path, value, value.at),), label))
    return _apart(list(found.values()))


def _zips(node: MapNode, sweep: Sweep, short: Mapping[str, str], findings: Findings) -> Iterator[_Factor]:
    for index, one in enumerate(sweep.zip):
        lengths = {path: len(values) for path, values in one.items()}
        owner = get(node, ("zip", index))
        assert isinstance(owner, MapNode)
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{path} {length}" for path, length in lengths.items())
            message = f"axes that move together have equal lengths, and these have {listed}"
            findings.error("zip", message, hint="use `axes` for a grid", path=f"sweep.zip[{index}]", at=owner.at)
            continue
        rows = zip(*(_items(owner.entries[path]) for path in lengths), strict=True)
        moved = (dict(zip(lengths, row, strict=True)) for row in rows)
        yield _unique(moved, short) if lengths else []


def _items(node: Node) -> tuple[Node, ...]:
    assert isinstance(node, ListNode)
    return node.items


def _cases(node: MapNode, short: Mapping[str, str]) -> Iterator[_Factor]:
    cases = node.entries.get("cases")
    if isinstance(cases, ListNode) and cases.items:
        yield _unique(one.entries for one in cases.items if isinstance(one, MapNode))


def _unique(
    rows: Iterator[Mapping[str, Node]] | Iterator[dict[str, Node]], short: Mapping[str, str] | None = None
) -> _Factor:
    """Listed points, each path -> value; equal ones are one. Named by their values where `short` has the paths."""
    found: dict[str, _Choice] = {}
    for row in rows:
        key = json.dumps({path: _key(value) for path, value in row.items()}, sort_keys=True)
        label = f"case{len(found) + 1}"
        if short is not None:
            label = ",".join(f"{short[path]}={_brief(value, len(found))}" for path, value in row.items())
        found.setdefault(key, _Choice(tuple(Change(path, value, value.at) for path, value in row.items()), label))
    return _apart(list(found.values()))


def _drawn(node: MapNode, sweep: Sweep) -> Iterator[_Factor]:
    if sweep.random is not None:
        rows = enumerate(draws(node.entries["random"], sweep.random))
        yield [_Choice(changes, f"draw{index + 1}") for index, changes in rows]


def _key(node: Node) -> str:
    """Equal values have equal keys: `1e-4` and `0.0001`, `1` and `1.0`, but not `1` and `true`."""

    def same(value: Plain) -> Plain:
        if isinstance(value, dict):
            return {key: same(item) for key, item in value.items()}
        if isinstance(value, list):
            return [same(item) for item in value]
        return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else value

    return json.dumps(same(to_plain(node)), sort_keys=True)


def _brief(node: Node, index: int) -> str:
    value = to_plain(node)
    if isinstance(value, dict):
        kind = value.get("kind")
        return kind if isinstance(kind, str) else str(index + 1)
    if isinstance(value, list):
        return "+".join(str(item) for item in value) if all(isinstance(i, str | int) for i in value) else str(index + 1)
    if isinstance(value, float):
        return f"{value:g}"
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text if 0 < len(text) <= 24 else str(index + 1)


def _apart(choices: _Factor) -> _Factor:
    """Labels that differ: an index where two values look alike."""
    labels = [one.label for one in choices]
    return [
        one if labels.count(one.label) == 1 else _Choice(one.changes, f"{one.label}#{index + 1}")
        for index, one in enumerate(choices)
    ]


def _short_names(sweep: Sweep) -> dict[str, str]:
    """The shortest ends of paths that tell them apart."""
    paths = [
        *sweep.axes,
        *(path for one in sweep.zip for path in one),
        *(path for when in sweep.when for path in (when.model_extra or {})),
    ]
    found: dict[str, str] = {}
    for path in paths:
        parts = path.split(".")
        for length in range(1, len(parts) + 1):
            end = ".".join(parts[-length:])
            if sum(("." + other).endswith("." + end) for other in dict.fromkeys(paths)) == 1 or length == len(parts):
                found[path] = end
                break
    return found


def excluded(point: Point, tree: Plain, sweep: Sweep) -> int | None:
    """The first of the sweep's exclusions that has all its values in a point; None where none has.

    Args:
        point: The point.
        tree: Its resolved spec, as plain data.
        sweep: The sweep.
    """

    def matches(path: str, wanted: object) -> bool:
        value = look_up(tree, path)
        several = (*wanted, wanted) if isinstance(wanted, list) else (wanted,)
        return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in several)

    for index, one in enumerate(sweep.exclude):
        if (one.arms is None or point.arm in one.arms) and all(
            matches(path, wanted) for path, wanted in (one.model_extra or {}).items()
        ):
            return index
    return None
