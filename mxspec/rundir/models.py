"""What the JSON files of a run directory say."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

State = Literal["queued", "running", "done", "failed", "interrupted"]


class Record(BaseModel):
    """A frozen, closed JSON document."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class FileEntry(Record):
    """A file that a manifest vouches for."""

    sha256: str
    bytes: int
    rows: int | None = None
    """Rows of a table; None for other files."""


class Manifest(Record):
    """The last file written into a step or checkpoint directory: with it the directory exists."""

    kind: Literal["step", "checkpoint", "compact"]
    attempt: int
    step: int
    """Index of the step (steps), or number of steps done (checkpoints)."""
    stage: str
    stage_step: int
    state: str
    """State of the policies afterwards."""
    files: dict[str, FileEntry]
    parts: tuple[tuple[int, int], ...] = ()
    """(step, attempt) of every step that a compacted directory holds."""


class Status(Record):
    """Where a run stands, as it last said."""

    run: str
    state: State
    stage: str = ""
    stage_step: int = 0
    step: int = 0
    total_steps: int = 0
    trained: tuple[str, ...] = ()
    attempt: int = 0
    pid: int = 0
    host: str = ""
    heartbeat: float = 0.0
    """Seconds since 1970."""
    message: str = ""
    metrics: dict[str, float] = {}


class Attempt(Record):
    """One process that worked on a run, and from which step it went on."""

    attempt: int
    from_step: int
    """Steps done when it began; rows of older attempts at steps >= from_step are void."""
    started: float
    """Seconds since 1970, as all times here."""
    pid: int
    host: str
    ended: float = 0.0
    """0 while it runs, and where it was killed without a word."""
    state: State | None = None
    """How it ended; None as for `ended`."""
    message: str = ""
    """Why it ended so."""


class Lineage(Record):
    """The state of another run that this one went on from."""

    child: str
    parent: str
    step: int
    state: str
    take: Literal["all", "weights"] = "all"


class Provenance(Record):
    """What a run was made of."""

    run: str
    cell: str
    seed: int
    arms: tuple[str, ...]
    name: str
    spec_hash: str
    code_hash: str
    data_hashes: dict[str, str]
    versions: dict[str, str]
    machine: dict[str, str]
    created: float


class Cost(Record):
    """What a finished run cost."""

    seconds: float
    """Of the attempt that ended it."""
    steps: int
    whole: bool = False
    """Whether that attempt was the only one, so that the time is that of the whole run."""
    cpu_threads: int
    gpus: float
    response_tokens: float
    peak_memory_mb: float
