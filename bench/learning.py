"""What the quickstart's ablation learns: held-out accuracy with intervals, on seeds that nothing was chosen on.

Runs all 12 runs (minutes), then reads the answers from the store. Rises are
paired by seed; the intervals are Student's t over seeds, and three seeds make them wide.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import duckdb

from analysis.collect import collect
from bench.table import print_table

ROOT = Path(__file__).resolve().parents[1]
SPEC = "mxspec:ablations/quickstart.yaml"

RISES = """
WITH curve AS (
    SELECT seed, stage || ' ' || stage_step AS point, step, accuracy FROM learning_curve
    WHERE name = 'test' AND arm = 'stagewise' AND (stage = 'rl' OR moment = 'stage_end')
), rises AS (
    SELECT seed, accuracy - lag(accuracy) OVER (PARTITION BY seed ORDER BY step) AS rise,
        row_number() OVER (PARTITION BY seed ORDER BY step) - 1 AS block
    FROM curve
)
SELECT block, avg(rise), avg(rise) - t * stddev_samp(rise) / sqrt(count(*)),
    avg(rise) + t * stddev_samp(rise) / sqrt(count(*))
FROM rises, (SELECT t975 AS t FROM t_quantiles WHERE df = 2)
WHERE block > 0 GROUP BY block, t ORDER BY block
"""


def main() -> None:
    """Trains every arm at every seed, unless `BENCH_RUNS` names runs that are there."""
    with tempfile.TemporaryDirectory() as temporary:
        runs = Path(temporary)
        since = perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "mxspec.cli", "run", SPEC, "--quiet", "--runs", str(runs)], cwd=ROOT
        )
        seconds = perf_counter() - since
        since = perf_counter()
        subprocess.run(
            [sys.executable, "-m", "mxspec.cli", "run", SPEC, "--quiet", "--runs", str(runs)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        again = perf_counter() - since
        print_table(
            f"ablation: exit code {done.returncode}",
            ("what", "seconds", "target"),
            [("12 runs, 3 cold starts", f"{seconds:.0f}", "< 720"), ("run again", f"{again:.1f}", "< 5")],
        )
        collect(runs)
        report(runs / "results.duckdb")


def report(store: Path) -> None:
    """Prints the arms and the rises of the baseline's blocks."""
    with duckdb.connect(str(store), read_only=True) as con:
        arms = con.execute("SELECT arm, seeds, accuracy, low, high, diff, diff_low, diff_high FROM ablation").fetchall()
        rises = con.execute(RISES).fetchall()
    print_table(
        "held-out accuracy at the end, by arm (t over seeds; differences paired by seed)",
        ("arm", "seeds", "accuracy", "95 %", "to baseline", "95 %"),
        [
            (arm, str(seeds), _text(mean), _interval(low, high), _text(diff), _interval(diff_low, diff_high))
            for arm, seeds, mean, low, high, diff, diff_low, diff_high in arms
        ],
    )
    print_table(
        "rise of held-out accuracy by block, stagewise (1 executor, 2 designer, ...)",
        ("block", "rise", "95 %", "target"),
        [
            (str(block), _text(mean), _interval(low, high), ">= .10" if block < 3 else "")
            for block, mean, low, high in rises
        ],
    )


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


if __name__ == "__main__":
    main()
