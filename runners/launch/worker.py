"""A warm worker: a process that has imported everything once and runs one job after the other."""

from __future__ import annotations

import os
from threading import Event, Lock

from mxspec.compile.job import read_job
from runners.launch.attempt import attempt, imported
from runners.outcome import Outcome, Progress


class Worker:
    """The body of a Ray actor.

    `run` occupies the actor's default concurrency group for as long as a job takes; `news` and
    `stop` belong to the group `control`, so they are answered meanwhile.
    """

    def __init__(self, run_job: str, threads: int) -> None:
        """Imports the function that executes jobs (`module:name`), and torch with it.

        Args:
            run_job: The function.
            threads: Threads of one run, in force before anything that reads them is imported.
        """
        os.environ["OMP_NUM_THREADS"] = str(threads)
        self._run_job = imported(run_job)
        self._stop = Event()
        self._lock = Lock()
        self._news: list[Progress] = []

    def run(self, job: str) -> Outcome:
        """Runs a job.

        Args:
            job: The job as JSON.
        """
        with self._lock:
            self._news.clear()
        return attempt(self._run_job, read_job(job), on_progress=self._tell, stop=self._stop)

    def news(self) -> list[Progress]:
        """Progress since the last call."""
        with self._lock:
            news, self._news = self._news, []
        return news

    def stop(self) -> None:
        """Has the job commit the step in progress and stop; for good, since nothing is run after an interrupt."""
        self._stop.set()

    def _tell(self, progress: Progress) -> None:
        with self._lock:
            self._news.append(progress)
