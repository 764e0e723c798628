"""Reading the published store: typed rows, read only, without access to other files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TypeVar

import duckdb

from analysis.paths import StorePaths
from analysis.publish import reading

Row = TypeVar("Row")


class NoStore(ValueError):
    """There is no store in a directory of runs yet.

    Attributes:
        runs_dir: The directory.
    """

    def __init__(self, runs_dir: Path) -> None:
        super().__init__(f"{runs_dir} has no results yet: run a spec with `mxspec run SPEC --runs {runs_dir}`")
        self.runs_dir = runs_dir


@contextmanager
def opened_store(runs_dir: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published store of a directory of runs; its SQL can open no other file.

    Raises:
        NoStore: Nothing has been published.
        NotAStoreError: The file is no store that this version reads.
    """
    path = StorePaths(runs_dir).published
    if not path.is_file():
        raise NoStore(runs_dir)
    with reading(path) as con:
        yield con


def rows(
    con: duckdb.DuckDBPyConnection, kind: type[Row], sql: str, parameters: Sequence[object] | Mapping[str, object] = ()
) -> tuple[Row, ...]:
    """The result of a query as dataclasses, whose fields are its columns in order.

    Args:
        con: A connection.
        kind: A dataclass.
        sql: The query.
        parameters: Values of its `?`, or of its `$name`.
    """
    result = con.execute(sql, parameters)
    names = [column[0] for column in result.description or ()]
    assert names == [one.name for one in fields(kind)], (names, kind)  # type: ignore[arg-type]
    return tuple(kind(*row) for row in result.fetchall())
