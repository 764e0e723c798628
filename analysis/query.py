"""Queries against the published store, and results that are read as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from analysis.publish import reading


class QueryError(ValueError):
    """A query that DuckDB refuses; the message is DuckDB's."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result: its name, unique in the result, and its SQL type."""

    name: str
    type: str

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers."""
        return self.type.endswith("INT") or self.type in _NUMBERS or self.type.startswith("DECIMAL")


_NUMBERS = {"DOUBLE", "FLOAT", "INTEGER", "UINTEGER"}


@dataclass(frozen=True, slots=True)
class Result:
    """What a query gives, read as it is asked for."""

    columns: tuple[ResultColumn, ...]
    rows: Iterator[tuple[object, ...]]


@contextmanager
def query(store: Path, sql: str, *, batch: int = 1000) -> Iterator[Result]:
    """Runs a query against a published store.

    Args:
        store: The published file.
        sql: Any statements that read; the result is that of the last.
        batch: Rows read at a time.

    Raises:
        NoStoreError: There is no store.
        QueryError: The query is wrong, or asks for what a reader may not do.
        KeyboardInterrupt: Ctrl-C while it ran.
        NotAStoreError: The file is no store that this version reads.
    """
    with reading(store) as con:
        try:
            if not con.extract_statements(sql):
                raise QueryError("there is no statement")
            con.execute(sql)
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            raise QueryError(str(error)) from error
        yield Result(_columns(con), _rows(con, batch))


def _columns(con: duckdb.DuckDBPyConnection) -> tuple[ResultColumn, ...]:
    found: dict[str, ResultColumn] = {}
    for described in con.description or ():
        name, again = str(described[0]), 1
        while name in found:
            again += 1
            name = f"{described[0]}_{again}"
        found[name] = ResultColumn(name, str(described[1]))
    return tuple(found.values())


def _rows(con: duckdb.DuckDBPyConnection, batch: int) -> Iterator[tuple[object, ...]]:
    try:
        while rows := con.fetchmany(batch):
            yield from rows
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise QueryError(str(error)) from error
