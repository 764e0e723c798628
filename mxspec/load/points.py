"""A sweep -> its points: arms times axes, lists of cases, draws; each a set of changes with a name."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from mxspec.load.errors import Findings, Position, did_you_mean
from mxspec.load.nodes import ListNode, MapNode, Node, Plain, ScalarNode, get, to_plain
from mxspec.load.paths import look_up
from mxspec.spec.sweep import Draw, Sweep, When

MAIN = "main"
"""The arm of a sweep that declares none, and of a spec without a sweep."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value set at a path, and where the sweep says so."""

    path: str
    node: Node
    at: Position


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a sweep.

    Attributes:
        name: Its name: that of its arm, and what sets it apart within it.
        arm: Its arm.
        changes: What it changes, in order; later ones win.
        label: How its errors call it.
    """

    name: str
    arm: str
    changes: tuple[Change, ...]
    label: str


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

    def of(self, arm: str) -> bool:
        return self.arms is None or arm in self.arms

    def holds(self, arm: str, changes: Sequence[Change], row: Sequence[_Choice]) -> bool:
        given = {
            one.path: _key(one.node) for one in (*changes, *(change for choice in row for change in choice.changes))
        }
        return self.of(arm) and all(given.get(path) in keys for path, keys in self.where.items())


def points_of(node: MapNode, sweep: Sweep, findings: Findings) -> list[Point]:
    """All points, the baseline's first; none where they are more than the sweep's limit.

    Args:
        node: The sweep as it stands in the file, for places.
        sweep: The same, validated.
        findings: Where errors go.
    """
    before = len(findings.errors)
    arms = _arms(node, sweep, findings)
    short = _short_names(sweep)
    _check_paths(node, sweep, arms, findings)
    shared = [
        *_axes(node, sweep, short),
        *_zips(node, sweep, short, findings),
        *_cases(node, short),
        *_random(node, sweep),
    ]
    conditional = [_condition(get(node, ("when", index)), when, short) for index, when in enumerate(sweep.when)]
    _check_names(node, sweep, list(arms), findings)
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
    baseline = sweep.baseline or next(iter(arms))
    return sorted(found, key=lambda point: point.arm != baseline)


def _point(arm: str, changes: tuple[Change, ...], chosen: Sequence[_Choice], *, named: bool) -> Point:
    inner = ",".join(one.label for one in chosen)
    name = f"{arm}/{inner}" if named and inner else inner or arm
    label = f"arm {arm!r}" + (f" with {inner}" if inner else "")
    return Point(name, arm, (*changes, *(change for one in chosen for change in one.changes)), label)


def _arms(node: MapNode, sweep: Sweep, findings: Findings) -> dict[str, tuple[Change, ...]]:
    declared = node.entries.get("arms")
    if not isinstance(declared, MapNode) or not sweep.arms:
        return {MAIN: ()}
    runtimes = node.entries.get("runtime")
    found: dict[str, tuple[Change, ...]] = {}
    for name, changes in declared.entries.items():
        own = get(runtimes, (name,)) if runtimes is not None else None
        where = tuple(replace(one, path=f"runtime.{one.path}") for one in _changes(own))
        found[name] = (*_changes(changes), *where)
    return found


def _check_names(node: MapNode, sweep: Sweep, arms: list[str], findings: Findings) -> None:
    """Arms that other parts of the sweep name are there."""
    for part, index, names in (
        *(("when", index, when.arms or ()) for index, when in enumerate(sweep.when)),
        *(("exclude", index, one.arms or ()) for index, one in enumerate(sweep.exclude)),
    ):
        for place, name in enumerate(names):
            if name not in arms:
                at = get(node, (part, index, "arms", place))
                _unknown_arm(findings, name, arms, f"sweep.{part}[{index}].arms[{place}]", at.at if at else node.at)
    runtimes = node.entries.get("runtime")
    for name in sweep.runtime:
        if name not in arms and isinstance(runtimes, MapNode):
            _unknown_arm(findings, name, arms, f"sweep.runtime.{name}", runtimes.keys[name])


def _check_paths(node: MapNode, sweep: Sweep, arms: Mapping[str, tuple[Change, ...]], findings: Findings) -> None:
    """Every part of a sweep sets paths of its own, and every axis has a value."""
    said = list(_factor_paths(node))
    for part, path, at, values in said:
        if path == "seed":
            hint = "seeds are replicates: write sweep.seeds: [0, 1]"
            findings.error("no-such-path", "the seed is no axis", hint=hint, path=f"sweep.{part}.{path}", at=at)
        elif isinstance(values, ListNode) and not values.items:
            message, hint = "the axis has no value", "give it one, or remove it"
            findings.error("value", message, hint=hint, path=f"sweep.{part}.{path}", at=at)
    seen: dict[str, tuple[str, Position]] = {}
    for part, path, at, _ in said:
        other = next((one for one in seen if _covers(one, path) or _covers(path, one)), None)
        if other is not None and seen[other][0] != part and not part.startswith("when"):
            message = f"{path!r} is set by sweep.{seen[other][0]} ({seen[other][1]}) already"
            findings.error("set-twice", message, hint="set it in one place", path=f"sweep.{part}.{path}", at=at)
        seen.setdefault(path, (part, at))
    for name, changes in arms.items():
        for part, path, at, _ in said:
            given = next((one for one in changes if _covers(path, one.path)), None)
            if given is not None and _applies(part, name, sweep):
                message = f"the arm {name!r} sets {given.path!r} ({given.at}), and this sets it again"
                hint = "set it in one place; `when` gives an axis to some arms"
                findings.error("set-twice", message, hint=hint, path=f"sweep.{part}.{path}", at=at)


def _covers(path: str, other: str) -> bool:
    """Whether setting a path sets another one too."""
    return other == path or other.startswith((f"{path}.", f"{path}["))


def _applies(part: str, arm: str, sweep: Sweep) -> bool:
    """Whether a part of a sweep concerns an arm."""
    if not part.startswith("when["):
        return True
    named = sweep.when[int(part[5:-1])].arms
    return named is None or arm in named


def _factor_paths(node: MapNode) -> Iterator[tuple[str, str, Position, Node]]:
    """Part of the sweep, path, its place and its values, of everything that multiplies the arms."""
    for part in ("axes", "random"):
        owner = node.entries.get(part)
        for path, values in owner.entries.items() if isinstance(owner, MapNode) else ():
            if part == "axes" or path not in ("draws", "seed"):
                yield part, path, owner.keys[path] if isinstance(owner, MapNode) else node.at, values
    for part in ("zip", "when"):
        listed = node.entries.get(part)
        for index, one in enumerate(listed.items if isinstance(listed, ListNode) else ()):
            for path, values in one.entries.items() if isinstance(one, MapNode) else ():
                if part == "zip" or path not in ("arms", "where"):
                    assert isinstance(one, MapNode)
                    yield f"{part}[{index}]", path, one.keys[path], values
    cases = node.entries.get("cases")
    found: dict[str, tuple[Position, Node]] = {}
    for one in cases.items if isinstance(cases, ListNode) else ():
        for path, value in one.entries.items() if isinstance(one, MapNode) else ():
            assert isinstance(one, MapNode)
            found.setdefault(path, (one.keys[path], value if not isinstance(value, ListNode) else one))
    yield from (("cases", path, at, value) for path, (at, value) in found.items())


def _unknown_arm(findings: Findings, name: str, arms: list[str], path: str, at: Position) -> None:
    hint = did_you_mean(name, arms) or f"arms are {', '.join(arms)}"
    findings.error("unknown-arm", f"no arm {name!r}", hint=hint, path=path, at=at)


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
        yield _unique(dict(zip(lengths, row, strict=True)) for row in rows) if lengths else []


def _items(node: Node) -> tuple[Node, ...]:
    assert isinstance(node, ListNode)
    return node.items


def _cases(node: MapNode, short: Mapping[str, str]) -> Iterator[_Factor]:
    cases = node.entries.get("cases")
    if isinstance(cases, ListNode) and cases.items:
        yield _unique(one.entries for one in cases.items if isinstance(one, MapNode))


def _unique(rows: Iterator[Mapping[str, Node]] | Iterator[dict[str, Node]]) -> _Factor:
    """Listed points, each path -> value; equal ones are one."""
    found: dict[str, _Choice] = {}
    for row in rows:
        key = json.dumps({path: _key(value) for path, value in row.items()}, sort_keys=True)
        label = f"case{len(found) + 1}"
        found.setdefault(key, _Choice(tuple(Change(path, value, value.at) for path, value in row.items()), label))
    return list(found.values())


def _random(node: MapNode, sweep: Sweep) -> Iterator[_Factor]:
    if sweep.random is None:
        return
    owner = node.entries["random"]
    drawn: dict[str, Draw] = sweep.random.__pydantic_extra__ or {}
    rows: _Factor = []
    for index in range(sweep.random.draws):
        changes = []
        for path, how in drawn.items():
            at = get(owner, (path,))
            value = _draw(how, sweep.random.seed, index, path)
            where = at.at if at is not None else owner.at
            text = value if isinstance(value, str) else json.dumps(value)
            changes.append(Change(path, ScalarNode(where, value, text), where))
        rows.append(_Choice(tuple(changes), f"draw{index + 1}"))
    yield rows


def _draw(how: Draw, seed: int, index: int, path: str) -> str | int | float | bool | None:
    """A value that depends on (seed, index, path) alone, so that more draws change none."""
    hashed = hashlib.sha256(f"{seed}:{index}:{path}".encode()).digest()
    share = int.from_bytes(hashed[:8], "big") / 2**64
    if how.choice is not None:
        value: str | int | float | bool | None = how.choice[int(share * len(how.choice))]
        return value
    if how.int_ is not None:
        low, high = how.int_
        return low + int(share * (high - low + 1))
    if how.log is not None:
        return _rounded(math.exp(math.log(how.log[0]) + share * (math.log(how.log[1]) - math.log(how.log[0]))))
    assert how.uniform is not None
    return _rounded(how.uniform[0] + share * (how.uniform[1] - how.uniform[0]))


def _rounded(value: float) -> float:
    """Four significant digits: the same on every machine, and short enough to read."""
    return float(f"{value:.4g}")


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
    paths = [*sweep.axes, *(path for when in sweep.when for path in (when.model_extra or {}))]
    found: dict[str, str] = {}
    for path in paths:
        parts = path.split(".")
        for length in range(1, len(parts) + 1):
            end = ".".join(parts[-length:])
            if sum(("." + other).endswith("." + end) for other in dict.fromkeys(paths)) == 1 or length == len(parts):
                found[path] = end
                break
    return found


def excluded(point: Point, tree: Plain, sweep: Sweep) -> bool:
    """Whether a point has all the values of one of the sweep's exclusions.

    Args:
        point: The point.
        tree: Its resolved spec, as plain data.
        sweep: The sweep.
    """

    def matches(path: str, wanted: object) -> bool:
        value = look_up(tree, path)
        several = (*wanted, wanted) if isinstance(wanted, list) else (wanted,)
        return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in several)

    return any(
        (one.arms is None or point.arm in one.arms)
        and all(matches(path, wanted) for path, wanted in (one.model_extra or {}).items())
        for one in sweep.exclude
    )
