"""`update.moments` is obeyed: an rl stage starts with or without those of the stage before."""

from __future__ import annotations

from pathlib import Path

from mxspec.rundir import RunDir
from runners.execute import run_job
from tests.support.smoke import smoke_jobs


def test_reset_forgets_what_the_cold_start_left(tmp_path: Path) -> None:
    size = {}
    for moments in ("keep", "reset"):
        [job] = smoke_jobs(tmp_path, f"learn.rl.update.moments={moments}", "stages.rl.steps=1")
        assert run_job(job).state == "done"
        last = RunDir(tmp_path / job.run).checkpoints()[-1].path
        size[moments] = (last / "designer" / "optimizer.pt").stat().st_size  # not trained since the stage began
    assert size["reset"] < size["keep"] / 10
