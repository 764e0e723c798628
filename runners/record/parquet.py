"""Rows of one table as a Parquet file, its columns taken from the row's dataclass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from mxspec.rundir.models import FileEntry
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


def encode_rows(rows: Sequence[Any]) -> bytes:
    """Rows of one type as a Parquet file; one pass over the rows, repeated texts stored once."""
    schema = schema_of(type(rows[0]))
    columns = zip(*map(attrgetter(*schema.names), rows), strict=True)
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    return encode_table(pa.Table.from_arrays(arrays, schema=schema))


def encode_table(table: pa.Table) -> bytes:
    """A table as a Parquet file."""
    stream = pa.BufferOutputStream()
    pq.write_table(table, stream, compression="zstd")
    return bytes(memoryview(stream.getvalue()))


def write_encoded(path: Path, content: bytes, rows: int) -> FileEntry:
    """Writes an encoded table; `make_durable` is for whoever relies on it.

    Args:
        path: The file.
        content: What is written.
        rows: Rows in it.

    Returns:
        What a manifest says about the file; hashed from what was meant, not from what came back.

    Raises:
        OSError: The disk is full, or the file cannot be written.
    """
    with path.open("wb") as file:
        file.write(content)
    return FileEntry(sha256=sha256(content).hexdigest(), bytes=len(content), rows=rows)


def read_encoded(path: Path, schema: pa.Schema) -> pa.Table:
    """A file that `write_encoded` wrote, read in this thread: waking others costs more than so small a file.

    Raises:
        OSError: The file cannot be read.
    """
    return pq.ParquetFile(path, pre_buffer=False).read(use_threads=False).cast(schema)
