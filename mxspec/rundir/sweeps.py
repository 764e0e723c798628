"""What a sweep was: which runs stand for which arm, as `sweeps/<name>.json` below the runs."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from mxspec.rundir.files import file_name, write_whole
from mxspec.rundir.models import Record


class SweepRun(Record):
    """One arm at one seed, and the run that stands for it."""

    arm: str
    seed: int
    cell: str
    run: str
    is_baseline: bool


class SweepRecord(Record):
    """A sweep as it was last run."""

    name: str
    baseline: str
    runs: tuple[SweepRun, ...]


def write_sweep(runs_dir: Path, sweep: SweepRecord) -> Path:
    """Writes the record of a sweep."""
    path = runs_dir / "sweeps" / f"{file_name(sweep.name)}.json"
    write_whole(path, sweep.model_dump_json(indent=1) + "\n")
    return path


def read_sweeps(runs_dir: Path) -> tuple[SweepRecord, ...]:
    """All records that can be read, by name."""
    found = []
    for path in sorted((runs_dir / "sweeps").glob("*.json")):
        try:
            found.append(SweepRecord.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError):
            continue
    return tuple(found)
