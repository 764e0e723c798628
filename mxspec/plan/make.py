"""A spec and the run directories -> the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mxspec.load.loaded import Loaded
from mxspec.load.pause import collection_paused
from mxspec.plan.chain import Continues
from mxspec.plan.cost import bounds_of, estimates
from mxspec.plan.expand import Expanded, choose, expand, planned_arms
from mxspec.plan.plan import Estimate, Plan, PlannedArm, PlannedRun, SharedWork, Status
from mxspec.plan.share import Sharing, share
from mxspec.plan.sources import sources_of
from mxspec.plan.status import Existing, Place, furthest, look, positions
from mxspec.spec import Spec
from mxspec.spec.policy import Shared
from mxspec.spec.stages import Alternate, RlStage


@collection_paused()
def make_plan(
    loaded: Loaded, runs_dir: Path, *, arms: Sequence[str] | None = None, seeds: Sequence[int] | None = None
) -> Plan:
    """Plans all runs of a spec.

    Args:
        loaded: A whole spec.
        runs_dir: Where run directories are; it need not exist.
        arms: Only these arms; all where None or empty.
        seeds: Only these seeds; all where None or empty.

    Returns:
        The plan; nothing is written.

    Raises:
        SpecErrors: A data file that identity needs is missing.
        UnknownChoice: The spec has no such arm or seed.
        ValueError: The file is a base or a benchmark.
    """
    chosen, numbers = choose(loaded, arms, seeds)
    expanded = expand(loaded, chosen, numbers)
    found = _assess(expanded, runs_dir)
    bounds = {arm: bounds_of(run.spec, run.chain) for run in expanded for arm in run.arms}
    planned = planned_arms(loaded, chosen, expanded, bounds)
    spec = loaded.whole
    return Plan(
        name=spec.name,
        file=str(loaded.path),
        base_dir=str(loaded.base_dir),
        runs_dir=str(runs_dir.absolute()),
        baseline=loaded.arms[0].name,
        seeds=tuple(numbers),
        arms=planned,
        runs=found.runs,
        prefixes=found.prefixes,
        shared=found.shared,
        named=len(chosen) * len(numbers),
        warnings=(
            *map(str, loaded.warnings),
            *map(str, loaded.dropped),
            *map(str, loaded.pruned),
            *_warnings(loaded, planned),
            *_stale(found.runs, found.existing),
        ),
        sources=sources_of(loaded),
    )


def renewed(plan: Plan, runs_dir: Path) -> Plan:
    """A saved plan with what has been done since: the same runs, assessed anew."""
    expanded = tuple(
        Expanded(one.run, one.cell, one.seed, one.arms, one.spec, one.spec_hash, one.root_state, one.chain)
        for one in plan.runs
    )
    found = _assess(expanded, runs_dir)
    return plan.model_copy(
        update={
            "runs_dir": str(runs_dir.absolute()),
            "runs": found.runs,
            "prefixes": found.prefixes,
            "shared": found.shared,
        }
    )


@dataclass(frozen=True, slots=True)
class _Assessed:
    """Runs with what is done already, and the prefixes that they share."""

    runs: tuple[PlannedRun, ...]
    prefixes: tuple[PlannedRun, ...]
    shared: tuple[SharedWork, ...]
    existing: Mapping[str, Existing]


def _assess(expanded: Sequence[Expanded], runs_dir: Path) -> _Assessed:
    existing = {one.run: one for one in look(runs_dir)}
    starts = {run.run: _start(run, existing) for run in expanded}
    status = {run.run: _status(run, existing.get(run.run), starts[run.run]) for run in expanded}
    pending = [run for run in expanded if status[run.run] in ("new", "continues", "failed")]
    sharing = share(pending, {run.run: _place(run, starts[run.run]) for run in pending})
    costs = estimates((*expanded, *sharing.prefixes), existing)
    runs = tuple(_planned(run, status[run.run], starts[run.run], existing, sharing, costs[run.run]) for run in expanded)
    prefixes: list[PlannedRun] = []
    for one in sharing.prefixes:
        start = _start(one, existing)
        state = _status(one, existing.get(one.run), start)
        prefixes.append(_planned(one, state, start, existing, sharing, costs[one.run], prefix=True))
    return _Assessed(runs, tuple(prefixes), _shared(prefixes, pending), existing)


def _start(run: Expanded, existing: Mapping[str, Existing]) -> Continues | None:
    if not any(one.checkpoints for one in existing.values()):
        return None
    return furthest(run.run, positions(run.spec, run.chain), existing.values())


def _status(run: Expanded, found: Existing | None, start: Continues | None) -> Status:
    match found.state if found is not None else "absent":
        case "done":
            return "done"
        case "running":
            return "running"
        case "failed" | "unreadable":
            return "failed"
    return "continues" if start else "new"


def _place(run: Expanded, start: Continues | None) -> Place:
    return positions(run.spec, run.chain)[start.state] if start else (0, 0)


def _planned(
    run: Expanded,
    status: Status,
    start: Continues | None,
    existing: Mapping[str, Existing],
    sharing: Sharing,
    estimate: Estimate,
    *,
    prefix: bool = False,
) -> PlannedRun:
    waits = status not in ("done", "running")
    found = existing.get(run.run)
    return PlannedRun(
        run=run.run,
        cell=run.cell,
        seed=run.seed,
        arms=run.arms,
        spec=run.spec,
        spec_hash=run.spec_hash,
        root_state=run.root_state,
        chain=run.chain,
        prefix=prefix,
        status=status,
        continues=start if waits else None,
        needs=(sharing.needs[run.run],) if waits and run.run in sharing.needs else (),
        message=found.message if found and status == "failed" else "",
        estimate=estimate,
    )


def _shared(prefixes: Sequence[PlannedRun], pending: Sequence[Expanded]) -> tuple[SharedWork, ...]:
    """For every stage that is shared: how often it is trained, and how often it would be if nothing were shared."""
    found: list[SharedWork] = []
    for stage in dict.fromkeys(prefix.chain[-1].stage for prefix in prefixes):
        ends = [_end_of(run, stage) for run in pending]
        states = [state for state in ends if state is not None]
        found.append(SharedWork(stage=stage, jobs=len(set(states)), runs=len(states)))
    return tuple(found)


def _end_of(run: Expanded, stage: str) -> str | None:
    """The state after a stage of a run; None where it has no such stage."""
    return next((stretch.end_state for stretch in reversed(run.chain) if stretch.stage == stage), None)


def _warnings(loaded: Loaded, arms: Sequence[PlannedArm]) -> list[str]:
    """What a reader of a comparison should know about its arms."""
    warnings: list[str] = []
    first = arms[0]
    for arm in arms[1:]:
        if arm.executions_per_step != first.executions_per_step and first.executions_per_step:
            share = arm.executions_per_step / first.executions_per_step
            warnings.append(f"{arm.name}: {share:g} times the executions per step of {first.name}")
        if arm.rl_steps != first.rl_steps:
            warnings.append(f"{arm.name}: {arm.rl_steps} rl steps, {first.name} has {first.rl_steps}")
    specs = {arm.name: arm.spec for arm in loaded.arms}
    updates = {arm.name: _updates(specs[arm.name]) for arm in arms}
    for arm in arms[1:]:
        if arm.rl_steps == first.rl_steps and updates[arm.name] > updates[first.name]:
            times = f"{updates[arm.name]} role updates, {first.name} has {updates[first.name]}"
            warnings.append(f"{arm.name}: several roles updated every step, {times}")
    masked = [arm.name for arm in arms if _masks(specs[arm.name])]
    if masked:
        which = "" if len(masked) == len(arms) else f"{', '.join(masked)}: "
        warnings.append(f"{which}shared policy: an inactive role is masked, not frozen")
    return warnings


def _stale(runs: Sequence[PlannedRun], existing: Mapping[str, Existing]) -> list[str]:
    """Done runs whose id is right and whose evaluations or code are others."""
    warnings: list[str] = []
    done = [(run, existing[run.run]) for run in runs if run.status == "done"]
    others = [
        f"{'/'.join(run.arms)} seed {run.seed}" for run, made in done if made.spec_hash not in ("", run.spec_hash)
    ]
    if others:
        which = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
        warnings.append(f"{which}: done with other evaluations than declared now; the policies are the same")
    codes = {made.code_hash for _, made in done if made.code_hash}
    if len(codes) > 1:
        warnings.append(f"the runs that are done were made by {len(codes)} versions of the code")
    return warnings


def _updates(spec: Spec) -> int:
    """Updates of one role by one rl step, summed over roles."""
    rl = [stage for stage in spec.stages if isinstance(stage, RlStage)]
    return sum(stage.steps * (1 if isinstance(stage.train, Alternate) else len(stage.train)) for stage in rl)


def _masks(spec: Spec) -> bool:
    if not isinstance(spec.policy.sharing, Shared):
        return False
    rl = [stage for stage in spec.stages if isinstance(stage, RlStage)]
    return any(isinstance(stage.train, Alternate) or set(stage.train) != set(spec.roles) for stage in rl)
