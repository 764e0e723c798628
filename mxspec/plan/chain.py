"""A run as a chain of stretches, each of which takes the policies from one state to the next."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Stretch(BaseModel):
    """Consecutive steps that do the same thing: an sft stage, or one block of an rl stage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    stage_index: int
    kind: str
    trains: tuple[str, ...]
    """Roles whose samples carry gradient."""
    first: int
    """First step, counted within the stage."""
    steps: int | None
    """Number of steps; None where a gate decides (bounded by `gate.max_epochs`)."""
    start_state: str
    """State before its first step."""
    base_state: str
    """State before the first of the neighbouring stretches that do the same."""
    base_steps: int
    """Steps of those before it."""
    content: str
    """Hash of what one step does and of every leaf that it reads."""
    end_state: str
    """State after its last step."""


class Continues(BaseModel):
    """A committed checkpoint that a job goes on from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    step: int
    state: str
