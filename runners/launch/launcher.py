"""What a launcher is: it places jobs, tells a watcher about them, and says what became of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Protocol

from mxspec.compile.job import Job
from runners.outcome import Outcome, Progress

RUN_JOB = "runners.execute:run_job"
"""The function that executes a job, as `module:name`: a worker imports it by itself."""


class RunJob(Protocol):
    """Executes one job to its end, or to a committed step after `stop` was set."""

    def __call__(self, job: Job, *, on_progress: Callable[[Progress], None] | None, stop: Event | None) -> Outcome:
        """Runs the job and calls `on_progress` after every step."""
        ...


class Watcher(Protocol):
    """Whoever shows what goes on. Its methods are called from the thread that launches."""

    def started(self, job: Job) -> None:
        """A job begins on a worker (again, after a retry)."""
        ...

    def progressed(self, progress: Progress) -> None:
        """A run has taken a step."""
        ...

    def ended(self, outcome: Outcome) -> None:
        """A run has ended, or will never start."""
        ...

    def noted(self, message: str) -> None:
        """Something happened that people should know, such as a retry."""
        ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How much trouble a launch takes before it gives up.

    Attributes:
        fail_fast: The first failed run stops all others after the step that they are in.
        max_failures: Failed runs after which no new one starts; None: never.
        retries: Further attempts at a run whose worker died. A run that failed by itself is
            never tried again: it is deterministic, so it would fail in the same way.
    """

    fail_fast: bool = False
    max_failures: int | None = None
    retries: int = 2


class Launcher(Protocol):
    """Places jobs somewhere and waits for them."""

    def launch(self, jobs: Sequence[Job], watcher: Watcher, stop: Event) -> tuple[Outcome, ...]:
        """Runs every job whose needs can be met.

        Args:
            jobs: In the order in which they should start; a job's needs may stand anywhere.
            watcher: Told about every start, step and end.
            stop: Set from outside to have all runs commit the step in progress and stop.

        Returns:
            One outcome a job, in the order of `jobs`.
        """
        ...
