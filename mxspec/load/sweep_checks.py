"""Checks of a sweep before its points are made: its arms, its distributions, and who sets which path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mxspec.load.errors import Findings, Position, did_you_mean
from mxspec.load.nodes import ListNode, MapNode, Node, Path, get, to_plain
from mxspec.load.paths import NoSuchPath, indexed, parse_path
from mxspec.load.point import Change
from mxspec.spec.sweep import Draw, Sweep


def check_names(node: MapNode, sweep: Sweep, arms: list[str], findings: Findings) -> None:
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


def check_draws(node: MapNode, sweep: Sweep, findings: Findings) -> None:
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


def check_paths(
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
        elif part.startswith("when") and "." not in path and did_you_mean(path, ("arms", "where")):
            message = f"unknown key {path!r} under sweep.{part}"
            findings.error("unknown-key", message, hint=did_you_mean(path, ("arms", "where")), path=where, at=at)
        elif isinstance(values, ListNode) and not values.items:
            findings.error("value", "the axis has no value", hint="give it one, or remove it", path=where, at=at)
        elif part == "axes" and isinstance(values, ListNode):
            _worth_points(path, values, where, at, findings)
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
                part = "runtime" if change.path.startswith("runtime.") else "arms"
                _twice(findings, f"the arm sets {earlier.path!r} ({earlier.at})", f"sweep.{part}.{name}", change.at)
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


def _worth_points(path: str, values: ListNode, where: str, at: Position, findings: Findings) -> None:
    """Warns of an axis whose points come to the same run."""
    plain = [to_plain(one) for one in values.items]
    again = next((one for index, one in enumerate(plain) if one in plain[:index]), None)
    if again is not None:
        findings.warn("same-points", f"{again} stands twice, and is one point", path=where, at=at)
    if path.startswith("runtime.") and len(plain) > 1:
        message = "where a run is made is no part of what it is: its points are one run"
        hint = "`sweep.runtime` says where each arm runs; how fast it is, is measured by runs of their own"
        findings.warn("same-points", message, hint=hint, path=where, at=at)


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
