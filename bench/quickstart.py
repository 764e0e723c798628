"""How long the quickstart takes, with how much memory: one fresh process, its children included."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from bench.table import print_table

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Runs the quickstart in an empty directory."""
    with tempfile.TemporaryDirectory() as runs:
        since = perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "mxspec.cli", "run", "mxspec:quickstart.yaml", "--quiet", "--runs", runs], cwd=ROOT
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = perf_counter() - since
    print_table(
        f"quickstart: exit code {process.returncode}",
        ("what", "measured", "target"),
        [
            ("wall seconds", f"{seconds:.0f}", "< 180"),
            ("CPU seconds", f"{used.ru_utime + used.ru_stime:.0f}", ""),
            ("peak memory, MB", f"{used.ru_maxrss / 1024:.0f}", "< 2000"),
        ],
    )


if __name__ == "__main__":
    main()
