"""`mxspec logs`: what a run wrote for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mxspec.cli.options import DEFAULT_RUNS, RUNS

FOLLOW_SECONDS = 0.5


def logs(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, or the beginning of one.")],
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on while somebody works on the run.")] = False,
    lines: Annotated[int | None, typer.Option("--lines", "-n", metavar="N", min=0, help="Only the last lines.")] = None,
) -> None:
    """Print the log of a run: a line a step, warnings, and the traceback of a failure."""
    import sys
    from threading import Event

    from mxspec.cli.exits import CliError
    from mxspec.rundir.lock import is_locked

    path = find_run(runs, run)
    log = path / "run.log"
    if not log.exists():
        raise CliError(f"{path} has no log", hint="the run has not started here")
    pause = Event()
    with log.open(encoding="utf-8", errors="replace") as file:
        written = file.readlines()
        sys.stdout.writelines(written if lines is None else written[len(written) - min(lines, len(written)) :])
        while follow:
            live = is_locked(path)
            sys.stdout.write(file.read())
            sys.stdout.flush()
            if not live:
                break
            pause.wait(FOLLOW_SECONDS)


def find_run(runs: Path, name: str) -> Path:
    """The directory of a run by its id or the beginning of it.

    Raises:
        UsageError: No run, or more than one, begins so.
    """
    from mxspec.cli.exits import UsageError
    from mxspec.rundir import open_runs

    known = [info.path for info in open_runs(runs)]
    found = [path for path in known if path.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{name!r} is the beginning of {len(found)} runs", hint=" ".join(path.name for path in found))
    raise UsageError(f"there is no run {name!r} in {runs}", hint="mxspec ls shows those that there are")
