"""A finished run's steps as one Parquet file a table."""

from __future__ import annotations

from dataclasses import fields

import pyarrow as pa
import pyarrow.parquet as pq

from mxspec.rundir.models import Manifest
from mxspec.rundir.rundir import RunDir, commit, committed, discard
from mxspec.rundir.tables import STEP_TABLES
from runners.record.parquet import encode_table, schema_of, write_encoded


def compact(run_dir: RunDir) -> None:
    """Puts the current steps of a finished run into `compact/` and removes the step directories.

    Each table keeps its columns and gains `attempt`. The manifest comes last, and
    step directories are removed after it, so that a reader finds every row once
    at any moment: in `compact/` if that exists, else in the steps.

    Raises:
        OSError: The disk is full; the steps stay as they are.
    """
    steps = run_dir.steps()
    if not steps or committed(run_dir.compact) is not None:
        return
    discard(run_dir.compact)
    run_dir.compact.mkdir(parents=True)
    files = {}
    for table, kind in STEP_TABLES.items():
        parts = []
        for one in steps:
            file = one.path / f"{table}.parquet"
            if file.name in one.manifest.files:
                part = pq.read_table(file, schema=schema_of(kind))
                attempt = pa.array([one.manifest.attempt] * len(part), type=pa.int64())
                parts.append(part.append_column("attempt", attempt))
        if parts:
            whole = pa.concat_tables(parts)
            assert whole.num_columns == len(fields(kind)) + 1
            name = f"{table}.parquet"
            files[name] = write_encoded(run_dir.compact / name, encode_table(whole), len(whole))
    last = steps[-1].manifest
    commit(
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
    for one in steps:
        discard(one.path)
