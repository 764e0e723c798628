"""Ctrl-C and SIGTERM, sent to a real process: commit, stop, 130; a second one stops at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys
from pathlib import Path
from mxspec.cli.run import exit_code, launch
from mxspec.spec.runtime import RayLauncher, Runtime
from tests.support.small_jobs import TARGET, small_job

runs, launcher, does = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
runtime = Runtime(launcher=RayLauncher(kind="ray", workers=1)) if launcher == "ray" else Runtime()
jobs = [small_job(runs, "first", does=does), small_job(runs, "second", needs=("first",))]
sys.exit(exit_code(launch(jobs, runtime, runs, run_job=TARGET)))
"""


def started(runs: Path, launcher: str, does: str) -> subprocess.Popen[str]:
    """A launch in a process group of its own, as a shell would start it; it has taken a step."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(runs), launcher, does],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "step 1/4" in line:
            return process
    raise AssertionError("ended before its first step")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_in_process(tmp_path: Path, number: signal.Signals) -> None:
    process = started(tmp_path, "local", "wait")
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stops after the step in progress" in errors
    assert "first seed 0: interrupted" in errors
    assert "second seed 0: interrupted: not started" in errors
    assert [path.name for path in tmp_path.glob("*/step*")] == ["step0"]


@pytest.mark.ray
@pytest.mark.slow
def test_on_ray_the_whole_process_group_gets_it(tmp_path: Path) -> None:
    process = started(tmp_path, "ray", "wait")
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert "first seed 0: interrupted" in errors
    assert "Traceback" not in errors
    assert len(list(tmp_path.glob("first/step*"))) in (1, 2)


def test_a_second_one_stops_at_once(tmp_path: Path) -> None:
    process = started(tmp_path, "local", "deaf")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    for line in process.stderr:
        if "stops after the step in progress" in line:
            break
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    assert [path.name for path in tmp_path.glob("*/step*")] == ["step0"]
