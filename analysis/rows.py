"""Rows of committed steps -> tables of the store, in bulk: one statement a table, whatever the number of files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields

import duckdb

from analysis.scan import Change, Moved, Part, Problem, Source, files
from mxspec.rundir import DamagedError
from mxspec.rundir.rundir import MANIFEST
from mxspec.rundir.tables import STEP_TABLES


def known_parts(con: duckdb.DuckDBPyConnection) -> dict[str, set[Part]]:
    """Run -> the committed steps of it whose rows are in the store."""
    found: dict[str, set[Part]] = {}
    for run, step, attempt in con.execute("FROM collector.parts").fetchall():
        found.setdefault(run, set()).add((step, attempt))
    return found


def forget(con: duckdb.DuckDBPyConnection, run: str) -> None:
    """Removes all rows of a run."""
    for table in (*STEP_TABLES, "collector.parts"):
        con.execute(f"DELETE FROM {table} WHERE run = ?", [run])


def insert(con: duckdb.DuckDBPyConnection, changes: Sequence[Change], problems: list[Problem]) -> int:
    """Adds the rows of what is new.

    Args:
        con: The private database, in a transaction.
        changes: What is new, run by run.
        problems: Where directories that do not match their manifest are reported; they are left out.

    Returns:
        The number of steps that came in.

    Raises:
        Moved: A run was compacted in the meantime.
        duckdb.Error: A file that its manifest vouches for cannot be read.
    """
    for one in changes:
        if one.anew:
            forget(con, one.run)
    sources = [source for one in changes for source in one.sources if _whole(source, problems)]
    con.execute("CREATE OR REPLACE TEMP TABLE sources (file VARCHAR, run VARCHAR, attempt BIGINT)")
    for table, found in files(sources).items():
        if table in STEP_TABLES:
            con.execute("DELETE FROM sources")
            _bulk(con, "sources", [(file, source.run, source.attempt) for file, source in found])
            try:
                _read(con, table, [file for file, _ in found], compacted=any(s.attempt is None for _, s in found))
            except duckdb.IOException:
                if any(not (source.directory.path / MANIFEST).exists() for _, source in found):
                    raise Moved from None
                raise
    parts = [(source.run, *part) for source in sources for part in source.parts]
    _bulk(con, "collector.parts", parts)
    return len(parts)


def _whole(source: Source, problems: list[Problem]) -> bool:
    try:
        source.verify()
    except DamagedError as error:
        problems.append(Problem(str(error.path), error.problem))
        return False
    return True


def _read(con: duckdb.DuckDBPyConnection, table: str, names: Sequence[str], *, compacted: bool) -> None:
    """Inserts by name: columns that old files lack are null, those that nobody knows any more are left out."""
    known = "|".join(re.escape(one.name) for one in fields(STEP_TABLES[table]))
    attempt = "coalesce(s.attempt, p.attempt)" if compacted else "s.attempt"
    con.execute(
        f"""
        INSERT INTO {table} BY NAME
        SELECT COLUMNS('^({known})$'), s.run, {attempt} AS attempt
        FROM read_parquet($files, filename = '_file', union_by_name = true) p JOIN sources s ON s.file = p._file
        """,
        {"files": [_literal(name) for name in names]},
    )


def _literal(path: str) -> str:
    """A path that a glob pattern matches exactly."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _bulk(con: duckdb.DuckDBPyConnection, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        places = ", ".join("unnest(?)" for _ in columns)
        con.execute(f"INSERT INTO {table} SELECT {places}", columns)
