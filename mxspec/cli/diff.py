"""`mxspec diff`: in which values two specs, runs or saved plans differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.options import DEFAULT_RUNS, JSON, RUNS

if TYPE_CHECKING:
    from mxspec.load.nodes import Plain
    from mxspec.plan.plan import Plan, PlannedRun

SIDE = typer.Argument(
    metavar="SPEC|RUN|PLAN",
    help="A spec file, the beginning of a run's id, or a plan that `plan --out` saved; `SPEC:ARM` for one of its arms.",
)
LABELS = ("name", "notes")
"""What says of a spec what it is for, and is no part of what it does."""
RESOLVED = "vars."
"""Names that are written out where they are used."""


def diff(
    one: Annotated[str, SIDE],
    other: Annotated[str, SIDE],
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Show the values in which two specs differ, defaults included, and whether they are the same run.

    Exit 1 where they differ. Of a sweep or a plan, the first run is compared, or that of the arm named after a colon.
    """
    from mxspec.cli.exits import FAILED
    from mxspec.cli.output import print_json
    from mxspec.load.paths import plain_leaves

    left, right = _read(one, runs), _read(other, runs)
    trees: list[dict[str, Plain]] = [side.spec.model_dump(mode="json", by_alias=True) for side in (left, right)]
    first, second = (plain_leaves(tree, whole_lists=True) for tree in trees)
    found = [
        {"path": path, "one": first.get(path), "other": second.get(path)}
        for path in dict.fromkeys((*first, *second))
        if not f"{path}.".startswith(RESOLVED)
        and (path in first, first.get(path)) != (path in second, second.get(path))
    ]
    if json:
        print_json("diff", {"same_run": left.run == right.run, "runs": [left.run, right.run], "differences": found})
    else:
        for each in found:
            path = str(each["path"])
            print(f"{path}: {_side(first, path)} -> {_side(second, path)}")
        counted = [each for each in found if each["path"] not in LABELS]
        same = "the same run" if left.run == right.run else "another run"
        values = f"{len(counted)} value{'s' if len(counted) != 1 else ''} differ{'s' if len(counted) == 1 else ''}"
        print(f"{values}; {left.run} -> {right.run}: {same}")
    if found:
        raise typer.Exit(FAILED)


def _side(values: dict[str, Plain], path: str) -> str:
    """A value in a few characters; what is not there is not null."""
    from mxspec.plan.expand import brief

    if path not in values:
        return "(none)"
    return "null" if values[path] is None else brief(values[path])


def _read(side: str, runs: Path) -> PlannedRun:
    """The run that a side names."""
    from mxspec.cli.exits import UsageError
    from mxspec.load import load_spec
    from mxspec.plan.expand import UnknownChoice
    from mxspec.plan.make import make_plan
    from mxspec.plan.saved import read_plan

    file, arm = _parts(side)
    if file.endswith(".json"):
        return _of_arm(read_plan(Path(file)), arm)
    if not file.endswith((".yaml", ".yml")) and not Path(file).exists() and not file.startswith("mxspec:"):
        file = str(_run(file, runs))
    try:
        found = make_plan(load_spec(file), runs, arms=[arm] if arm else None)
    except UnknownChoice as error:
        raise UsageError(str(error)) from error
    if arm and len(found.arms) > 1:
        points = [one.name for one in found.arms]
        raise UsageError(f"arm {arm!r} has {len(points)} points", hint=f"name one of {', '.join(points[:8])}")
    return found.runs[0]


def _parts(side: str) -> tuple[str, str]:
    """File and arm."""
    for end in (".yaml", ".yml", ".json"):
        file, found, arm = side.partition(f"{end}:")
        if found:
            return file + end, arm
    return side, ""


def _of_arm(plan: Plan, arm: str) -> PlannedRun:
    from mxspec.cli.exits import UsageError
    from mxspec.load.errors import did_you_mean

    if not arm:
        return plan.runs[0]
    for run in plan.runs:
        if arm in run.arms or any(name.startswith(f"{arm}/") for name in run.arms):
            return run
    names = [one.name for one in plan.arms]
    raise UsageError(
        f"the plan has no arm {arm!r}", hint=did_you_mean(arm, names) or f"arms are {', '.join(names[:8])}"
    )


def _run(start: str, runs: Path) -> Path:
    """The spec of the run whose id begins with some characters."""
    from mxspec.cli.exits import UsageError

    found = sorted(runs.glob(f"{start}*/spec.yaml")) if start and start.isalnum() else []
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{len(found)} runs begin with {start!r}", hint="write more of the id")
    raise UsageError(
        f"{start!r} is no spec file, and no run in {runs} begins with it", hint="`mxspec ls` lists the runs"
    )
