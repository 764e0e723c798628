"""What `run` shows while runs go on: bars on a terminal, plain lines elsewhere, nothing when quiet.

Both speak on stderr. A bar is one active run: arm, seed, stage, who trains, steps, held-out
accuracy. A plain line appears where something changed that people look for (a stage, who trains,
an accuracy, an end), so a run of hundreds of steps stays a screenful.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from mxspec.cli.output import console, say
from mxspec.compile.job import Job
from mxspec.spec import Spec

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from runners.outcome import Outcome, Progress


class Watching(Protocol):
    """The watcher that a launcher tells (see `runners.launch.launcher.Watcher`)."""

    def started(self, job: Job) -> None:
        """A job begins on a worker."""
        ...

    def progressed(self, progress: Progress) -> None:
        """A run has taken a step."""
        ...

    def ended(self, outcome: Outcome) -> None:
        """A run has ended, or will never start."""
        ...

    def noted(self, message: str) -> None:
        """Something that people should know."""
        ...


def label(job: Job) -> str:
    """How a job is called: its arm and seed, or what shares it."""
    arm = "/".join(job.arms[:2]) + (f" +{len(job.arms) - 2}" if len(job.arms) > 2 else "")
    if job.prefix:
        arm = f"shared start of {len(job.arms)} arms" if len(job.arms) > 1 else f"start of {arm}"
    return f"{arm} seed {job.seed}"


def held_out(spec: Spec) -> str | None:
    """The evaluation that people watch: the first on a test split, else the last one declared."""
    judging = [name for name, one in spec.evaluate.items() if any(use.split == "test" for use in one.on)]
    return next(iter([*judging, *reversed(spec.evaluate)]), None)


class Lines:
    """Plain lines; with `quiet`, only failures and notes."""

    def __init__(self, jobs: Sequence[Job], *, quiet: bool = False) -> None:
        """Keeps the names of the jobs."""
        self._jobs = {job.run: job for job in jobs}
        self._shown: dict[str, tuple[object, ...]] = {}
        self._quiet = quiet
        self._over = 0

    def started(self, job: Job) -> None:
        """One line."""
        if not self._quiet:
            say(f"{label(job)}: starts ({job.run})")

    def progressed(self, progress: Progress) -> None:
        """A line where the stage, the trained roles or the accuracy changed."""
        job = self._jobs[progress.run]
        accuracy = accuracy_of(job, progress)
        now = (progress.stage, progress.trained, accuracy)
        if self._quiet or self._shown.get(progress.run) == now:
            return
        self._shown[progress.run] = now
        trains = f", trains {' and '.join(progress.trained)}" if progress.trained else ""
        found = "" if accuracy is None else f", held-out accuracy {accuracy:.3f}"
        message = f", {progress.message}" if progress.message else ""
        steps = f"step {progress.step}/{progress.total_steps}"
        say(f"{label(job)}: {progress.stage} {progress.stage_step} ({steps}){trains}{found}{message}")

    def ended(self, outcome: Outcome) -> None:
        """One line; the reason where there is one."""
        self._over += 1
        if self._quiet and outcome.state == "done":
            return
        reason = f": {outcome.message}" if outcome.message else ""
        took = f" after {outcome.seconds:.0f} s" if outcome.seconds else ""
        say(f"{label(self._jobs[outcome.run])}: {outcome.state}{took}{reason}  [{self._over}/{len(self._jobs)}]")

    def noted(self, message: str) -> None:
        """One line."""
        say(message)


class BarsOnTerminal:
    """One bar for each active run and one for all."""

    def __init__(self, jobs: Sequence[Job], bars: Bars) -> None:
        """Adds the bar for all jobs, where there are several."""
        self._jobs = {job.run: job for job in jobs}
        self._bars = bars
        self._active: dict[str, TaskID] = {}
        self._all = bars.add_task("all", total=len(jobs), what=f"{len(jobs)} runs", stage="", trains="", accuracy="")
        bars.update(self._all, visible=len(jobs) > 1)

    def started(self, job: Job) -> None:
        """Adds its bar; one that a dead worker left goes."""
        self._remove(job.run)
        self._active[job.run] = self._bars.add_task(
            job.run, total=None, what=label(job), stage="starts", trains="", accuracy=""
        )

    def progressed(self, progress: Progress) -> None:
        """Moves its bar."""
        accuracy = accuracy_of(self._jobs[progress.run], progress)
        self._bars.update(
            self._active[progress.run],
            total=progress.total_steps,
            completed=progress.step,
            stage=f"{progress.stage} {progress.stage_step}",
            trains=" ".join(progress.trained),
            accuracy="" if accuracy is None else f"{accuracy:.3f}",
        )

    def ended(self, outcome: Outcome) -> None:
        """Removes its bar; an end that is not good stays as a line."""
        self._remove(outcome.run)
        self._bars.update(self._all, advance=1)
        if outcome.state != "done":
            reason = f": {outcome.message}" if outcome.message else ""
            self.noted(f"{label(self._jobs[outcome.run])}: {outcome.state}{reason}")

    def noted(self, message: str) -> None:
        """A line above the bars."""
        self._bars.console.print(message, markup=False)

    def _remove(self, run: str) -> None:
        if run in self._active:
            self._bars.remove_task(self._active.pop(run))


def accuracy_of(job: Job, progress: Progress) -> float | None:
    """The newest held-out accuracy that the run has reported."""
    name = held_out(job.spec)
    return progress.metrics.get(f"evaluate.{name}.accuracy")


@contextmanager
def watching(jobs: Iterable[Job], *, quiet: bool) -> Iterator[Watching]:
    """Bars where stderr is a terminal, lines elsewhere; the bars go when the block ends."""
    jobs = tuple(jobs)
    screen = console(stderr=True)
    if quiet or not screen.is_terminal:
        yield Lines(jobs, quiet=quiet)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.fields[what]}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[stage]}", markup=False),
        TextColumn("{task.fields[trains]}", markup=False),
        TextColumn("{task.fields[accuracy]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=screen, transient=True) as bars:
        yield BarsOnTerminal(jobs, bars)
