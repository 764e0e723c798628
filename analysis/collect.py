"""The collector: run directories -> the store.

The run directories are the record and the store is their index: it can be
deleted at any time and is built anew. The collector owns a private database,
brings it up to date in one transaction, and publishes a copy of it by rename.
So a reader (a notebook, `mxspec sql`) is never blocked and blocks nobody,
whatever it has open; what it writes into its copy is its own and goes with it.

Only what is committed and current is collected: a step directory with a
manifest whose hashes match, of the newest attempt that took the step.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from analysis.describe import describe
from analysis.paths import StorePaths
from analysis.publish import behind, publish, sweep_out
from analysis.quantiles import t_table
from analysis.rows import forget, insert, known_parts
from analysis.scan import Change, Moved, Problem, change
from analysis.schema import fingerprint, statements, view_comments
from mxspec.rundir import RunDir, RunInfo, open_runs

TRIES = 5
"""How often files may go while they are read (runs are compacted once) before a collection gives up."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a collection did.

    Attributes:
        store: The published database.
        runs: Run directories seen.
        new_steps: Steps that were not in the store before.
        problems: What could not be read; reported, never fatal.
        published: Whether the published file was replaced.
    """

    store: Path
    runs: int
    new_steps: int
    problems: tuple[Problem, ...]
    published: bool


def collect(runs_dir: Path, *, rebuild: bool = False) -> Report:
    """Brings the store of a directory of runs up to date.

    Waits while another process collects. Costs little where little is new.

    Args:
        runs_dir: Where the run directories are.
        rebuild: Whether the store is built anew.

    Raises:
        FileNotFoundError: There is no such directory.
        OSError: The disk is full, or the store cannot be written.
        duckdb.Error: The store cannot be built.
    """
    if not runs_dir.is_dir():
        raise FileNotFoundError(2, "No such directory of runs", str(runs_dir))
    paths = StorePaths(runs_dir)
    with _alone(paths):
        if rebuild:
            _remove(paths)
        for _ in range(TRIES):
            try:
                with opened(paths) as con:
                    report = _update(con, paths)
                break
            except Moved:
                continue
        else:
            raise OSError(f"{runs_dir}: run directories keep changing while they are read; collect again")
        published = report.published or behind(paths)
        if published:
            publish(paths)
            sweep_out(paths)
    return replace(report, published=published)


@contextmanager
def opened(paths: StorePaths) -> Iterator[duckdb.DuckDBPyConnection]:
    """The private database, built anew where there is none of this version that can be read."""
    con = _connect(paths)
    try:
        yield con
    finally:
        con.close()


def _connect(paths: StorePaths) -> duckdb.DuckDBPyConnection:
    if paths.index.exists():
        try:
            con = duckdb.connect(paths.index)
        except duckdb.Error:
            pass  # damaged, or of another DuckDB: it is an index, and is built anew
        else:
            if _version(con) == fingerprint():
                return con
            con.close()
    _remove(paths)
    con = duckdb.connect(paths.index)
    con.begin()
    for statement in statements():
        con.execute(statement)
    of_views = "SELECT table_name, column_name FROM duckdb_columns() JOIN duckdb_views() ON table_oid = view_oid"
    for comment in view_comments(con.execute(f"{of_views} WHERE NOT duckdb_views.internal").fetchall()):
        con.execute(comment)
    con.executemany("INSERT INTO t_quantiles VALUES (?, ?)", list(t_table()))
    con.execute("INSERT INTO collector.version VALUES (?)", [fingerprint()])
    con.commit()
    return con


def _remove(paths: StorePaths) -> None:
    for path in (paths.index, paths.index.with_name(paths.index.name + ".wal")):
        path.unlink(missing_ok=True)


def _version(con: duckdb.DuckDBPyConnection) -> str | None:
    try:
        row = con.execute("SELECT fingerprint FROM collector.version").fetchone()
    except duckdb.CatalogException:
        return None
    return None if row is None else str(row[0])


def _update(con: duckdb.DuckDBPyConnection, paths: StorePaths) -> Report:
    infos = open_runs(paths.runs_dir)
    problems = [Problem(str(info.path), info.message) for info in infos if info.state == "unreadable"]
    known = known_parts(con)
    changes = list(_changes(infos, known, problems))
    con.begin()
    try:
        gone = known.keys() - {info.run for info in infos}
        for run in gone:
            forget(con, run)
        new_steps = insert(con, changes, problems)
        described = describe(con, paths.runs_dir, infos, problems)
        con.commit()
    except BaseException:
        con.rollback()
        raise
    void = any(one.anew and known.get(one.run) for one in changes)
    changed = bool(gone or void or new_steps or described)
    if changed:
        con.execute("CHECKPOINT")
    return Report(paths.published, len(infos), new_steps, tuple(problems), changed)


def _changes(
    infos: tuple[RunInfo, ...], known: dict[str, set[tuple[int, int]]], problems: list[Problem]
) -> Iterator[Change]:
    for info in infos:
        try:
            found = change(RunDir(info.path), known.get(info.run, set()), problems)
        except OSError as error:
            if info.state != "unreadable":
                problems.append(Problem(str(info.path), error.strerror or str(error)))
        else:
            if found is not None:
                yield found


@contextmanager
def _alone(paths: StorePaths) -> Iterator[None]:
    paths.own.mkdir(exist_ok=True)
    with paths.lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
