"""Interrupted, killed and resumed equals never stopped: parameters, metrics and rows, bit for bit (L28, L32)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pyarrow.parquet as pq
import pytest

from analysis.collect import collect
from analysis.publish import reading
from mxspec.compile.job import Job
from mxspec.rundir import RunDir
from mxspec.rundir.tables import STEP_TABLES
from runners.errors import MissingEnvironment
from runners.execute import run_job
from runners.outcome import Progress
from tests.support.smoke import smoke_jobs


def final(runs_dir: Path, run: str) -> tuple[dict[str, list[dict[str, object]]], dict[str, bytes]]:
    """Rows of every table that equal runs share, and the bytes of the last checkpoint."""
    directory = RunDir(runs_dir / run)
    rows = {}
    for table in STEP_TABLES:
        file = directory.compact / f"{table}.parquet"
        if table != "timings" and file.exists():
            rows[table] = pq.read_table(file).drop_columns(["attempt"]).to_pylist()
    last = directory.checkpoints()[-1]
    assert last.manifest.step == max(row["step"] for row in rows["steps"]) + 1  # type: ignore[type-var, operator]
    files = {
        path.relative_to(last.path).as_posix(): path.read_bytes()
        for path in last.path.rglob("*")
        if path.suffix in (".safetensors", ".json") and path.name != "MANIFEST.json"
    }
    return rows, files


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, Path]:
    """A run that nothing disturbed."""
    runs = tmp_path_factory.mktemp("whole") / "runs"
    [job] = smoke_jobs(runs)
    outcome = run_job(job)
    assert (outcome.state, outcome.message) == ("done", "")
    return job, runs


def test_a_run_has_every_table_and_each_step_once(whole: tuple[Job, Path]) -> None:
    job, runs = whole
    rows, _ = final(runs, job.run)
    assert set(rows) >= {
        "steps",
        "questions",
        "designs",
        "executions",
        "calls",
        "credits",
        "reward_terms",
        "evaluations",
        "stages",
    }
    metrics = [(row["step"], row["role"], row["metric"]) for row in rows["steps"]]
    assert len(metrics) == len(set(metrics))
    trained = {row["stage_step"]: row["role"] for row in rows["steps"] if row["metric"] == "samples"}
    assert trained == {0: "executor", 1: "executor", 2: "designer", 3: "designer", 4: "executor", 5: "executor"}
    assert [row["trained"] for row in rows["stages"]] == ["designer,executor", "executor", "designer", "executor"]
    keys = [(row["step"], row["evaluation"], row["path"], row["agent"]) for row in rows["calls"]]
    assert len(keys) == len(set(keys))
    at = [(row["moment"], row["stage_step"]) for row in rows["evaluations"] if row["name"] == "test"]
    assert at == [("stage_end", 2), ("every 2", 2), ("every 2", 4), ("end", 6)]
    assert RunDir(runs / job.run).status().state == "done"  # type: ignore[union-attr]


def test_only_the_trained_role_changes(whole: tuple[Job, Path]) -> None:  # L22, L23
    job, runs = whole
    rows, _ = final(runs, job.run)
    states: dict[tuple[object, str], set[object]] = {}
    for row in rows["calls"]:
        if row["evaluation"] is None:
            states.setdefault((row["step"], str(row["role"])), set()).add(row["state"])
    assert all(len(found) == 1 for found in states.values())
    first = min(step for step, _ in states)  # type: ignore[type-var]
    for step, role in ((first + 1, "designer"), (first + 2, "designer"), (first + 4, "executor")):  # type: ignore[operator]
        assert states[step, role] == states[step - 1, role], "a role that was not trained has another state"
    for step, role in ((first + 1, "executor"), (first + 3, "designer")):  # type: ignore[operator]
        assert states[step, role] != states[step - 1, role]


@pytest.mark.parametrize("after", [1, 5])
def test_stopped_and_resumed_equals_never_stopped(whole: tuple[Job, Path], after: int, tmp_path: Path) -> None:
    job, runs = whole
    [mine] = smoke_jobs(tmp_path / "runs")
    assert mine.run == job.run
    stop = Event()

    def watch(progress: Progress) -> None:
        if progress.step == after:
            stop.set()

    assert run_job(mine, stop=stop, on_progress=watch).state == "interrupted"
    status = RunDir(tmp_path / "runs" / mine.run).status()
    assert status is not None and (status.state, status.step) == ("interrupted", after)
    assert run_job(mine).state == "done"
    assert final(tmp_path / "runs", mine.run) == final(runs, job.run)


KILLED = """
import sys
from pathlib import Path
from runners.execute import run_job
from tests.support.smoke import smoke_jobs
[job] = smoke_jobs(Path(sys.argv[1]))
run_job(job, on_progress=lambda progress: print(progress.step, flush=True))
"""


@pytest.mark.parametrize("after", [5])
def test_killed_and_run_again_equals_never_killed(whole: tuple[Job, Path], after: int, tmp_path: Path) -> None:
    job, runs = whole
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "runs")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == str(after):
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    [mine] = smoke_jobs(tmp_path / "runs")
    assert run_job(mine).state == "done"
    assert final(tmp_path / "runs", mine.run) == final(runs, job.run)
    assert len(RunDir(tmp_path / "runs" / mine.run).attempts()) == 2


def test_a_longer_run_goes_on_from_a_shorter_one(whole: tuple[Job, Path], tmp_path: Path) -> None:  # C37
    job, runs = whole
    [longer] = smoke_jobs(runs, "stages.rl.steps=8")
    assert longer.run != job.run
    steps = []
    assert run_job(longer, on_progress=lambda progress: steps.append(progress.stage_step)).state == "done"
    assert steps == [7, 8]
    [fresh] = smoke_jobs(tmp_path / "runs", "stages.rl.steps=8")
    assert fresh.run == longer.run and run_job(fresh).state == "done"
    assert final(tmp_path / "runs", fresh.run)[1] == final(runs, longer.run)[1]


def test_a_damaged_checkpoint_is_passed_over(whole: tuple[Job, Path], tmp_path: Path) -> None:
    job, runs = whole
    [mine] = smoke_jobs(tmp_path / "runs")
    stop = Event()
    assert run_job(mine, stop=stop, on_progress=lambda p: stop.set() if p.step == 5 else None).state == "interrupted"
    directory = RunDir(tmp_path / "runs" / mine.run)
    last, before = directory.checkpoints()[-1], directory.checkpoints()[-2]
    weights = next(last.path.rglob("model.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    assert run_job(mine).state == "done"
    assert directory.attempts()[-1].from_step == before.manifest.step < last.manifest.step
    assert final(tmp_path / "runs", mine.run) == final(runs, job.run)


def test_a_run_that_cannot_be_opened_has_failed_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(spec: object, base_dir: Path) -> None:
        raise MissingEnvironment("the data is gone", "restore it")

    [job] = smoke_jobs(tmp_path / "runs")
    with monkeypatch.context() as patch, pytest.raises(MissingEnvironment):
        patch.setattr("runners.open_run.load_benchmarks", gone)
        run_job(job)
    directory = RunDir(tmp_path / "runs" / job.run)
    status = directory.status()
    assert status is not None and (status.state, status.step) == ("failed", 0)
    assert "the data is gone" in status.message and len(directory.attempts()) == 1


def test_a_missed_gate_fails_the_run_with_what_was_measured(tmp_path: Path) -> None:
    from runners.errors import GateMissed

    [job] = smoke_jobs(tmp_path / "runs", "stages.cold.gate.otherwise=fail", "stages.cold.gate.max_epochs=1")
    with pytest.raises(GateMissed, match=r"reduce.accuracy 0\.\d+ < 0\.\d+"):
        run_job(job)
    status = RunDir(tmp_path / "runs" / job.run).status()
    assert status is not None and status.state == "failed" and "did not pass its gate" in status.message
    store = collect(tmp_path / "runs").store
    with reading(store) as con:
        (found,) = con.execute("SELECT DISTINCT step FROM evaluations WHERE name = 'reduce'").fetchall()
    assert found == (1,), "what was measured is recorded"
