"""A plan -> the jobs that are left, shared prefixes before the runs that need them."""

from __future__ import annotations

from mxspec.compile.job import Job
from mxspec.plan.plan import Plan, PlannedRun

MEMORY_MB = 1500
"""Resident memory of a worker with torch and a small model loaded, before its own parameters."""


def compile_jobs(plan: Plan) -> tuple[Job, ...]:
    """All that is left to do.

    Args:
        plan: The plan.

    Returns:
        Jobs in execution order: one seed of every arm first, each prefix just before its first user.
        Runs that are done, or running elsewhere, have none.
    """
    left = {run.run: run for run in (*plan.prefixes, *plan.runs) if run.pending}
    ordered: dict[str, PlannedRun] = {}

    def add(run: PlannedRun) -> None:
        if run.run in ordered:
            return
        for need in run.needs:
            if need in left:
                add(left[need])
        ordered[run.run] = run

    for run in plan.runs:
        if run.run in left:
            add(run)
    return tuple(_job(run, plan) for run in ordered.values())


def _job(run: PlannedRun, plan: Plan) -> Job:
    trainer = run.spec.runtime.trainer
    return Job(
        run=run.run,
        cell=run.cell,
        seed=run.seed,
        arms=run.arms,
        spec=run.spec,
        spec_hash=run.spec_hash,
        chain=run.chain,
        root_state=run.root_state,
        prefix=run.prefix,
        needs=run.needs,
        runs_dir=plan.runs_dir,
        base_dir=plan.base_dir,
        threads=trainer.threads,
        memory_mb=MEMORY_MB,
        gpus=1.0 if trainer.accelerator == "cuda" else 0.0,
    )
