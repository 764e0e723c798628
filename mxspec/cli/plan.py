"""`mxspec plan`: what would run, what is done already, and what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.options import ARMS, DEFAULT_RUNS, JSON, RUNS, SEEDS, SET, SPEC, TRUST, numbers

MOST_ROWS = 60
"""Arms that are printed; a sweep may have thousands."""

if TYPE_CHECKING:
    from mxspec.plan.plan import Plan, PlannedArm, PlannedRun


def plan(
    spec: Annotated[str, SPEC],
    arms: Annotated[list[str] | None, ARMS] = None,
    seeds: Annotated[list[str] | None, SEEDS] = None,
    sets: Annotated[list[str] | None, SET] = None,
    trust: Annotated[bool, TRUST] = False,
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    max_gpu_hours: Annotated[
        float | None, typer.Option("--max-gpu-hours", min=0, metavar="H", help="Refuse what should take more (exit 1).")
    ] = None,
    why: Annotated[
        str | None, typer.Option("--why", metavar="RUN", help="Say in which values a run (id or arm) is a new one.")
    ] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit 10 if anything is left to do.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Save the plan; `mxspec run FILE` runs exactly it.")
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Show the runs of a spec, how arms differ, what is shared and what is done already."""
    from mxspec.cli.exits import PLAN_HAS_CHANGES, UsageError
    from mxspec.cli.output import print_json, say
    from mxspec.load import load_spec
    from mxspec.plan.expand import UnknownChoice
    from mxspec.plan.make import make_plan

    if spec.endswith(".json"):
        raise UsageError(
            f"{spec} is no spec; a saved plan is run by `mxspec run {spec}`, and compared by `mxspec diff`"
        )
    wanted = numbers(seeds)
    try:
        found = make_plan(load_spec(spec, sets=tuple(sets or ()), trust=trust), runs, arms=arms, seeds=wanted)
    except UnknownChoice as error:
        raise UsageError(str(error)) from error
    if out is not None:
        from mxspec.rundir.files import write_whole

        require_replaceable(out)
        write_whole(out, found.model_dump_json(by_alias=True, indent=1) + "\n")
        say(f"{out}: {len(found.runs)} run{'s' if len(found.runs) != 1 else ''}; `mxspec run {out}` runs exactly this")
    if why is not None:
        from mxspec.cli.why import print_why

        print_why(found, why, runs)
    elif json:
        print_json("plan", {"plan": found.model_dump(mode="json", by_alias=True)})
    else:
        print_plan(found)
    require_gpu_hours(found, max_gpu_hours)
    if exit_code and found.changes:
        raise typer.Exit(PLAN_HAS_CHANGES)


def print_plan(plan: Plan) -> None:
    """Prints a plan for people, on stdout."""
    from rich.markup import escape
    from rich.table import Table

    from mxspec.cli.output import console
    from mxspec.compile.runnable import to_come

    out = console()
    out.print(headline(plan), style="bold", markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("ARM", overflow="fold")
    table.add_column(f"DIFFERS FROM {plan.baseline}" if len(plan.arms) > 1 else "TRAINS", overflow="fold")
    for name in ("SEEDS", "STATE"):
        table.add_column(name)
    for name in ("STEPS", "EXEC/STEP", "EXECUTIONS"):
        table.add_column(name, justify="right")
    timed = any(run.estimate.seconds is not None for run in plan.runs)
    devices = any(run.estimate.gpus for run in plan.runs)
    for name in (*(["TIME"] if timed else []), *(["GPU-H"] if devices else [])):
        table.add_column(name, justify="right")
    runs = runs_of_arms(plan)
    for arm in plan.arms[:MOST_ROWS]:
        own = runs[arm.name]
        cells = [*_row(plan, arm, own), *([_time(own)] if timed else []), *([_hours(own)] if devices else [])]
        table.add_row(*(escape(cell) for cell in cells))
    out.print(table)
    if len(plan.arms) > MOST_ROWS:
        more = len(plan.arms) - MOST_ROWS
        out.print(f"... and {more:,} more arms; --json has all, --arm NAME shows one", markup=False)
    for line in totals(plan):
        out.print(line, markup=False, soft_wrap=True)
    for one in plan.shared:
        out.print(f"shared work  {one.stage}: {one.jobs} trained instead of {one.runs}", markup=False, soft_wrap=True)
    for run in plan.runs:
        if run.continues is not None and run.status != "new":
            goes_on = f"continues {run.continues.run} from step {run.continues.step}"
            out.print(f"{run.run}  {'/'.join(run.arms)} seed {run.seed}: {goes_on}", markup=False)
        if run.status == "failed":
            out.print(
                f"{run.run}  {'/'.join(run.arms)} seed {run.seed} failed: {run.message}", style="red", markup=False
            )
    refused = dict.fromkeys(name for run in plan.runs[:MOST_ROWS] for name in to_come(run.spec))
    if refused:
        out.print(
            f"! `run` refuses this: no runner yet for {'; '.join(refused)}",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
    for warning in plan.warnings:
        out.print(f"! {warning}", style="yellow", markup=False, soft_wrap=True)


def require_replaceable(out: Path) -> None:
    """Refuses to write a plan over anything but a plan.

    Raises:
        CliError: The file exists and is none.
    """
    from mxspec.cli.exits import CliError

    if out.exists() and not (out.is_file() and out.read_bytes()[:200].lstrip().startswith(b'{\n "version"')):
        raise CliError(f"{out} exists and is no saved plan", hint="choose another name")


def require_gpu_hours(plan: Plan, most: float | None) -> None:
    """Refuses a plan that should take too long.

    Raises:
        CliError: It should take more, or nobody knows.
    """
    from mxspec.cli.exits import CliError, UsageError

    hours = [run.estimate.gpu_hours for run in plan.left]
    known = sum(one for one in hours if one is not None)
    if most is not None and not most >= 0:
        raise UsageError(f"{most} are no hours")
    if most is None or (known <= most and None not in hours):
        return
    if known > most:
        raise CliError(f"{known:,.1f} GPU-hours are left to do, and at most {most:g} are allowed")
    unknown = sum(one is None for one in hours)
    hint = "run one seed of each arm first: `mxspec run SPEC --seed 0`"
    raise CliError(f"how long {unknown} of {len(hours)} runs take on a GPU is not known", hint=hint)


def headline(plan: Plan) -> str:
    """Names, runs and their states in one line."""
    aliases = [f"{arm.name} = {arm.same_as}" for arm in plan.arms if arm.same_as]
    same = f" ({', '.join(aliases)})" if aliases else ""
    left = "  ".join(f"{status} {plan.count(status)}" for status in ("new", "continues", "done", "running", "failed"))
    arms = f"{len(plan.arms)} arm{'s' if len(plan.arms) != 1 else ''}"
    seeds = f"{len(plan.seeds)} seed{'s' if len(plan.seeds) != 1 else ''}"
    runs = f"{len(plan.runs)} run{'s' if len(plan.runs) != 1 else ''}"
    return f"{arms} x {seeds} = {plan.named} named, {runs}{same}   {left}"


def runs_of_arms(plan: Plan) -> dict[str, list[PlannedRun]]:
    """The runs of every arm."""
    found: dict[str, list[PlannedRun]] = {arm.name: [] for arm in plan.arms}
    for run in plan.runs:
        for name in run.arms:
            found[name].append(run)
    return found


def totals(plan: Plan) -> list[str]:
    """What a run takes at most, and how long what is left should take."""
    one = plan.arms[0].bounds
    lines: list[str] = []
    parts = [f"at most {brief_count(one.calls)} calls, {brief_count(one.tokens)} tokens"] if one.calls else []
    if one.optimizer_steps:
        parts.append(f"{one.optimizer_steps:,} optimizer steps")
    if one.checkpoint_mb is not None and one.memory_mb is not None:
        parts += [f"{one.checkpoints} checkpoints of {one.checkpoint_mb:,.1f} MB", f"about {one.memory_mb:,.0f} MB"]
    if parts:
        lines.append(f"a run of {plan.arms[0].name}  {', '.join(parts)}; evaluations on top")
    left, known = plan.left, [run.estimate.seconds for run in plan.left if run.estimate.seconds is not None]
    if known:
        workers = getattr(left[0].spec.runtime.launcher, "workers", 1)
        whole = sum(known) / min(workers, len(left))
        more = f", {len(left) - len(known)} of unknown length not counted" if len(known) < len(left) else ""
        lines.append(f"left to do  about {duration(whole)} on {workers} worker{'s' if workers > 1 else ''}{more}")
    return lines


def brief_count(number: int) -> str:
    """A large number in a few characters: 1.7 M."""
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return str(number)


def duration(seconds: float) -> str:
    """A time in two units at most: `1 h 20 min`, `95 s`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def _time(runs: list[PlannedRun]) -> str:
    known = [run.estimate.seconds for run in runs if run.estimate.seconds is not None]
    return f"~{duration(sum(known) / len(known))}" if known else ".."


def _hours(runs: list[PlannedRun]) -> str:
    known = [run.estimate.gpu_hours for run in runs if run.estimate.gpu_hours is not None]
    return f"{sum(known):.1f}" if known else ".."


def _row(plan: Plan, arm: PlannedArm, runs: list[PlannedRun]) -> list[str]:
    states = list(dict.fromkeys(run.status for run in runs))
    state = (
        states[0] if len(states) == 1 else ", ".join(f"{one} {sum(r.status == one for r in runs)}" for one in states)
    )
    if arm.name == plan.baseline or len(plan.arms) == 1:
        differs = f"trains {', '.join(arm.trains)}" if arm.trains else "trains nothing by rl"
    else:
        differs = "; ".join(f"{one.path}: {one.baseline} -> {one.value}" for one in arm.differs) or "nothing"
    executions = arm.executions_per_step * arm.rl_steps
    return [
        arm.name if arm.same_as is None else f"{arm.name} = {arm.same_as}",
        differs,
        " ".join(str(run.seed) for run in runs),
        state,
        _steps(runs[0]) if runs else "",
        f"{arm.executions_per_step:,}",
        f"{executions:,}",
    ]


def _steps(run: PlannedRun) -> str:
    """Steps by kind: epochs of sft (`<=` where a gate decides), then rl steps."""
    from mxspec.plan.status import longest

    epochs = sum(longest(run.spec, one) for one in run.chain if one.kind == "sft")
    gated = any(one.steps is None for one in run.chain)
    steps = sum(one.steps or 0 for one in run.chain if one.kind == "rl")
    return f"{'<=' if gated else ''}{epochs} + {steps}" if epochs else str(steps)
