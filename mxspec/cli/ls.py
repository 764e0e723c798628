"""`mxspec ls`: the runs of a directory and where they stand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mxspec.cli.options import DEFAULT_RUNS, JSON, RUNS

if TYPE_CHECKING:
    from mxspec.rundir import RunInfo


def ls(
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    json: Annotated[bool, JSON] = False,
) -> None:
    """List the runs with their state, steps and names.

    A run that nobody works on and that is not at its end is `stopped`: `mxspec run` goes on with it.
    """
    from rich.table import Table

    from mxspec.cli.output import console, print_json, say
    from mxspec.rundir import open_runs, read_sweeps

    arms: dict[tuple[str, str, int], list[str]] = {}
    for sweep in read_sweeps(runs):
        for one in sweep.runs:
            arms.setdefault((one.run, sweep.name, one.seed), []).append(one.arm)
    names: dict[str, list[str]] = {}
    for (run, sweep_name, seed), found in arms.items():
        names.setdefault(run, []).append(f"{sweep_name}: {'/'.join(found)} seed {seed}")
    rows = [_row(info, names.get(info.run, [])) for info in open_runs(runs)]
    if json:
        print_json("ls", {"runs_dir": str(runs), "runs": rows})
        return
    if not rows:
        say(f"no runs in {runs}")
        return
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("RUN", "STATE", "STEP", "STAGE", "TRAINS", "NAMES"):
        table.add_column(name, justify="right" if name == "STEP" else "left", overflow="fold")
    for row in rows:
        step = f"{row['step']}/{row['total_steps']}" if row["state"] == "running" else str(row["step"])
        named = row["names"]
        assert isinstance(named, list)
        cells = [row["run"], row["state"], step, row["stage"], row["trains"], ", ".join(named) or row["made_of"]]
        table.add_row(*(_plain(str(cell)) for cell in cells))
    console().print(table)
    for row in rows:
        if row["message"]:
            say(f"{row['run']}: {row['message']}")


def _plain(text: str) -> str:
    """Text that rich does not take for markup."""
    return text.replace("[", "\\[")


def _row(info: RunInfo, names: list[str]) -> dict[str, object]:
    from mxspec.rundir import Provenance, RunDir

    directory = RunDir(info.path)
    status = None if info.state == "unreadable" else directory.status()
    provenance = None if info.state == "unreadable" else directory.read("provenance.json", Provenance)
    made_of = f"{provenance.name}: {'/'.join(provenance.arms)} seed {provenance.seed}" if provenance else ""
    return {
        "run": info.run,
        "state": info.state,
        "step": info.step,
        "total_steps": status.total_steps if status else 0,
        "stage": f"{status.stage} {status.stage_step}".strip() if status and status.stage else "",
        "trains": " ".join(status.trained) if status else "",
        "names": names,
        "made_of": made_of,
        "seed": provenance.seed if provenance else None,
        "message": info.message,
        "metrics": status.metrics if status else {},
    }
