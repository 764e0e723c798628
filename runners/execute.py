"""Executes one job in its run directory: lock, provenance, the algorithm, how it ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import perf_counter

from mxspec.compile.job import Job
from mxspec.load.dump import dump_spec
from mxspec.rundir import RunDir, RunLock
from mxspec.rundir.files import write_whole
from runners.coevolve import coevolve
from runners.memory import settled_memory
from runners.open_run import open_run
from runners.outcome import Outcome, Progress
from runners.provenance import cost_of, provenance_of
from runners.record.compact import compact


def run_job(job: Job, *, on_progress: Callable[[Progress], None] | None = None, stop: Event | None = None) -> Outcome:
    """Trains a run from where it stands to its end.

    Args:
        job: What to run.
        on_progress: Called after every step.
        stop: Set from outside to have the run commit its present step and stop.

    Returns:
        `done`, or `interrupted` after a committed step. A failure is recorded in the
        run directory and raised.

    Raises:
        BusyError: Another process works on the run.
        ValueError: Something that a user can mend: a missed gate, a missing file or package.
        OSError: The run directory cannot be written.
    """
    began = perf_counter()
    run_dir = RunDir(Path(job.runs_dir) / job.run)
    with RunLock(run_dir.path):
        write_whole(run_dir.path / "spec.yaml", dump_spec(job.spec))
        run_dir.write("provenance.json", provenance_of(job))
        run = open_run(job, run_dir, stop=stop or Event(), on_progress=on_progress or (lambda progress: None))
        try:
            with settled_memory():
                state = coevolve(run)
            run.recorder.finish(state, step=run.position.step)
        except BaseException as error:
            run.recorder.give_up(error, step=run.position.step)
            raise
        finally:
            run.bench.builder.close()
        seconds = perf_counter() - began
        if state == "done":
            attempts = len(run_dir.attempts())
            run_dir.write("cost.json", cost_of(job, seconds, run.position.step, run.response_tokens, attempts=attempts))
            compact(run_dir)
    return Outcome(run=job.run, state=state, steps=run.position.step, seconds=seconds, message=run.recorder.problem)
