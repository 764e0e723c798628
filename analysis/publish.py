"""The published store: a copy of the collector's database, put in place by rename; and how to open one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time

import duckdb

from analysis.paths import StorePaths

READING = "mxspec-"
"""Beginning of the folders that readers make beside the store."""

LEFT_BEHIND = 3600.0
"""Seconds after which such a folder of a process that is gone is removed."""


class NoStoreError(ValueError):
    """There is no store.

    Attributes:
        path: Where it would be.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"there is no store {path}; `mxspec collect` makes it from run directories")
        self.path = path


class NotAStoreError(ValueError):
    """A file that stands in the place of the store is none that this version reads.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"{path} is no store: {problem}; `mxspec collect --rebuild` makes it anew from run directories"
        )
        self.path = path


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


def behind(paths: StorePaths) -> bool:
    """Whether the private database has changed since it was published, e.g. where the disk was full then."""
    try:
        return paths.published.stat().st_mtime_ns < paths.index.stat().st_mtime_ns
    except FileNotFoundError:
        return True


@contextmanager
def reading(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Opens a published store to read, without access to anything outside it.

    The file is opened through another name, so that a write-ahead log beside it
    (of a notebook that writes into its copy) does no harm; where another process
    has it open to write, a copy of it is read.

    Args:
        path: The store.

    Raises:
        NoStoreError: There is no such file.
        OSError: A copy is needed and the disk is full.
        NotAStoreError: It is no DuckDB database, or one of another version.
    """
    if not path.is_file():
        raise NoStoreError(path)
    with TemporaryDirectory(prefix=f"{READING}{os.getpid()}-", dir=_folder(path)) as folder:
        name = Path(folder) / path.name
        try:
            os.link(path, name)
        except OSError:
            shutil.copyfile(path, name)
        try:
            con = _unlocked(path, name)
        except duckdb.Error as error:
            raise NotAStoreError(path, str(error).replace(str(name), path.name)) from error
        with con:
            yield con


def sweep_out(paths: StorePaths) -> None:
    """Removes what readers that were killed have left behind: each holds an old store's space."""
    for left in paths.own.glob(f"{READING}*"):
        pid = left.name.removeprefix(READING).partition("-")[0]
        if time() - left.stat().st_mtime > LEFT_BEHIND and not (pid.isdigit() and Path(f"/proc/{pid}").exists()):
            shutil.rmtree(left, ignore_errors=True)


def _folder(path: Path) -> Path | None:
    """A folder on the file system of a store, where it can be linked; None where nothing can be written there."""
    beside = path.parent / ".store"
    return beside if beside.is_dir() and os.access(beside, os.W_OK) else None


def _unlocked(path: Path, name: Path) -> duckdb.DuckDBPyConnection:
    try:
        return _connect(name)
    except duckdb.IOException as error:
        if "lock" not in str(error):
            raise
        name.unlink()
        shutil.copyfile(path, name)
        return _connect(name)


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(path, read_only=True, config={"enable_external_access": False, "lock_configuration": True})
