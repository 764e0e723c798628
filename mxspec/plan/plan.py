"""The plan: what would run, what is done already, what is shared; plain data that others walk."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, SerializeAsAny

from mxspec.plan.chain import Continues, Stretch
from mxspec.spec import Spec

Status = Literal["new", "continues", "running", "failed", "done"]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Difference(_Part):
    """A value in which an arm differs from the baseline, both as short text."""

    path: str
    baseline: str
    value: str


class Bounds(_Part):
    """What the training of one run takes at most; evaluations come on top."""

    executions: int
    calls: int
    tokens: int
    optimizer_steps: int | None
    """None where the rows of a file are not known."""
    checkpoints: int
    """Checkpoints that outlive the run."""
    checkpoint_mb: float | None
    """One checkpoint; None where the model's shape is not in the spec."""
    memory_mb: float | None
    """What a worker holds, estimated; None as above."""


class Estimate(_Part):
    """What a run should take, by finished runs of the same cell."""

    seconds: float | None = None
    """None where no run of the cell has been finished."""
    gpus: int = 0
    gpu_hours: float | None = 0.0


class PlannedArm(_Part):
    """An arm: how it differs, and how much it does per step and in all."""

    name: str
    differs: tuple[Difference, ...]
    same_as: str | None
    """The arm before it with equal ids, of which this one is another name."""
    executions_per_step: int
    """Executions of one rl step; 0 where there is no rl stage."""
    rl_steps: int
    trains: tuple[str, ...]
    """Roles that its rl stages train, in the order of their first block."""
    bounds: Bounds


class PlannedRun(_Part):
    """A run, or a prefix that several runs share."""

    run: str
    """Id: the state after the last step."""
    cell: str
    seed: int
    arms: tuple[str, ...]
    """Arms that it stands for; of a prefix all that share it."""
    spec: SerializeAsAny[Spec]
    """Resolved, self-contained, data files pinned, maps in canonical order, without `sweep`."""
    spec_hash: str
    root_state: str
    chain: tuple[Stretch, ...]
    prefix: bool
    status: Status
    continues: Continues | None
    """The committed checkpoint that it goes on from."""
    needs: tuple[str, ...]
    """Runs that must be done first."""
    message: str
    """Why it failed; empty where it did not."""
    estimate: Estimate = Estimate()

    @property
    def last_state(self) -> str:
        """The state after its last step."""
        return self.chain[-1].end_state if self.chain else self.root_state

    @property
    def pending(self) -> bool:
        """Whether something is left to do that nobody does now."""
        return self.status in ("new", "continues", "failed")


class SharedWork(_Part):
    """Work that is done once for several runs."""

    stage: str
    jobs: int
    """How often the stage is trained."""
    runs: int
    """How often it would be if nothing were shared."""


class SourceFile(_Part):
    """A file that a plan was made of."""

    path: str
    sha256: str
    holds: Literal["spec", "content", "data"]
    """A spec file, a prompt or script, or data."""


class Plan(_Part):
    """All runs of a spec: one seed of every arm first, the baseline before the others."""

    version: Literal[1] = 1
    name: str
    file: str
    base_dir: str
    runs_dir: str
    baseline: str
    seeds: tuple[int, ...]
    arms: tuple[PlannedArm, ...]
    runs: tuple[PlannedRun, ...]
    prefixes: tuple[PlannedRun, ...]
    shared: tuple[SharedWork, ...]
    named: int
    """Arms times seeds."""
    warnings: tuple[str, ...]
    sources: tuple[SourceFile, ...] = ()
    """Every file that it was made of, as it was then."""

    @property
    def left(self) -> tuple[PlannedRun, ...]:
        """Runs and prefixes that are still to be trained."""
        return tuple(run for run in (*self.prefixes, *self.runs) if run.pending)

    @property
    def changes(self) -> bool:
        """Whether anything is left to do."""
        return any(run.pending for run in self.runs)

    def count(self, status: Status) -> int:
        """Runs of a status."""
        return sum(run.status == status for run in self.runs)
