"""How long judging a mathematical answer takes, and what an answer that never ends costs."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from time import perf_counter

from bench.table import print_table
from mxspec.spec.benchmark import Math
from runners.grading.algebra import DEADLINE, Algebra, AlgebraTimeout
from runners.grading.extract import extract
from runners.grading.mathematical import compare

PAIRS = Path(__file__).resolve().parents[1] / "tests/golden/answer_pairs.json"
BOMB = r"9^{9^{9^{9}}}"
REPEATS = 5


def main() -> None:
    """Prints medians over the handed pairs (without those that never end), and the cost of a bomb."""
    pairs = [one for one in json.loads(PAIRS.read_text(encoding="utf-8")) if one["category"] != "slow"]
    algebra, tolerance = Algebra(), Math(kind="math").tolerance
    compare("x+y", "y+x", algebra)
    seconds, by_algebra = [], []
    for _ in range(REPEATS):
        for one in pairs:
            said = extract(one["prediction"]).text
            since = perf_counter()
            stage = compare(one["gold"], said, algebra, tolerance=tolerance).stage if said is not None else "none"
            seconds.append(perf_counter() - since)
            if stage == "algebra":
                by_algebra.append(seconds[-1])
    since = perf_counter()
    try:
        compare("1", BOMB, algebra)
    except AlgebraTimeout:
        pass
    bomb = perf_counter() - since
    since = perf_counter()
    compare("x+y", "y+x", algebra)
    after = perf_counter() - since
    rows = [
        (f"{len(pairs)} pairs, median", f"{1000 * statistics.median(seconds):.2f}", "< 1.5"),
        ("95 % of them below", f"{1000 * statistics.quantiles(seconds, n=20)[-1]:.2f}", ""),
        ("by algebra, median", f"{1000 * statistics.median(by_algebra):.2f}", ""),
        ("a bomb", f"{1000 * bomb:.0f}", f"< {1000 * DEADLINE:.0f} + 100"),
        ("the pair after the first bomb, which waits for a new process", f"{1000 * after:.0f}", ""),
    ]
    print_table(f"mathematical answers, {REPEATS} times, no cache", ("what", "ms", "target"), rows)


if __name__ == "__main__":
    main()
