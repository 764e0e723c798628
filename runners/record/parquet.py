"""Rows of one table as a Parquet file, its columns taken from the row's dataclass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from mxspec.rundir.tables import STEP_TABLES

_ARROW = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
_TABLE_OF = {kind: name for name, kind in STEP_TABLES.items()}


def table_of(row: object) -> str:
    """The table that a row belongs to."""
    return _TABLE_OF[type(row)]


_SCHEMAS: dict[type, pa.Schema] = {}


def schema_of(kind: type) -> pa.Schema:
    """The columns of a row type: `str`, `int`, `float`, `bool`, nullable where `| None` says so."""
    if kind in _SCHEMAS:
        return _SCHEMAS[kind]
    hints = get_type_hints(kind)
    columns = []
    for one in fields(kind):
        options = [option for option in getattr(hints[one.name], "__args__", ()) if option is not type(None)]
        plain = options[0] if options else hints[one.name]
        columns.append(pa.field(one.name, _ARROW[plain], nullable=bool(options)))
    return _SCHEMAS.setdefault(kind, pa.schema(columns))


def write_rows(path: Path, rows: Sequence[Any]) -> None:
    """Writes rows of one type, durably.

    Raises:
        OSError: The disk is full, or the file cannot be written.
    """
    schema = schema_of(type(rows[0]))
    columns = [pa.array([getattr(row, name) for row in rows], type=schema.field(name).type) for name in schema.names]
    write_table(path, pa.Table.from_arrays(columns, schema=schema))


def write_table(path: Path, table: pa.Table) -> None:
    """Writes a table, durably.

    Raises:
        OSError: The disk is full, or the file cannot be written.
    """
    with path.open("wb") as file:
        pq.write_table(table, file, compression="zstd")
        file.flush()
        os.fsync(file.fileno())
