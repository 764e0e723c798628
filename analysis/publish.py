"""The published store: a copy of the collector's database, put in place by rename."""

from __future__ import annotations

import os
import shutil

from analysis.paths import StorePaths


def publish(paths: StorePaths) -> None:
    """Puts a copy of the private database, which nobody has open, in the place of the published one.

    Whoever has the old file open keeps it. A write-ahead log that such a process
    left beside it belongs to the old file and would keep others from opening the
    new one, so it goes.

    Raises:
        OSError: The disk is full, or the directory cannot be written. The old file stays.
    """
    beside = paths.own / f"publishing-{os.getpid()}.duckdb"
    try:
        shutil.copyfile(paths.index, beside)
        os.replace(beside, paths.published)
    finally:
        beside.unlink(missing_ok=True)
    paths.published.with_name(paths.published.name + ".wal").unlink(missing_ok=True)
