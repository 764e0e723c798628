"""A finished run's steps as one Parquet file a table."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from mxspec.rundir.files import make_durable
from mxspec.rundir.models import Manifest
from mxspec.rundir.rundir import Committed, RunDir, commit, committed, discard
from mxspec.rundir.tables import STEP_TABLES
from runners.record.parquet import encode_table, read_encoded, schema_of, write_encoded


def compact(run_dir: RunDir) -> None:
    """Puts the current steps of a finished run into `compact/` and removes the step directories.

    Each table keeps its columns and gains `attempt`. The manifest comes last, and
    step directories, void ones included, are removed after it, so that a reader
    finds every row once at any moment: in `compact/` if that exists, else in the steps.

    Raises:
        OSError: The disk is full; the steps stay as they are.
    """
    whole = committed(run_dir.compact)
    if whole is None:
        steps = run_dir.steps()
        if not steps:
            return
        discard(run_dir.compact)
        run_dir.compact.mkdir(parents=True)
        whole = _write(run_dir, steps)
    newest = max(attempt for _, attempt in whole.manifest.parts)
    for path in run_dir.step_directories(newest):
        discard(path)


def _write(run_dir: RunDir, steps: Sequence[Committed]) -> Committed:
    files = {}
    for table, kind in STEP_TABLES.items():
        name = f"{table}.parquet"
        parts = []
        for one in steps:
            if name in one.manifest.files:
                part = read_encoded(one.path / name, schema_of(kind))
                attempt = pa.array([one.manifest.attempt] * len(part), type=pa.int64())
                parts.append(part.append_column("attempt", attempt))
        if parts:
            rows = pa.concat_tables(parts)
            files[name] = write_encoded(run_dir.compact / name, encode_table(rows), len(rows))
            make_durable(run_dir.compact / name)
    last = steps[-1].manifest
    return commit(
        run_dir.compact,
        Manifest(
            kind="compact",
            attempt=last.attempt,
            step=last.step,
            stage=last.stage,
            stage_step=last.stage_step,
            state=last.state,
            files=files,
            parts=tuple((one.manifest.step, one.manifest.attempt) for one in steps),
        ),
    )
