"""Runs one after the other, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

from mxspec.compile.job import Job
from runners.launch.attempt import attempt, imported
from runners.launch.launcher import RUN_JOB, Patience, Watcher
from runners.launch.queue import JobQueue
from runners.outcome import Outcome


class LocalLauncher:
    """The launcher of `runtime.launcher.kind: local`."""

    def __init__(self, patience: Patience | None = None, *, run_job: str = RUN_JOB) -> None:
        """Keeps how much trouble to take, and the function that executes a job (`module:name`)."""
        self._patience = patience or Patience()
        self._run_job = run_job

    def launch(self, jobs: Sequence[Job], watcher: Watcher, stop: Event) -> tuple[Outcome, ...]:
        """Runs the jobs in this thread (see `Launcher.launch`)."""
        queue = JobQueue(jobs, self._patience)
        run_job = imported(self._run_job) if jobs else None
        while (job := queue.take()) is not None:
            assert run_job is not None
            watcher.started(job)
            outcome = attempt(run_job, job, on_progress=watcher.progressed, stop=stop)
            for ended in queue.finish(outcome):
                watcher.ended(ended)
            if stop.is_set():
                for ended in queue.close("not started: interrupted"):
                    watcher.ended(ended)
        return queue.outcomes
