"""A sweep -> its points: arms times axes, lists of cases, draws; each a set of changes with a name."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from mxspec.load.errors import Findings, Position, did_you_mean
from mxspec.load.nodes import ListNode, MapNode, Node, Path, Plain, ScalarNode, get, to_plain
from mxspec.load.paths import NoSuchPath, indexed, look_up, parse_path
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
    _check_draws(node, sweep, findings)
    short = _short_names(sweep)
    _check_paths(node, sweep, arms, root, findings)
    if len(findings.errors) > before:
        return []
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
    for index, (condition, when) in enumerate(zip(conditional, sweep.when, strict=True)):
        if condition.where and not any(condition.matched):
            at = get(node, ("when", index))
            message = f"no point has been given {', '.join(when.where)} as this asks for"
            where = f"sweep.when[{index}]"
            findings.warn("matches-nothing", message, path=where, at=at.at if at is not None else node.at)
    baseline = sweep.baseline or next(iter(arms))
    return sorted(found, key=lambda point: point.arm != baseline)


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


def _check_draws(node: MapNode, sweep: Sweep, findings: Findings) -> None:
    """Every distribution is one, and its ends are in order."""
    owner = node.entries.get("random")
    if sweep.random is None or not isinstance(owner, MapNode):
        return
    drawn: dict[str, Draw] = sweep.random.__pydantic_extra__ or {}
    if not drawn:
        hint = "name a path, e.g. learn.rl.optimizer.lr: {log: [1e-6, 1e-4]}"
        findings.error("draw", "nothing is drawn", hint=hint, path="sweep.random", at=owner.at)
    for path, how in drawn.items():
        ends = {"log": how.log, "uniform": how.uniform, "int": how.int_}
        given = [name for name, value in {**ends, "choice": how.choice}.items() if value is not None]
        where, at = f"sweep.random.{path}", owner.keys[path]
        if len(given) != 1:
            what = f"it is {' and '.join(given)}" if given else "it is empty"
            hint = "give one of log: [low, high], uniform: [low, high], int: [low, high], choice: [..]"
            findings.error("draw", f"a distribution is one thing, and {what}", hint=hint, path=where, at=at)
            continue
        low, high = ends.get(given[0]) or (0, 1)
        if low > high:
            hint = f"write {given[0]}: [{high:g}, {low:g}]"
            findings.error("draw", f"{low:g} is more than {high:g}", hint=hint, path=where, at=at)
        elif given[0] == "log" and low <= 0:
            message = f"a logarithm has no {low:g}"
            findings.error("draw", message, hint="the lower end is more than 0", path=where, at=at)


def _check_paths(
    node: MapNode, sweep: Sweep, arms: Mapping[str, tuple[Change, ...]], root: MapNode, findings: Findings
) -> None:
    """Every part of a sweep sets paths of its own, and every axis has a value."""

    def place(path: str) -> Path:
        try:
            return indexed(root, parse_path(path))
        except NoSuchPath:  # told when it is set
            return (path,)

    said = [(part, path, place(path), at, values) for part, path, at, values in _factor_paths(node)]
    for part, path, _, at, values in said:
        where = f"sweep.{part}.{path}"
        if path == "seed":
            hint = "seeds are replicates: write sweep.seeds: [0, 1]"
            findings.error("no-such-path", "the seed is no axis", hint=hint, path=where, at=at)
        elif isinstance(values, ListNode) and not values.items:
            findings.error("value", "the axis has no value", hint="give it one, or remove it", path=where, at=at)
    _empty_parts(node, findings)
    seen: dict[Path, tuple[str, str, Position]] = {}
    for part, path, steps, at, _ in said:
        other = next((one for one in seen if _overlap(one, steps)), None)
        if other is not None and not (part.startswith("when") and seen[other][0].startswith("when")):
            by, name, before = seen[other]
            _twice(findings, f"sweep.{by} sets {name!r} ({before})", f"sweep.{part}.{path}", at)
        seen.setdefault(steps, (part, path, at))
    for name, changes in arms.items():
        given = [(place(one.path), one) for one in changes]
        for index, (steps, change) in enumerate(given):
            earlier = next((one for before, one in given[:index] if before == steps), None)
            if earlier is not None:
                _twice(findings, f"the arm sets {earlier.path!r} ({earlier.at})", f"sweep.arms.{name}", change.at)
        for part, path, steps, at, _ in said:
            set_by_arm = next((one for own, one in given if own[: len(steps)] == steps), None)
            if set_by_arm is not None and _applies(part, name, sweep):
                says = f"the arm {name!r} sets {set_by_arm.path!r} ({set_by_arm.at})"
                _twice(findings, says, f"sweep.{part}.{path}", at)
    known = {steps for _, _, steps, _, _ in said} | {place(one.path) for changes in arms.values() for one in changes}
    for index, when in enumerate(sweep.when):
        owner = get(node, ("when", index, "where"))
        for path in when.where:
            if place(path) not in known and isinstance(owner, MapNode):
                message, hint = f"no part of the sweep sets {path!r}", "name a path of an axis, or of an arm"
                where = f"sweep.when[{index}].where.{path}"
                findings.error("no-such-path", message, hint=hint, path=where, at=owner.keys[path])


def _twice(findings: Findings, says: str, path: str, at: Position) -> None:
    hint = "set it in one place; `when` gives an axis to some arms"
    findings.error("set-twice", f"{says}, and this sets it again", hint=hint, path=path, at=at)


def _empty_parts(node: MapNode, findings: Findings) -> None:
    for part, besides in (("zip", ()), ("when", ("arms", "where"))):
        listed = node.entries.get(part)
        for index, one in enumerate(listed.items if isinstance(listed, ListNode) else ()):
            if isinstance(one, MapNode) and not one.entries.keys() - set(besides):
                message, path = "it has no axis", f"sweep.{part}[{index}]"
                findings.error("value", message, hint="name a path and its values", path=path, at=one.at)


def _overlap(one: Path, other: Path) -> bool:
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


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
