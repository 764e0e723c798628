"""`mxspec plan --why RUN`: which values make a run a new one, compared with the nearest run there is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mxspec.load.nodes import Plain
    from mxspec.plan.plan import Plan, PlannedRun

MOST_COMPARED = 50
"""Runs whose specs are read to find the nearest."""


def print_why(plan: Plan, which: str, runs_dir: Path) -> None:
    """Says why a run of a plan is new, on stdout.

    Args:
        plan: The plan.
        which: The beginning of a run's id, or the name of an arm.
        runs_dir: Where run directories are.

    Raises:
        UsageError: The plan has no such run.
    """
    from mxspec.plan.expand import brief

    run = _chosen(plan, which)
    named = f"{run.run} ({', '.join(run.arms)}; seed {run.seed})"
    if run.status == "done":
        print(f"{named} is done")
        return
    nearest = _nearest(run, runs_dir)
    if nearest is None:
        print(f"{named} is not done ({run.status}); there is no other run to compare it with")
        return
    other, differences = nearest
    values = f"{len(differences)} value{'s' if len(differences) != 1 else ''}"
    print(f"{named} is not done ({run.status}); it differs from {other} in {values}, evaluations included")
    for path, (before, after) in differences.items():
        print(f"{path}: {brief(before)} -> {brief(after)}")
    if run.continues is not None:
        print(f"it goes on from step {run.continues.step} of {run.continues.run}")


def _chosen(plan: Plan, which: str) -> PlannedRun:
    from mxspec.cli.exits import UsageError
    from mxspec.load.errors import did_you_mean

    found = [
        run
        for run in plan.runs
        if run.run.startswith(which) or any(arm == which or arm.startswith(f"{which}/") for arm in run.arms)
    ]
    if not found:
        names = [arm.name for arm in plan.arms]
        hint = did_you_mean(which, names) or "give an arm, or a run's id of `plan --json`"
        raise UsageError(f"no run {which!r} in the plan", hint=hint)
    return next((run for run in found if run.pending), found[0])


def _nearest(run: PlannedRun, runs_dir: Path) -> tuple[str, dict[str, tuple[Plain, Plain]]] | None:
    """The run directory whose spec differs in the fewest values, and these."""
    from mxspec.rundir import Provenance, RunDir, open_runs

    made = {
        one.run: RunDir(one.path).read("provenance.json", Provenance)
        for one in open_runs(runs_dir)
        if one.state != "unreadable" and one.run != run.run
    }
    order = sorted(
        (one for one in made.values() if one is not None),
        key=lambda one: (one.seed != run.seed, not set(one.arms) & set(run.arms), -one.created),
    )
    best: tuple[str, dict[str, tuple[Plain, Plain]]] | None = None
    for one in order[:MOST_COMPARED]:
        differences = _differences(runs_dir / one.run / "spec.yaml", run)
        if differences is not None and (best is None or len(differences) < len(best[1])):
            best = (f"{one.run} ({', '.join(one.arms)}; seed {one.seed} of {one.name})", differences)
    return best


def _differences(path: Path, run: PlannedRun) -> dict[str, tuple[Plain, Plain]] | None:
    """Values that a run's steps read and that are others in a spec file; None where it cannot be read."""
    from mxspec.load import SpecErrors, load_spec
    from mxspec.load.paths import plain_leaves
    from mxspec.plan.identity import NOT_IDENTITY

    try:
        other = load_spec(path).whole
    except (SpecErrors, OSError):  # written by another version of the language
        return None
    left, right = (
        plain_leaves(spec.model_dump(mode="json", by_alias=True), whole_lists=True) for spec in (other, run.spec)
    )
    return {
        path: (left.get(path), right.get(path))
        for path in dict.fromkeys((*left, *right))
        if path.partition(".")[0] not in NOT_IDENTITY and left.get(path) != right.get(path)
    }
