"""How long the front end takes: cold processes of the command line, and the same work in a warm one.

Prints medians, and the ratio to an interpreter that does nothing; asserts nothing, since the numbers
are those of this machine at this moment.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable
from compileall import compile_dir
from pathlib import Path
from time import perf_counter

from bench.table import print_table
from mxspec.load import load_spec
from mxspec.plan.make import make_plan

REPEATS = 9
TARGETS = {"cold: mxspec validate quickstart": "< 300"}
ROOT = Path(__file__).resolve().parents[1]
COLD = {
    "python -c pass": ["-c", "pass"],
    "import typer, pydantic": ["-c", "import typer, pydantic.main"],
    "import mxspec.cli.app": ["-c", "import mxspec.cli.app"],
    "mxspec --help": ["-m", "mxspec.cli", "--help"],
    "mxspec validate quickstart": ["-m", "mxspec.cli", "validate", "specs/quickstart.yaml"],
    "mxspec validate ablation": ["-m", "mxspec.cli", "validate", "specs/ablations/quickstart.yaml"],
    "mxspec plan ablation": ["-m", "mxspec.cli", "plan", "specs/ablations/quickstart.yaml", "--runs", "no-such-folder"],
}


def cold(arguments: list[str], repeats: int) -> list[float]:
    """Seconds of fresh processes."""
    seconds = []
    for _ in range(repeats):
        since = perf_counter()
        subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        seconds.append(perf_counter() - since)
    return seconds


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
    found = {f"cold: {name}": cold(arguments, REPEATS) for name, arguments in COLD.items()}
    found["warm: load quickstart"] = warm(lambda: load_spec(quickstart), REPEATS)
    found["warm: load ablation"] = warm(lambda: load_spec(ablation), REPEATS)
    found["warm: plan ablation (12 runs)"] = warm(lambda: make_plan(loaded, nowhere), REPEATS)
    floor = statistics.median(found["cold: python -c pass"])
    print_table(
        f"command line: {REPEATS} times",
        ("what", "median ms", "best ms", "median / python -c pass", "target ms"),
        [
            (
                name,
                f"{1000 * statistics.median(seconds):.0f}",
                f"{1000 * min(seconds):.0f}",
                f"{statistics.median(seconds) / floor:.1f}",
                TARGETS.get(name, ""),
            )
            for name, seconds in found.items()
        ],
    )


if __name__ == "__main__":
    main()
