"""Which job starts next: needs before dependents, failures contained, attempts counted."""

from __future__ import annotations

from collections.abc import Sequence

from mxspec.compile.job import Job
from runners.launch.launcher import Patience
from runners.outcome import Outcome


class JobQueue:
    """Jobs that wait, run and have ended; decides and never executes.

    A need that is not among the jobs counts as met: the plan leaves out what is done.
    A job whose need failed fails too, one whose need was interrupted is interrupted.
    """

    def __init__(self, jobs: Sequence[Job], patience: Patience, *, workers: int = 1) -> None:
        """Queues the jobs.

        Args:
            jobs: In the order in which they are to start.
            patience: How much trouble to take.
            workers: How many jobs run at the same time.

        Raises:
            ValueError: Two jobs are the same run, or their needs go round in a circle.
        """
        self._order = [job.run for job in jobs]
        if len(set(self._order)) != len(self._order):
            raise ValueError("two jobs are the same run")
        self._waiting = {job.run: job for job in jobs}
        self._needs = {job.run: {need for need in job.needs if need in self._waiting} for job in jobs}
        self._refuse_circles()
        self._running: dict[str, Job] = {}
        self._ended: dict[str, Outcome] = {}
        self._attempts = dict.fromkeys(self._order, 0)
        self._patience = patience
        self._workers = workers
        self._closed = ""

    @property
    def over(self) -> bool:
        """Whether every job has ended."""
        return not self._waiting and not self._running

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What became of the jobs that have ended, in the order of the jobs."""
        return tuple(self._ended[run] for run in self._order if run in self._ended)

    @property
    def must_stop(self) -> bool:
        """Whether a failure asks the runs in progress to stop."""
        return self._patience.fail_fast and any(one.state == "failed" for one in self._ended.values())

    def take(self) -> Job | None:
        """The next job whose needs are met; it counts as running from now on.

        Jobs start in their order, but one that others wait for goes first where fewer jobs
        are left besides than there are workers: else these would idle while it runs.
        """
        ready = [run for run in self._waiting if not self._needs[run]]
        if not ready:
            return None
        wanted = set().union(*(self._needs[run] for run in self._waiting))
        leading = [run for run in ready if run in wanted]
        run = leading[0] if leading and len(ready) - len(leading) < self._workers else ready[0]
        self._running[run] = job = self._waiting.pop(run)
        self._attempts[run] += 1
        return job

    def finish(self, outcome: Outcome) -> tuple[Outcome, ...]:
        """Books the end of a running job.

        Returns:
            The outcome, followed by those of jobs that can no longer start.
        """
        del self._running[outcome.run]
        booked = [self._book(outcome)]
        for ended in booked:
            booked += self._settle_dependents(ended)
        failed = sum(one.state == "failed" for one in self._ended.values())
        if self.must_stop:
            booked += self.close("not started: a run failed (--fail-fast)")
        elif self._patience.max_failures is not None and failed >= self._patience.max_failures:
            booked += self.close(f"not started: {failed} runs failed, which is the most allowed (max_failures)")
        return tuple(booked)

    def retry(self, run: str) -> bool:
        """Puts a job whose worker died back in front; False where it has had all its attempts."""
        if self._attempts[run] > self._patience.retries or self._closed:
            return False
        self._waiting = {run: self._running.pop(run)} | self._waiting
        return True

    def attempts(self, run: str) -> int:
        """How often a job was started."""
        return self._attempts[run]

    def close(self, reason: str) -> tuple[Outcome, ...]:
        """Lets nothing more start; jobs that still wait are interrupted for this reason."""
        self._closed = reason
        waiting, self._waiting = self._waiting, {}
        return tuple(self._book(Outcome(run, "interrupted", 0, 0.0, reason)) for run in waiting)

    def _book(self, outcome: Outcome) -> Outcome:
        self._ended[outcome.run] = outcome
        return outcome

    def _settle_dependents(self, ended: Outcome) -> list[Outcome]:
        booked = []
        for run, needs in self._needs.items():
            if ended.run not in needs or run not in self._waiting:
                continue
            if ended.state == "done":
                needs.remove(ended.run)
                continue
            del self._waiting[run]
            reason = f"not started: it goes on from {ended.run}, which was {ended.state}"
            if ended.state == "failed":
                reason = f"not started: it goes on from {ended.run}, which failed: {ended.message}"
            booked.append(self._book(Outcome(run, ended.state, 0, 0.0, reason, ended.environment)))
        return booked

    def _refuse_circles(self) -> None:
        open_needs = {run: set(needs) for run, needs in self._needs.items()}
        while free := [run for run, needs in open_needs.items() if not needs]:
            for run in free:
                del open_needs[run]
            for needs in open_needs.values():
                needs.difference_update(free)
        if open_needs:
            raise ValueError(f"jobs need each other in a circle: {', '.join(sorted(open_needs))}")
