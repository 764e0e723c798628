"""One parameter set for both roles: who is masked leaves no trace, and the run goes through."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from mxspec.rundir import RunDir
from runners.execute import run_job
from tests.support.smoke import smoke_jobs


def test_a_shared_policy_trains_one_role_at_a_time(tmp_path: Path) -> None:
    [job] = smoke_jobs(tmp_path, "policy.sharing={kind: shared}", "stages.rl.steps=4")
    assert run_job(job).state == "done"
    directory = RunDir(tmp_path / job.run)
    steps = pq.read_table(directory.compact / "steps.parquet").to_pylist()
    learned = {(row["stage_step"], row["role"]) for row in steps if row["stage"] == "rl" and row["metric"] == "samples"}
    assert learned == {(0, "executor"), (1, "executor"), (2, "designer"), (3, "designer")}
    stages = pq.read_table(directory.compact / "stages.parquet").to_pylist()
    assert [(row["trained"], row["masked"]) for row in stages] == [
        ("designer,executor", ""),
        ("executor", "designer"),
        ("designer", "executor"),
    ]
    calls = pq.read_table(directory.compact / "calls.parquet").to_pylist()
    by_step: dict[int, set[str]] = {}
    for row in calls:
        if row["evaluation"] is None:
            by_step.setdefault(row["step"], set()).add(row["state"])
    assert all(len(states) == 1 for states in by_step.values()), "both roles are served by the same parameters"
    assert len(set.union(*by_step.values())) == 4, "every step has a state of its own"
    last = directory.checkpoints()[-1]
    assert {path.name for path in last.path.iterdir() if path.is_dir()} == {"shared"}
