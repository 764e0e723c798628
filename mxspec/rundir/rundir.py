"""The layout of a run directory, and the manifest rule.

    spec.yaml  provenance.json  status.json  cost.json  lineage.json  run.log
    attempts/<n>.json
    steps/<k>-a<attempt>/    one Parquet file a table, MANIFEST.json last
    checkpoints/<k>/         all policies and counters, MANIFEST.json last
    compact/                 all steps of a finished run, MANIFEST.json last

A step or checkpoint directory exists once its manifest does; one without a
manifest is what a kill left behind, and does not exist. A resumed run begins a
new attempt from a number of steps done; rows of older attempts at that step
or later are void, so every step has exactly one current directory.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from mxspec.rundir.files import sha256_of, write_whole
from mxspec.rundir.models import Attempt, FileEntry, Manifest, Record, Status

MANIFEST = "MANIFEST.json"
_STEP = re.compile(r"(\d+)-a(\d+)")

R = TypeVar("R", bound=Record)


class DamagedError(ValueError):
    """A directory whose files are not those that its manifest vouches for.

    Attributes:
        path: The directory.
        problem: What does not match.
    """

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Committed:
    """A directory with a manifest."""

    path: Path
    manifest: Manifest

    def verify(self) -> None:
        """Compares every file with the manifest.

        Raises:
            DamagedError: A file is missing or has other content.
        """
        for name, entry in self.manifest.files.items():
            file = self.path / name
            if not file.is_file():
                raise DamagedError(self.path, f"{name} is missing")
            if file.stat().st_size != entry.bytes or sha256_of(file) != entry.sha256:
                raise DamagedError(self.path, f"{name} has changed since it was committed")


@dataclass(frozen=True, slots=True)
class RunDir:
    """The directory of one run."""

    path: Path

    @property
    def run(self) -> str:
        """Id of the run."""
        return self.path.name

    def step(self, step: int, attempt: int) -> Path:
        """Directory of a step's rows."""
        return self.path / "steps" / f"{step:05d}-a{attempt}"

    def checkpoint(self, step: int) -> Path:
        """Directory of the checkpoint after so many steps."""
        return self.path / "checkpoints" / f"{step:05d}"

    @property
    def compact(self) -> Path:
        """Directory of a finished run's rows."""
        return self.path / "compact"

    def read(self, name: str, model: type[R]) -> R | None:
        """One of the JSON documents; None where it does not exist or is no such document."""
        try:
            return model.model_validate_json((self.path / name).read_bytes())
        except (FileNotFoundError, NotADirectoryError, ValidationError):
            return None

    def write(self, name: str, document: Record) -> None:
        """Writes a JSON document as a whole."""
        write_whole(self.path / name, document.model_dump_json(indent=1) + "\n")

    def status(self) -> Status | None:
        """Where the run stands, as it last said."""
        return self.read("status.json", Status)

    def attempts(self) -> tuple[Attempt, ...]:
        """All attempts, oldest first."""
        found = [
            self.read(f"attempts/{path.name}", Attempt) for path in sorted((self.path / "attempts").glob("*.json"))
        ]
        return tuple(sorted((one for one in found if one is not None), key=lambda one: one.attempt))

    def current_steps(self) -> dict[int, tuple[int, Path]]:
        """Step -> (attempt, directory) of every committed step that is current, without reading manifests.

        A step of attempt a is void where a later attempt began at that step or before.

        Raises:
            OSError: The directory cannot be read.
        """
        attempts = self.attempts()
        current: dict[int, tuple[int, Path]] = {}
        for path in _children(self.path / "steps"):
            named = _STEP.fullmatch(path.name)
            if named is None:
                continue
            step, attempt = int(named[1]), int(named[2])
            if any(later.attempt > attempt and later.from_step <= step for later in attempts):
                continue
            if (step not in current or current[step][0] < attempt) and (path / MANIFEST).is_file():
                current[step] = (attempt, path)
        return {step: current[step] for step in sorted(current)}

    def step_directories(self, newest: int) -> tuple[Path, ...]:
        """Directories of steps of all attempts up to `newest`, void and uncommitted ones included.

        Raises:
            OSError: The directory cannot be read.
        """
        named = ((path, _STEP.fullmatch(path.name)) for path in _children(self.path / "steps"))
        return tuple(path for path, name in named if name is not None and int(name[2]) <= newest)

    def steps(self) -> tuple[Committed, ...]:
        """Step directories that are committed and current, in order of steps; those without a readable manifest aside.

        Raises:
            OSError: The directory cannot be read.
        """
        found = (committed(path) for _, path in self.current_steps().values())
        return tuple(one for one in found if one is not None)

    def checkpoints(self) -> tuple[Committed, ...]:
        """Committed checkpoints, in order of steps."""
        found = (committed(path) for path in _children(self.path / "checkpoints"))
        return tuple(sorted((one for one in found if one is not None), key=lambda one: one.manifest.step))


def committed(path: Path) -> Committed | None:
    """A directory with its manifest; None where it has none that can be read."""
    try:
        return Committed(path, Manifest.model_validate_json((path / MANIFEST).read_bytes()))
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None


def commit(path: Path, manifest: Manifest, *, durable: bool = True) -> Committed:
    """Writes the manifest of a directory whose files are all there: from now on it exists."""
    write_whole(path / MANIFEST, manifest.model_dump_json(indent=1) + "\n", durable=durable)
    return Committed(path, manifest)


def entries(path: Path, rows: dict[str, int] | None = None) -> dict[str, FileEntry]:
    """Hashes and sizes of every file below a directory, its manifest aside."""
    found = {}
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if file.is_file() and name != MANIFEST:
            found[name] = FileEntry(sha256=sha256_of(file), bytes=file.stat().st_size, rows=(rows or {}).get(name))
    return found


def discard(path: Path) -> None:
    """Removes a directory, its manifest first, so that a half-removed one does not exist."""
    (path / MANIFEST).unlink(missing_ok=True)
    shutil.rmtree(path, ignore_errors=True)


def _children(path: Path) -> list[Path]:
    try:
        return sorted(path.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
