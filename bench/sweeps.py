"""How long a large sweep takes to load and plan, and how much memory: a fresh process for each size."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.table import print_table

ROOT = Path(__file__).resolve().parents[1]
SIZES = {1_000: "< 2 s", 10_000: "< 15 s, < 500 MB"}
SPEC = """\
extends: mxspec:systems/metaagent_x.yaml
name: large
sweep:
  axes:
    learn.rl.optimizer.lr: [1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6, 7e-6, 8e-6, 9e-6, 1e-5]
    learn.rl.loss.clip_high: [0.2, 0.21, 0.22, 0.23, 0.24, 0.25, 0.26, 0.27, 0.28, 0.29]
    rollout.limits.turns: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
{more}"""
MORE = "    rollout.limits.calls: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]\n"
MEASURED = """
import resource, sys
from pathlib import Path
from time import perf_counter
from mxspec.load import load_spec
from mxspec.plan.make import make_plan
since = perf_counter()
loaded = load_spec(sys.argv[1])
loading = perf_counter() - since
plan = make_plan(loaded, Path("no-such-folder"))
planning = perf_counter() - since - loading
print(len(plan.runs), loading, planning, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main() -> None:
    """Prints a line a size."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size, target in SIZES.items():
            spec = Path(folder) / f"{size}.yaml"
            spec.write_text(SPEC.format(more=MORE if size > 1_000 else ""))
            done = subprocess.run(
                [sys.executable, "-c", MEASURED, str(spec)], cwd=ROOT, check=True, capture_output=True, text=True
            )
            runs, loading, planning, memory = map(float, done.stdout.split())
            assert runs == size
            total = f"{loading + planning:.1f}"
            rows.append((f"{size:,} points", f"{loading:.1f}", f"{planning:.1f}", total, f"{memory:.0f}", target))
    print_table("sweeps", ("what", "load s", "plan s", "both s", "peak MB", "target"), rows)


if __name__ == "__main__":
    main()
