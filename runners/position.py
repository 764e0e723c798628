"""Where a run stands in its chain of states, and the checkpoint that it goes on from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mxspec.plan.identity import state_at

from mxspec.compile.job import Job
from mxspec.rundir import RunDir, open_runs


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
    checkpoint: Path
    step: int
    stage_step: int
    state: str
    stretch: int
    done: int


def chain_states(job: Job) -> dict[str, tuple[int, int]]:
    """Every state of a job's chain -> (stretch, steps done in it), ends given as the start of the next stretch."""
    states: dict[str, tuple[int, int]] = {}
    for index, stretch in enumerate(job.chain):
        for done in range(1, max_steps(job, index) + (stretch.steps is None)):
            states[state_at(stretch, done)] = (index, done)
        states[stretch.end_state] = (index + 1, 0)
    return states


def max_steps(job: Job, index: int) -> int:
    """Most steps of a stretch: its length, or the most epochs that its gate allows."""
    stretch = job.chain[index]
    if stretch.steps is not None:
        return stretch.steps
    stage = job.spec.stages[stretch.stage_index]
    assert stage.kind == "sft" and stage.gate is not None
    return stage.gate.max_epochs


def find_start(job: Job) -> Start | None:
    """The committed checkpoint furthest along the job's chain, in its own directory or any other run's."""
    states = chain_states(job)
    best: Start | None = None
    for info in open_runs(Path(job.runs_dir)):
        for checkpoint in info.checkpoints:
            if checkpoint.state not in states:
                continue
            stretch, done = states[checkpoint.state]
            found = Start(
                run=info.run,
                checkpoint=RunDir(info.path).checkpoint(checkpoint.step),
                step=checkpoint.step,
                stage_step=checkpoint.stage_step,
                state=checkpoint.state,
                stretch=stretch,
                done=done,
            )
            if best is None or (stretch, done, info.run == job.run) > (best.stretch, best.done, best.run == job.run):
                best = found
    return best
