"""`mxspec plan`: what would run, what is done already, and what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.options import DEFAULT_RUNS, JSON, RUNS, SET, SPEC, TRUST

if TYPE_CHECKING:
    from mxspec.plan.plan import Plan, PlannedArm, PlannedRun


def plan(
    spec: Annotated[str, SPEC],
    arms: Annotated[list[str] | None, typer.Option("--arm", metavar="NAME", help="Only this arm; repeatable.")] = None,
    seeds: Annotated[list[int] | None, typer.Option("--seed", metavar="N", help="Only this seed; repeatable.")] = None,
    sets: Annotated[list[str] | None, SET] = None,
    trust: Annotated[bool, TRUST] = False,
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
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

    try:
        found = make_plan(load_spec(spec, sets=tuple(sets or ()), trust=trust), runs, arms=arms, seeds=seeds)
    except UnknownChoice as error:
        raise UsageError(str(error)) from error
    if out is not None:
        from mxspec.rundir.files import write_whole

        write_whole(out, found.model_dump_json(by_alias=True, indent=1) + "\n")
        say(f"{out}: {len(found.runs)} run{'s' if len(found.runs) != 1 else ''}; `mxspec run {out}` runs exactly this")
    if json:
        print_json("plan", {"plan": found.model_dump(mode="json", by_alias=True)})
    else:
        print_plan(found)
    if exit_code and found.changes:
        raise typer.Exit(PLAN_HAS_CHANGES)


def print_plan(plan: Plan) -> None:
    """Prints a plan for people, on stdout."""
    from rich.markup import escape
    from rich.table import Table

    from mxspec.cli.output import console

    out = console()
    out.print(headline(plan), style="bold", markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("ARM", overflow="fold")
    table.add_column(f"DIFFERS FROM {plan.baseline}" if len(plan.arms) > 1 else "TRAINS", overflow="fold")
    for name in ("SEEDS", "STATE"):
        table.add_column(name)
    for name in ("STEPS", "EXEC/STEP", "EXECUTIONS"):
        table.add_column(name, justify="right")
    for arm in plan.arms:
        table.add_row(*(escape(cell) for cell in _row(plan, arm)))
    out.print(table)
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
    for warning in plan.warnings:
        out.print(f"! {warning}", style="yellow", markup=False, soft_wrap=True)


def headline(plan: Plan) -> str:
    """Names, runs and their states in one line."""
    aliases = [f"{arm.name} = {arm.same_as}" for arm in plan.arms if arm.same_as]
    same = f" ({', '.join(aliases)})" if aliases else ""
    left = "  ".join(f"{status} {plan.count(status)}" for status in ("new", "continues", "done", "running", "failed"))
    arms = f"{len(plan.arms)} arm{'s' if len(plan.arms) != 1 else ''}"
    seeds = f"{len(plan.seeds)} seed{'s' if len(plan.seeds) != 1 else ''}"
    return f"{arms} x {seeds} = {plan.named} named, {len(plan.runs)} runs{same}   {left}"


def _row(plan: Plan, arm: PlannedArm) -> list[str]:
    runs = [run for run in plan.runs if arm.name in run.arms]
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
