"""A job: one run (or a shared prefix of runs), ready to be placed and executed."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from mxspec.spec import Spec


class Stretch(BaseModel):
    """Consecutive steps that do the same thing: an sft stage, or one block of an rl stage."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    stage_index: int
    kind: Literal["sft", "rl"]
    trains: tuple[str, ...]
    """Roles whose samples carry gradient."""
    first: int
    """First step, counted within the stage."""
    steps: int | None
    """Number of steps; None where a gate decides (bounded by `gate.max_epochs`)."""
    start_state: str
    """State before its first step."""
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


class Job(BaseModel):
    """What a worker needs to execute one run; JSON all the way down."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    """Id: the state after the last step."""
    cell: str
    """Hash of the resolved spec without its seed."""
    seed: int
    arms: tuple[str, ...]
    """Names of the arms that this run stands for (aliases included)."""
    spec: Spec
    """Resolved, files inlined (`prompt.text`, scripts), `sweep` removed."""
    spec_hash: str
    chain: tuple[Stretch, ...]
    root_state: str
    """State of the policies before any step."""
    prefix: bool = False
    """Whether it trains only a prefix that other runs share (so its end is no run's end)."""
    needs: tuple[str, ...] = ()
    """Runs that must be done first (shared prefixes)."""
    runs_dir: str
    base_dir: str
    """Directory that relative data paths are resolved against."""
    threads: int = 1
    memory_mb: int = 2000
    gpus: float = 0.0
