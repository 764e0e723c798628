"""Launchers: they place jobs (in this process, on Ray here, on a Ray cluster) and wait for them."""

from __future__ import annotations

from typing import cast

from mxspec.spec.runtime import RayLauncher as RaySpec
from mxspec.spec.runtime import Runtime
from runners.launch.launcher import RUN_JOB, Launcher, Patience, Watcher

__all__ = ["RUN_JOB", "Launcher", "Patience", "Watcher", "launcher_for"]


def launcher_for(runtime: Runtime, *, fail_fast: bool = False, run_job: str = RUN_JOB) -> Launcher:
    """The launcher that a spec asks for; Ray is imported only where it does.

    Args:
        runtime: `runtime` of the spec.
        fail_fast: Whether the first failed run stops all others.
        run_job: Function that executes a job, as `module:name`.
    """
    which = runtime.launcher
    if which.plugged is not None:
        from runners.plugged import made

        return cast(Launcher, made(which, patience=Patience(fail_fast=fail_fast), run_job=run_job))
    if isinstance(which, RaySpec):
        from runners.launch.ray import RayLauncher

        patience = Patience(fail_fast=fail_fast, max_failures=which.max_failures)
        return RayLauncher(
            workers=which.workers,
            address=which.address,
            threads=runtime.trainer.threads,
            patience=patience,
            run_job=run_job,
        )
    from runners.launch.local import LocalLauncher

    return LocalLauncher(Patience(fail_fast=fail_fast), run_job=run_job)
