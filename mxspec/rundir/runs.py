"""All run directories below a directory: what each one is, what it has committed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mxspec.rundir.lock import is_locked
from mxspec.rundir.rundir import RunDir

_RUN = re.compile(r"[0-9a-f]{8,64}")


@dataclass(frozen=True, slots=True)
class CheckpointInfo:
    """A committed checkpoint: the state of the policies after `step` steps."""

    step: int
    stage: str
    stage_step: int
    state: str


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run directory.

    Attributes:
        run: Id of the run.
        path: Its directory.
        state: `done`, `running`, `failed`, `stopped` (interrupted, or killed without a word),
            or `unreadable`.
        message: Why it failed or cannot be read, or what it last said.
        step: Steps that it says are done.
        checkpoints: What it has committed, in order of steps.
    """

    run: str
    path: Path
    state: Literal["done", "running", "failed", "stopped", "unreadable"]
    message: str
    step: int
    checkpoints: tuple[CheckpointInfo, ...]


def open_runs(runs_dir: Path) -> tuple[RunInfo, ...]:
    """Every run below a directory; one that cannot be read is reported as such, and stops nothing."""
    try:
        children = sorted(path for path in runs_dir.iterdir() if _RUN.fullmatch(path.name) and path.is_dir())
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return tuple(open_run_info(path) for path in children)


def open_run_info(path: Path) -> RunInfo:
    """One run directory."""
    run = RunDir(path)
    try:
        status = run.status()
        checkpoints = tuple(
            CheckpointInfo(one.manifest.step, one.manifest.stage, one.manifest.stage_step, one.manifest.state)
            for one in run.checkpoints()
        )
        locked = is_locked(path)
    except OSError as error:
        return RunInfo(path.name, path, "unreadable", f"{error.strerror}: {error.filename}", 0, ())
    state: Literal["done", "running", "failed", "stopped", "unreadable"] = "stopped"
    message = status.message if status else ""
    if locked:
        state = "running"
    elif status is None and (path / "status.json").exists():
        state, message = "unreadable", "status.json is damaged"
    elif status is not None and status.state in ("done", "failed"):
        state = "done" if status.state == "done" else "failed"
    return RunInfo(
        run=path.name,
        path=path,
        state=state,
        message=message,
        step=status.step if status else 0,
        checkpoints=checkpoints,
    )
