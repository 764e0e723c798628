"""How long the front end takes: cold processes of the command line, and the same work in a warm one.

Prints medians, and the ratio to an interpreter that does nothing; asserts nothing, since the numbers
are those of this machine at this moment. Peers: `hydra --cfg job` on the same values in the same layers, and a
framework that imports torch before it validates with pydantic.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from compileall import compile_dir
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from bench._layers import write_layers
from bench.table import print_table
from mxspec.load import load_spec
from mxspec.plan.make import make_plan

REPEATS = 9
ROOT = Path(__file__).resolve().parents[1]
FLOOR = "python -c pass"
TARGETS = {
    "mxspec validate, 3 layers": "< 300",
    "mxspec validate quickstart": "< 300",
    "mxspec --help": "< 250",
    "mxspec plan --help": "< 250",
    "completion of a verb": "< 250",
    "completion of an arm": "< 250",
}


@dataclass(frozen=True, slots=True)
class Cold:
    """A process that is started anew for every measurement.

    Attributes:
        arguments: What follows the interpreter.
        words: The command line that a shell asks to complete; None where it asks nothing.
    """

    arguments: tuple[str, ...]
    words: str | None = None

    def seconds(self) -> float:
        """Runs it once."""
        environment = dict(os.environ)
        if self.words is not None:
            count = str(self.words.count(" "))
            environment |= {"_MXSPEC_COMPLETE": "complete_bash", "COMP_WORDS": self.words, "COMP_CWORD": count}
        since = perf_counter()
        subprocess.run(
            [sys.executable, *self.arguments],
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        return perf_counter() - since


def processes(layers: Path) -> dict[str, Cold]:
    """What is measured; `layers` is what `write_layers` wrote."""
    folder, ablation = layers.parent, "specs/ablations/quickstart.yaml"
    command = ("-m", "mxspec.cli")
    return {
        FLOOR: Cold(("-c", "pass")),
        "import typer, pydantic": Cold(("-c", "import typer, pydantic.main")),
        "mxspec --help": Cold((*command, "--help")),
        "mxspec plan --help": Cold((*command, "plan", "--help")),
        "completion of a verb": Cold(command, "mxspec pl"),
        "completion of an arm": Cold(command, f"mxspec plan {ablation} --arm st"),
        "mxspec validate quickstart": Cold((*command, "validate", "specs/quickstart.yaml")),
        "mxspec validate ablation": Cold((*command, "validate", ablation)),
        "mxspec plan ablation": Cold((*command, "plan", ablation, "--runs", "no-such-folder")),
        "mxspec validate, 3 layers": Cold((*command, "validate", str(layers))),
        "hydra --cfg job, 3 layers": Cold((str(folder / "hydra/app.py"), "--cfg", "job")),
        "pydantic after import torch": Cold((str(folder / "torch_first.py"), str(folder / "whole.yaml"))),
    }


def cold(wanted: dict[str, Cold]) -> dict[str, list[float]]:
    """Seconds of fresh processes, in turn, so that all see the machine in the same moods."""
    found: dict[str, list[float]] = {name: [] for name in wanted}
    for _ in range(REPEATS):
        for name, one in wanted.items():
            found[name].append(one.seconds())
    return found


def warm(work: Callable[[], object], repeats: int) -> list[float]:
    """Seconds of calls in this process, the first one aside."""
    work()
    seconds = []
    for _ in range(repeats):
        since = perf_counter()
        work()
        seconds.append(perf_counter() - since)
    return seconds


def main() -> None:
    """Prints the table, as it is after a first use: with bytecode."""
    for package in ("mxspec", "runners", "analysis"):
        compile_dir(ROOT / package, quiet=1)
    quickstart, ablation = (str(ROOT / "specs" / name) for name in ("quickstart.yaml", "ablations/quickstart.yaml"))
    loaded = load_spec(ablation)
    nowhere = ROOT / "no-such-folder"
    with tempfile.TemporaryDirectory() as folder:
        measured = cold(processes(write_layers(Path(folder))))
    floor = statistics.median(measured[FLOOR])
    rows = [_row(name, seconds, floor) for name, seconds in measured.items()]
    ours = statistics.median(measured["mxspec validate, 3 layers"])
    peers = [
        f"{name.split(',')[0]} takes {statistics.median(measured[name]) / ours:.2f} times as long"
        for name in ("hydra --cfg job, 3 layers", "pydantic after import torch")
    ]
    inside = {
        "warm: load quickstart": warm(lambda: load_spec(quickstart), REPEATS),
        "warm: load ablation": warm(lambda: load_spec(ablation), REPEATS),
        "warm: plan ablation (12 runs)": warm(lambda: make_plan(loaded, nowhere), REPEATS),
    }
    rows += [_row(name, seconds, floor) for name, seconds in inside.items()]
    columns = ("what", "median ms", "best ms", f"median / {FLOOR}", "target ms")
    print_table(f"command line: {REPEATS} times, in turn", columns, rows)
    print(f"  of one experiment in three layers, 390 lines: {'; '.join(peers)}")


def _row(name: str, seconds: list[float], floor: float) -> tuple[str, ...]:
    middle = statistics.median(seconds)
    cells = (name, f"{1000 * middle:.0f}", f"{1000 * min(seconds):.0f}", f"{middle / floor:.1f}")
    return (*cells, TARGETS.get(name, ""))


if __name__ == "__main__":
    main()
