"""Where a run stands in its chain of states, and the checkpoint that it goes on from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mxspec.compile.job import Job
from mxspec.plan.status import longest, positions
from mxspec.rundir import Committed, DamagedError, RunDir, open_runs


@dataclass(slots=True)
class Position:
    """Steps done so far.

    Attributes:
        stretch: Index of the stretch under way.
        done: Steps of it that are done.
        step: Steps of the whole run that are done.
        stage_step: Steps of the stage that are done.
        questions: Questions consumed, by stage.
    """

    stretch: int = 0
    done: int = 0
    step: int = 0
    stage_step: int = 0
    questions: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Start:
    """A committed checkpoint on a run's chain."""

    run: str
    checkpoint: Committed
    step: int
    stage_step: int
    state: str
    stretch: int
    done: int


def chain_states(job: Job) -> dict[str, tuple[int, int]]:
    """Every state of a job's chain -> (stretch, steps done in it), ends given as the start of the next stretch."""
    return positions(job.spec, job.chain)


def max_steps(job: Job, index: int) -> int:
    """Most steps of a stretch: its length, or the most epochs that its gate allows."""
    return longest(job.spec, job.chain[index])


def find_start(job: Job) -> Start | None:
    """The committed checkpoint furthest along the job's chain, in its own directory or any other run's.

    One whose files are not those that it was committed with is passed over for the next.
    """
    states = chain_states(job)
    found: list[Start] = []
    for info in open_runs(Path(job.runs_dir)):
        for one in RunDir(info.path).checkpoints() if info.checkpoints else ():
            if one.manifest.state in states:
                stretch, done = states[one.manifest.state]
                at = one.manifest
                found.append(Start(info.run, one, at.step, at.stage_step, at.state, stretch, done))
    for start in sorted(found, key=lambda one: (one.stretch, one.done, one.run == job.run), reverse=True):
        try:
            start.checkpoint.verify()
        except DamagedError:
            continue
        return start
    return None
