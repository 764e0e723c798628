"""`mxspec sql`: answers from the store."""

from __future__ import annotations

import csv
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mxspec.cli.options import DEFAULT_RUNS, JSON, RUNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.table import Table

    from analysis.query import Result, ResultColumn

WIDEST_CELL = 80
"""Characters of a text cell on a terminal; pipes, --csv and --json get all of it."""

NARROWEST_TEXT = 12
"""Characters of a text cell below which a table is printed downwards instead."""


def sql(
    query: Annotated[str, typer.Argument(metavar="QUERY", help='SQL, e.g. "from ablation"; - reads it from stdin.')],
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    collect: Annotated[
        bool, typer.Option("--collect/--no-collect", help="Bring the store up to date first, or take it as it is.")
    ] = True,
    rows: Annotated[int, typer.Option("--rows", metavar="N", min=1, help="Most rows on a terminal.")] = 50,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, every digit of it.")] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Query the results of a directory of runs with SQL.

    Start with `from ablation`, `from learning_curve`, `from runs`; `from duckdb_columns()` says what
    every column means. The store is read-only here and reaches no file; a query that is wrong exits 2.
    """
    from analysis.paths import StorePaths
    from analysis.query import QueryError
    from analysis.query import query as ask
    from mxspec.cli.collect import bring_up_to_date
    from mxspec.cli.exits import UsageError

    if as_csv and json:
        raise UsageError("--csv and --json exclude each other")
    text = sys.stdin.read() if query == "-" else query
    store = StorePaths(runs).published
    if collect:
        bring_up_to_date(runs)
    _require(store)
    try:
        with ask(store, text) as result:
            if json:
                _print_json(result)
            elif as_csv:
                _print_csv(result)
            elif sys.stdout.isatty():
                _print_table(result, rows)
            else:
                _print_plain(result)
    except QueryError as error:
        raise UsageError(str(error)) from error


def _require(store: Path) -> None:
    from mxspec.cli.exits import CliError

    if not store.is_file():
        raise CliError(f"{store}: there are no results yet", hint="`mxspec run SPEC` makes some, --runs says where")


def _print_json(result: Result) -> None:
    from mxspec.cli.cells import for_json
    from mxspec.cli.output import print_json

    names = [one.name for one in result.columns]
    print_json(
        "sql",
        {
            "columns": [{"name": one.name, "type": one.type} for one in result.columns],
            "rows": [dict(zip(names, map(for_json, row), strict=True)) for row in result.rows],
        },
    )


def _print_csv(result: Result) -> None:
    from mxspec.cli.cells import for_programs

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([one.name for one in result.columns])
    writer.writerows([for_programs(value) for value in row] for row in result.rows)


def _print_plain(result: Result) -> None:
    """Columns two spaces apart, one line a row, text in full."""
    from mxspec.cli.cells import for_eyes

    lines = [[one.name for one in result.columns], *([for_eyes(value) for value in row] for row in result.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.rjust(width) if column.numeric else cell.ljust(width)
            for cell, width, column in zip(line, widths, result.columns, strict=True)
        ]
        print("  ".join(cells).rstrip())


def _print_table(result: Result, most: int) -> None:
    from mxspec.cli.cells import for_eyes
    from mxspec.cli.output import console, say

    found = [[for_eyes(value) for value in row] for row in islice(result.rows, most + 1)]
    screen, shown = console(), found[:most]
    widths = widths_across(result.columns, shown, screen.width)
    if widths is not None:
        screen.print(across(result.columns, shown, widths))
    else:
        for index, some in enumerate(side_by_side(result.columns, shown, screen.width)):
            screen.print(*([""] if index else []), downwards(result.columns, some), sep="\n")
    if len(found) > most:
        say(f"the first {most} rows; --rows N shows more, --csv and pipes print all")


def widths_across(columns: Sequence[ResultColumn], rows: Sequence[Sequence[str]], width: int) -> tuple[int, ...] | None:
    """Widths of the columns of a table: numbers in full, and the widest texts give way.

    Returns:
        None where texts would have to be shorter than `NARROWEST_TEXT`.
    """
    full = [max(map(len, (one.name, *(row[i] for row in rows)))) for i, one in enumerate(columns)]

    def cut(text: int) -> tuple[int, ...]:
        return tuple(wide if one.numeric else min(wide, text) for one, wide in zip(columns, full, strict=True))

    room = width - 2 * (len(columns) - 1)
    return next((cut(text) for text in range(WIDEST_CELL, NARROWEST_TEXT - 1, -1) if sum(cut(text)) <= room), None)


def across(columns: Sequence[ResultColumn], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> Table:
    """A line a row."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        justify: Literal["left", "right"] = "right" if column.numeric else "left"
        table.add_column(Text(column.name), justify=justify, no_wrap=True, overflow="ellipsis", width=width)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def side_by_side(
    columns: Sequence[ResultColumn], rows: Sequence[Sequence[str]], width: int
) -> Iterator[Sequence[Sequence[str]]]:
    """Rows in portions that fit beside the names of the columns; at least one row each."""
    names = max(len(one.name) for one in columns)
    portion: list[Sequence[str]] = []
    room = 0
    for row in rows:
        needs = 2 + max(map(len, row))
        if portion and needs > room:
            yield portion
            portion = []
        room = (room if portion else width - names) - needs
        portion.append(row)
    if portion:
        yield portion


def downwards(columns: Sequence[ResultColumn], rows: Sequence[Sequence[str]]) -> Table:
    """A line a column, for rows that are wider than the terminal."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    for _ in rows:
        table.add_column(overflow="fold")
    for column, *cells in zip(columns, *rows, strict=True):
        table.add_row(Text(column.name), *map(Text, cells))
    return table
