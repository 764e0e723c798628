"""How long the front end takes: cold processes of the command line, and the same work in a warm one.

Prints medians; asserts nothing, since the numbers are those of this machine at this moment.
Run: python tests/bench/bench_cli.py [repeats]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
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
    """Prints the table."""
    from mxspec.load import load_spec
    from mxspec.plan.make import make_plan

    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    quickstart, ablation = (str(ROOT / "specs" / name) for name in ("quickstart.yaml", "ablations/quickstart.yaml"))
    loaded = load_spec(ablation)
    print(f"{'':<34}{'median':>9}{'best':>9}   ms, {repeats} times")
    for name, arguments in COLD.items():
        report(f"cold: {name}", cold(arguments, repeats))
    report("warm: load quickstart", warm(lambda: load_spec(quickstart), repeats))
    report("warm: load ablation", warm(lambda: load_spec(ablation), repeats))
    report("warm: plan ablation (12 runs)", warm(lambda: make_plan(loaded, ROOT / "no-such-folder"), repeats))


def report(name: str, seconds: list[float]) -> None:
    """Prints one row, in milliseconds."""
    print(f"{name:<34}{1000 * statistics.median(seconds):>9.0f}{1000 * min(seconds):>9.0f}")


if __name__ == "__main__":
    main()
