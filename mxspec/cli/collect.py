"""`mxspec collect`: run directories -> the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.exits import FAILED
from mxspec.cli.options import DEFAULT_RUNS, JSON, RUNS

if TYPE_CHECKING:
    from analysis.collect import Report


def collect(
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Forget the store and read every run again.")] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Bring the store of a directory of runs up to date.

    `run` and `sql` do so by themselves. The run directories are the record: the store can be
    deleted at any time. Exit 1 where something could not be read; the rest is collected then.
    """
    from mxspec.cli.output import print_json, say

    report = collected(runs, rebuild=rebuild)
    if json:
        print_json(
            "collect",
            {
                "store": str(report.store),
                "runs": report.runs,
                "new_steps": report.new_steps,
                "published": report.published,
                "problems": [{"path": one.path, "problem": one.problem} for one in report.problems],
            },
        )
    else:
        _say_problems(report)
        what = f"{report.new_steps} new steps of {report.runs} runs" if report.published else "nothing is new"
        say(f"{what}: {report.store}")
    if report.problems:
        raise typer.Exit(FAILED)


def collected(runs: Path, *, rebuild: bool = False) -> Report:
    """Collects, with DuckDB's failures in words.

    Raises:
        CliError: There is no such directory, the disk is full, or the store cannot be written.
    """
    import duckdb

    from analysis.collect import collect as collect_runs
    from mxspec.cli.exits import CliError

    if not runs.is_dir():
        raise CliError(f"{runs}: there are no runs", hint="`mxspec run SPEC` makes some, --runs says where")
    try:
        return collect_runs(runs, rebuild=rebuild)
    except duckdb.Error as error:
        raise CliError(f"{runs}: the store cannot be built: {error}", hint="the run directories are intact") from error


def bring_up_to_date(runs: Path) -> None:
    """Collects before a query; where that fails, the last published store still answers.

    Raises:
        CliError: It failed, and there is no published store.
    """
    from analysis.paths import StorePaths
    from mxspec.cli.exits import CliError
    from mxspec.cli.output import say

    try:
        _say_problems(collected(runs))
    except (CliError, OSError) as error:
        if not StorePaths(runs).published.is_file():
            raise
        say(f"not collected ({error}); this is the store as it was last published")


def _say_problems(report: Report) -> None:
    from mxspec.cli.output import say

    for one in report.problems:
        say(f"not collected: {one.path}: {one.problem}")
