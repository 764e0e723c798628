"""Tables of the store: those that runs write, and those that describe runs.

A table of rows that runs write has the columns of its dataclass in
`mxspec.rundir.tables`, and `run` and `attempt`. The others are declared here.
Every table and column carries its meaning as a comment (`duckdb_columns()`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from typing import get_type_hints

from analysis.view_docs import VIEW_COLUMNS
from analysis.views import VIEWS
from mxspec.rundir.tables import STEP_TABLES, column_docs

_SQL = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE", bool: "BOOLEAN"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: name, SQL type, meaning."""

    name: str
    type: str
    doc: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: name, meaning, columns."""

    name: str
    doc: str
    columns: tuple[Column, ...]


def _columns(*lines: tuple[str, str, str]) -> tuple[Column, ...]:
    return tuple(Column(*line) for line in lines)


_RUN = ("run", "VARCHAR", "Id of the run.")

RUN_TABLES: tuple[Table, ...] = (
    Table(
        "runs",
        "One run: a resolved spec at one seed. Shared beginnings are runs of their own (see `lineage`).",
        _columns(
            _RUN,
            ("name", "VARCHAR", "Name of the spec."),
            ("cell", "VARCHAR", "Hash of the resolved spec without its seed."),
            ("seed", "BIGINT", "Seed."),
            ("arms", "VARCHAR[]", "Arms that it was planned for."),
            ("state", "VARCHAR", "done, running, failed, stopped (goes on when run again) or unreadable."),
            ("stop_reason", "VARCHAR", "Why it failed, or what else it last said."),
            ("stage", "VARCHAR", "Stage under way, or the last one."),
            ("step", "BIGINT", "Steps done."),
            ("total_steps", "BIGINT", "Most steps that it can take."),
            ("attempts", "BIGINT", "Processes that worked on it."),
            ("spec_hash", "VARCHAR", "Hash of all that the spec declares."),
            ("code_hash", "VARCHAR", "Hash of the source that made it."),
            ("data_hashes", "JSON", "Data file -> hash of its content."),
            ("versions", "JSON", "Package -> version."),
            ("machine", "JSON", "What it ran on."),
            ("created", "TIMESTAMP", "When its last attempt began, UTC."),
            ("heartbeat", "TIMESTAMP", "When it was last heard of, UTC."),
            ("seconds", "DOUBLE", "Wall-clock seconds of the attempt that finished it."),
            ("gpu_seconds", "DOUBLE", "Seconds times GPUs."),
            ("peak_memory_mb", "DOUBLE", "Largest resident memory of its process, MB."),
        ),
    ),
    Table(
        "spec_leaves",
        "Every value of a run's resolved spec.",
        _columns(
            _RUN,
            ("path", "VARCHAR", "Path of the value, e.g. `stages.rl.steps`; lists by name or index."),
            ("value", "JSON", "The value."),
        ),
    ),
    Table(
        "lineage",
        "Runs that went on from a state of another run.",
        _columns(
            ("child", "VARCHAR", "Run that went on."),
            ("parent", "VARCHAR", "Run that it went on from."),
            ("step", "BIGINT", "Steps done in that state."),
            ("state", "VARCHAR", "The state."),
            ("take", "VARCHAR", "all, or weights (a warm start)."),
        ),
    ),
    Table(
        "checkpoints",
        "Committed checkpoints that are still there.",
        _columns(
            _RUN,
            ("step", "BIGINT", "Steps done."),
            ("stage", "VARCHAR", "Stage under way."),
            ("stage_step", "BIGINT", "Steps of it done."),
            ("state", "VARCHAR", "Id of the state."),
        ),
    ),
    Table(
        "checkpoint_files",
        "Files of a checkpoint.",
        _columns(
            _RUN,
            ("step", "BIGINT", "Steps done."),
            ("file", "VARCHAR", "Path below the checkpoint; the first part names the policy."),
            ("sha256", "VARCHAR", "Hash of the content."),
            ("bytes", "BIGINT", "Size."),
        ),
    ),
    Table(
        "attempts",
        "Processes that worked on a run; rows of older attempts at steps >= from_step are void.",
        _columns(
            _RUN,
            ("attempt", "BIGINT", "Number: 0, 1, 2, ..."),
            ("from_step", "BIGINT", "Steps done when it began."),
            ("started", "TIMESTAMP", "When it began, UTC."),
            ("pid", "BIGINT", "Process."),
            ("host", "VARCHAR", "Machine."),
            ("ended", "TIMESTAMP", "When it ended, UTC; null while it runs, and where it was killed without a word."),
            ("state", "VARCHAR", "How it ended: done, failed or interrupted; null as for `ended`."),
            ("message", "VARCHAR", "Why it ended so."),
        ),
    ),
    Table(
        "problems",
        "What could not be read, the last time the store was collected.",
        _columns(("path", "VARCHAR", "Where."), ("problem", "VARCHAR", "What is wrong.")),
    ),
    Table(
        "sweeps",
        "Sweeps as they were last run.",
        _columns(("sweep", "VARCHAR", "Name."), ("baseline", "VARCHAR", "Arm that the others are compared with.")),
    ),
    Table(
        "sweep_runs",
        "Which run stands for which arm at which seed.",
        _columns(
            ("sweep", "VARCHAR", "Name of the sweep."),
            ("arm", "VARCHAR", "Arm."),
            ("seed", "BIGINT", "Seed."),
            ("cell", "VARCHAR", "Hash of the resolved spec without its seed."),
            ("run", "VARCHAR", "Run; equal ones are one run with two names."),
            ("is_baseline", "BOOLEAN", "Whether the arm is the baseline."),
            ("arm_order", "BIGINT", "Position of the arm in the spec."),
        ),
    ),
    Table(
        "t_quantiles",
        "97.5 % quantiles of Student's t distribution; views take the largest df that is not above theirs.",
        _columns(("df", "BIGINT", "Degrees of freedom."), ("t975", "DOUBLE", "Quantile.")),
    ),
)
"""Tables that the collector fills by itself."""


def row_tables() -> Iterator[Table]:
    """The tables of rows that runs write."""
    for name, kind in STEP_TABLES.items():
        hints, docs = get_type_hints(kind), column_docs(kind)
        columns = [Column("run", "VARCHAR", "Id of the run.")]
        for one in fields(kind):
            options = [option for option in getattr(hints[one.name], "__args__", ()) if option is not type(None)]
            columns.append(Column(one.name, _SQL[options[0] if options else hints[one.name]], docs[one.name]))
        columns.append(Column("attempt", "BIGINT", "Attempt that wrote the row."))
        yield Table(name, (kind.__doc__ or "").strip().splitlines()[0], tuple(columns))


def statements() -> Iterator[str]:
    """Everything that an empty database needs: tables, views, comments."""
    yield "CREATE SCHEMA collector"
    yield "CREATE TABLE collector.parts (run VARCHAR, step BIGINT, attempt BIGINT)"
    yield "CREATE TABLE collector.seen (run VARCHAR, signature VARCHAR)"
    yield "CREATE TABLE collector.version (fingerprint VARCHAR)"
    for table in (*RUN_TABLES, *row_tables()):
        columns = ", ".join(f"{_name(one.name)} {one.type}" for one in table.columns)
        yield f"CREATE TABLE {_name(table.name)} ({columns})"
        yield f"COMMENT ON TABLE {_name(table.name)} IS {_text(table.doc)}"
        for one in table.columns:
            yield f"COMMENT ON COLUMN {_name(table.name)}.{_name(one.name)} IS {_text(one.doc)}"
    for view in VIEWS:
        yield f"CREATE VIEW {view.name} AS {view.sql}"
        yield f"COMMENT ON VIEW {view.name} IS {_text(view.doc)}"


@cache
def fingerprint() -> str:
    """Changes when tables or views do: a store of another one is built anew from the run directories."""
    return hashlib.sha256("\n".join((*statements(), *map(str, VIEW_COLUMNS.items()))).encode()).hexdigest()


def view_comments(columns: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Comments for (view, column), as the database lists them once the views exist."""
    for view, column in columns:
        if column in VIEW_COLUMNS:
            yield f"COMMENT ON COLUMN {_name(view)}.{_name(column)} IS {_text(VIEW_COLUMNS[column])}"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
