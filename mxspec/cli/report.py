"""`mxspec report`: what was measured, as a table and as one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.options import DEFAULT_RUNS, JSON, RUNS

if TYPE_CHECKING:
    from analysis.report import Report


def report(
    name: Annotated[
        str, typer.Argument(metavar="[NAME|RUN|ARM]", help="A sweep, a run or an arm; what ran last if left out.")
    ] = "",
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="PATH", help="Where the page goes; reports/ below the runs if left out."),
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Show what was measured on held-out questions, and write one self-contained page about it."""
    from analysis.report import UnknownSubject, as_json, make_report, write_html
    from mxspec.cli.collect import bring_up_to_date
    from mxspec.cli.exits import UsageError
    from mxspec.cli.output import print_json, say

    bring_up_to_date(runs)
    try:
        found = make_report(runs, name or None)
    except UnknownSubject as error:
        raise UsageError(str(error)) from error
    page = write_html(found, html)
    if json:
        print_json("report", {"html": str(page), **as_json(found)})
        return
    print_report(found)
    say(f"page: {page}")


def print_report(found: Report) -> None:
    """Prints the table of a report on stdout: blocks of a run, or arms of a sweep."""
    from rich.markup import escape
    from rich.table import Table

    from analysis.report import grid_of
    from mxspec.cli.output import console

    out = console()
    grid = grid_of(found)
    out.print(grid.title, style="bold", markup=False)
    if grid.rows:
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
        for name, right in grid.columns:
            table.add_column(name, justify="right" if right else "left", overflow="fold")
        for row in grid.rows:
            table.add_row(*(escape(cell) for cell in row))
        out.print(table)
    for note in grid.notes:
        out.print(note, markup=False)
