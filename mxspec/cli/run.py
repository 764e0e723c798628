"""`mxspec run`: plan, launch, watch, collect, and say what came out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.exits import FAILED, INTERRUPTED, MISSING_ENVIRONMENT
from mxspec.cli.options import ARMS, DEFAULT_RUNS, JSON, RUNS, SEEDS, SET, SPEC_OR_PLAN, TRUST, numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mxspec.compile.job import Job
    from mxspec.load.errors import Position
    from mxspec.plan.plan import Plan
    from mxspec.spec.runtime import Runtime
    from runners.outcome import Outcome


def run(
    spec: Annotated[str, SPEC_OR_PLAN],
    sets: Annotated[list[str] | None, SET] = None,
    trust: Annotated[bool, TRUST] = False,
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    arms: Annotated[list[str] | None, ARMS] = None,
    seeds: Annotated[list[str] | None, SEEDS] = None,
    max_gpu_hours: Annotated[
        float | None, typer.Option("--max-gpu-hours", min=0, metavar="H", help="Refuse what should take more (exit 1).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan and stop.")] = False,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="The first failed run stops all others.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show failures and the result only.")] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Run what a spec declares and is not done yet, and land the results in the store.

    What is done already is not run again; what was interrupted goes on. Ctrl-C commits the step
    in progress and stops (exit 130); a second Ctrl-C stops at once, which costs no committed step.
    Exit 1 where a run failed, 3 where the spec is wrong, 4 where the machine lacks something.
    """
    from mxspec.cli.exits import UsageError
    from mxspec.cli.output import say
    from mxspec.cli.plan import print_plan, require_gpu_hours
    from mxspec.cli.summary import summarise
    from mxspec.compile.jobs import compile_jobs
    from mxspec.load import load_spec
    from mxspec.plan.expand import UnknownChoice
    from mxspec.plan.make import make_plan

    wanted = numbers(seeds)
    origins: Mapping[str, Position] = {}
    if spec.endswith(".json"):
        if sets or arms or seeds:
            raise UsageError("a saved plan runs as it was reviewed: it takes no --set, --arm or --seed")
        plan = saved_plan(Path(spec), runs, trust=trust)
    else:
        try:
            loaded = load_spec(spec, sets=tuple(sets or ()), trust=trust)
            plan, origins = make_plan(loaded, runs, arms=arms, seeds=wanted), loaded.origins
        except UnknownChoice as error:
            raise UsageError(str(error)) from error
    jobs = compile_jobs(plan)
    require_gpu_hours(plan, max_gpu_hours)
    runtime = plan.runs[0].spec.runtime
    if not quiet and not json:
        print_plan(plan)
    if dry_run:
        return
    outcomes: tuple[Outcome, ...] = ()
    part = bool(arms or seeds)
    if jobs:
        require_runners(jobs)
        require_packages(runtime)
        require_checks(plan, jobs, origins)
        record_sweep(plan, runs, part=part)
        outcomes = launch(jobs, runtime, runs, fail_fast=fail_fast, quiet=quiet or json)
    elif not quiet:
        elsewhere = plan.count("running")
        say(f"{elsewhere} in progress elsewhere; nothing else is left to do" if elsewhere else "nothing is left to do")
    record_sweep(plan, runs, part=part)  # again: meanwhile another process may have run the sweep with other settings
    summarise(plan, outcomes, runs, json=json)
    code = exit_code(outcomes)
    if code:
        raise typer.Exit(code)


def saved_plan(path: Path, runs: Path, *, trust: bool = False) -> Plan:
    """A plan that was saved and reviewed, with what has been done since.

    Raises:
        CliError: A prompt, script, plugin or data file has changed since.
        NoPlan: The file is no plan.
    """
    from mxspec.cli.exits import CliError
    from mxspec.cli.output import say
    from mxspec.plan.make import renewed
    from mxspec.plan.saved import read_plan
    from mxspec.plan.sources import ContentChanged, changed_since

    plan = read_plan(path, trust=trust)
    try:
        for changed in changed_since(plan):
            say(f"note: {changed} has changed since the plan was made; what was reviewed runs")
    except ContentChanged as error:
        raise CliError(str(error)) from error
    return renewed(plan, runs)


def require_runners(jobs: Sequence[Job]) -> None:
    """Refuses to start what no runner does yet.

    Raises:
        MissingEnvironment: Names what the specs say.
    """
    from mxspec.cli.exits import MissingEnvironment
    from mxspec.compile.runnable import to_come
    from mxspec.spec.plugin import PluginFile

    left = [one for one in jobs[0].spec.plugins if isinstance(one, PluginFile) and one.text is None]
    if left:
        raise MissingEnvironment(f"the plugin {left[0].file} is not trusted", hint="read it, and add --trust")
    found = dict.fromkeys(name for job in jobs for name in to_come(job.spec))
    if found:
        raise MissingEnvironment(
            f"no runner yet for {'; '.join(found)}", hint="the spec validates and plans; remove this to run it now"
        )


def require_checks(plan: Plan, jobs: Sequence[Job], origins: Mapping[str, Position]) -> None:
    """Refuses to start what `mxspec check` finds to be wrong; models are not built here.

    Raises:
        SpecErrors: The data is wrong.
        MissingEnvironment: This machine is.
    """
    from mxspec.cli.check import ENVIRONMENT
    from mxspec.cli.exits import MissingEnvironment
    from mxspec.cli.output import say
    from mxspec.load import SpecErrors
    from mxspec.load.errors import shown
    from runners.check import check_specs

    file = Path(plan.file)
    found = check_specs(
        [job.spec for job in jobs], origins=origins, file=shown(file), base_dir=Path(plan.base_dir), models=False
    )
    for one in found.warnings:
        say(f"{one}  [{one.code}]")
    if found.errors and all(one.code in ENVIRONMENT for one in found.errors):
        raise MissingEnvironment("\n".join(map(str, found.errors)))
    if found.errors:
        raise SpecErrors(found.errors)


def require_packages(runtime: Runtime) -> None:
    """Refuses to start where a package is missing that every run needs.

    Raises:
        MissingEnvironment: Names the packages and how to install them.
    """
    from importlib.util import find_spec

    from mxspec.cli.exits import MissingEnvironment

    needed = ["torch", "transformers", "lightning", "pyarrow", "pydantic_monty", "duckdb"]
    if runtime.launcher.kind == "ray":
        needed.append("ray")
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise MissingEnvironment(
            f"not installed: {', '.join(missing)}",
            hint="pip install torch==2.13.0, then pip install 'mxspec[run,analysis]'",
        )


def record_sweep(plan: Plan, runs_dir: Path, *, part: bool) -> None:
    """Records which runs the arms stand for, in `sweeps/` beside the run directories.

    Args:
        plan: What is run.
        runs_dir: Where the run directories are.
        part: Whether only some arms or seeds were asked for; those recorded before stay then.
    """
    from mxspec.rundir import SweepRecord, SweepRun, read_sweeps, write_sweep

    runs = {
        (arm, one.seed): SweepRun(arm=arm, seed=one.seed, cell=one.cell, run=one.run, is_baseline=arm == plan.baseline)
        for arm in (named.name for named in plan.arms)
        for one in plan.runs
        if arm in one.arms
    }
    before = next((one for one in read_sweeps(runs_dir) if one.name == plan.name), None)
    if part and before is not None and before.baseline == plan.baseline:
        runs = {(one.arm, one.seed): one for one in before.runs} | runs
    write_sweep(runs_dir, SweepRecord(name=plan.name, baseline=plan.baseline, runs=tuple(runs.values())))


def launch(
    jobs: Sequence[Job],
    runtime: Runtime,
    runs_dir: Path,
    *,
    fail_fast: bool = False,
    quiet: bool = False,
    run_job: str | None = None,
) -> tuple[Outcome, ...]:
    """Runs jobs, shows their progress and collects meanwhile.

    Args:
        jobs: What is left to do.
        runtime: `runtime` of the spec, which names the launcher.
        runs_dir: Where the run directories are.
        fail_fast: Whether the first failed run stops all others.
        quiet: Whether only failures are shown.
        run_job: Function that executes a job, as `module:name`; that of the runners where None.

    Returns:
        One outcome a job.

    Raises:
        KeyboardInterrupt: A second Ctrl-C.
    """
    from threading import Event

    import runners.errors
    from mxspec.cli.collecting import BackgroundCollector
    from mxspec.cli.exits import MissingEnvironment
    from mxspec.cli.output import say
    from mxspec.cli.watch import watching
    from runners.launch import RUN_JOB, launcher_for
    from runners.launch.interrupts import stop_on_signals

    stop = Event()
    launcher = launcher_for(runtime, fail_fast=fail_fast, run_job=run_job or RUN_JOB)
    with watching(jobs, quiet=quiet) as watcher, BackgroundCollector(runs_dir, watcher.noted):
        with stop_on_signals(stop, lambda: say("stops after the step in progress; Ctrl-C again stops at once")):
            try:
                return launcher.launch(jobs, watcher, stop)
            except runners.errors.MissingEnvironment as error:
                raise MissingEnvironment(error.missing, hint=error.hint) from error


def exit_code(outcomes: Sequence[Outcome]) -> int:
    """The code that stands for what became of the jobs."""
    failed = [one for one in outcomes if one.state == "failed"]
    if failed:
        return MISSING_ENVIRONMENT if all(one.environment for one in failed) else FAILED
    return INTERRUPTED if any(one.state == "interrupted" for one in outcomes) else 0
