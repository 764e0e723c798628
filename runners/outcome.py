"""What a run tells while it goes on, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

State = Literal["done", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands after a step.

    Attributes:
        run: Id of the run.
        stage: Stage under way.
        stage_step: Steps of the stage that are done.
        step: Steps of the whole run that are done.
        total_steps: Most steps that the run can take (a gate may end a stage before).
        trained: Roles that the step trained.
        message: A line for people; empty where there is nothing to say.
        metrics: The newest value of each measure that people watch, by name, e.g. `evaluate.test.accuracy`.
        news: Names of those that were measured since the last report.
    """

    run: str
    stage: str
    stage_step: int
    step: int
    total_steps: int
    trained: tuple[str, ...] = ()
    message: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    news: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a run.

    Attributes:
        run: Id of the run.
        state: `done`; `failed` with the reason in `message`; `interrupted` after a committed step.
        steps: Steps that are committed, those of earlier attempts included.
        seconds: Wall-clock seconds of this attempt.
        message: Why it failed; empty otherwise.
        environment: Whether it failed for want of something that the machine lacks.
    """

    run: str
    state: State
    steps: int
    seconds: float
    message: str = ""
    environment: bool = False
