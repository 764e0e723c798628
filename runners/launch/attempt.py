"""One attempt at one job, wherever it runs: whatever goes wrong becomes an outcome that names it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import cast

from mxspec.compile.job import Job
from runners.errors import GateMissed, MissingEnvironment
from runners.launch.journal import journal, progress_line
from runners.launch.launcher import RunJob
from runners.outcome import Outcome, Progress
from runners.track.wandb import mirrored


def imported(target: str) -> RunJob:
    """The function that `module:name` names."""
    module, _, name = target.partition(":")
    return cast(RunJob, getattr(import_module(module), name))


def attempt(run_job: RunJob, job: Job, *, on_progress: Callable[[Progress], None], stop: Event) -> Outcome:
    """Runs a job and contains its failure, so that one failing run never stops the others.

    A fault that the job can name (the ValueError family, a full disk, a missing package) gives a
    message for users; anything else is a bug, said to be one, with its traceback in `run.log`.
    Neither is ever a score: the run is `failed`. Ctrl-C and exits pass through.

    Args:
        run_job: Executes the job.
        job: What to run.
        on_progress: Called after every step.
        stop: Set to have the run commit the step in progress and stop.

    Returns:
        What `run_job` returned, or a failure.
    """
    since = perf_counter()
    last = 0

    def failed(message: str, *, environment: bool = False) -> Outcome:
        return Outcome(job.run, "failed", last, perf_counter() - since, message, environment)

    try:
        with journal(Path(job.runs_dir) / job.run) as log, mirrored(job) as mirror:

            def progressed(progress: Progress) -> None:
                nonlocal last
                last = progress.step
                log.info(progress_line(progress))
                mirror(progress)
                on_progress(progress)

            log.info("starts: arms %s, seed %d", ", ".join(job.arms) or "none", job.seed)
            try:
                outcome = run_job(job, on_progress=progressed, stop=stop)
            except GateMissed as error:
                log.error("failed: %s", error)
                return failed(explained(error))
            except (ValueError, OSError, ImportError, MemoryError) as error:
                log.exception("failed")
                return failed(explained(error), environment=isinstance(error, (MissingEnvironment, ImportError)))
            except Exception as error:
                log.exception("failed by a bug")
                return failed(
                    f"internal error: {explained(error)} (this is a bug; `mxspec logs {job.run}` shows where)"
                )
            log.info("%s after %d steps, %.1f s %s", outcome.state, outcome.steps, outcome.seconds, outcome.message)
            return outcome
    except OSError as error:
        return failed(explained(error))


def explained(error: BaseException) -> str:
    """The kind of an error and what it says, on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else text or type(error).__name__
    if isinstance(error, ValueError) and type(error) is not ValueError:
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
