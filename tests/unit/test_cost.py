"""What a plan says that runs take: bounds by hand, estimates from finished runs, and the refusal of too much."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.cli.plan import brief_count, duration
from mxspec.plan.make import make_plan
from mxspec.plan.plan import Bounds, Plan
from mxspec.rundir import Cost, Provenance, RunDir, Status
from tests.support.specs import SMALL, load, write

CUDA = "runtime.trainer.accelerator=cuda"


def planned(folder: Path, *sets: str) -> Plan:
    return make_plan(load(folder, SMALL, *sets), folder / "runs")


def bounds(folder: Path, *sets: str) -> Bounds:
    return planned(folder, *sets).arms[0].bounds


def test_bounds_by_hand(tmp_path: Path) -> None:
    found = bounds(tmp_path)
    assert found.executions == 30 * 8 * 4 * 2 == 1920
    assert found.calls == 1920 * 40 + 30 * 8 * 4
    assert found.tokens == 1920 * 40 * 12 + 30 * 8 * 4 * 48
    assert found.optimizer_steps == 2 * (1 + 1) + 30
    assert found.checkpoints == 2 and found.checkpoint_mb == pytest.approx(2 * 124_736 * 12 / 2**20)
    assert bounds(tmp_path, "rollout.limits.tokens=100").tokens == 1920 * 100 + 30 * 8 * 4 * 48
    assert bounds(tmp_path, "policy.sharing={kind: shared}").optimizer_steps == 2 * 2 + 30
    assert bounds(tmp_path, "learn.sft.batch=30").optimizer_steps == 2 * (3 + 2) + 30
    together = "stages.rl.train=[designer, executor]"
    assert bounds(tmp_path, together).optimizer_steps == 4 + 30
    assert bounds(tmp_path, together, "learn.rl.update={roles: in_turn, minibatches: 2}").optimizer_steps == 4 + 120


@pytest.mark.parametrize(
    ("keep", "count"),
    [("[]", 0), ("[end]", 1), ("[start, end]", 2), ("[block_end]", 4), ("[{multiple_of: 7}, end]", 5)],
)
def test_checkpoints_that_are_kept(tmp_path: Path, keep: str, count: int) -> None:
    assert bounds(tmp_path, f"runtime.checkpoints.keep={keep}").checkpoints == count


def finished(plan: Plan, seconds: float, *, whole: bool = True) -> None:
    (run,) = plan.runs
    place = RunDir(Path(plan.runs_dir) / run.run)
    place.path.mkdir(parents=True)
    place.write("status.json", Status(run=run.run, state="done", step=32, total_steps=32))
    place.write(
        "provenance.json",
        Provenance(
            run=run.run,
            cell=run.cell,
            seed=run.seed,
            arms=run.arms,
            name="small",
            spec_hash=run.spec_hash,
            code_hash="",
            data_hashes={},
            versions={},
            machine={},
            created=0.0,
        ),
    )
    cost = Cost(
        seconds=seconds, steps=32, whole=whole, cpu_threads=1, gpus=1.0, response_tokens=9.0, peak_memory_mb=1.0
    )
    place.write("cost.json", cost)


def test_other_seeds_take_what_a_finished_one_took(tmp_path: Path) -> None:
    finished(planned(tmp_path, CUDA), 5400.0)
    finished(planned(tmp_path, CUDA, "seed=1"), 9000.0)
    (run,) = planned(tmp_path, CUDA, "seed=2").runs
    assert (run.estimate.seconds, run.estimate.gpus, run.estimate.gpu_hours) == (7200.0, 1, 2.0)
    (other,) = planned(tmp_path, CUDA, "questions.per_step=16").runs
    assert other.estimate.seconds is None and other.estimate.gpu_hours is None
    (cpu,) = planned(tmp_path, "questions.per_step=16").runs
    assert cpu.estimate.gpu_hours == 0.0


def test_a_run_of_several_attempts_tells_nothing(tmp_path: Path) -> None:
    finished(planned(tmp_path, CUDA), 5400.0, whole=False)
    assert planned(tmp_path, CUDA, "seed=2").runs[0].estimate.seconds is None


@pytest.mark.parametrize("verb", ["plan", "run"])
def test_too_many_gpu_hours_are_refused(tmp_path: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    spec, runs = str(write(tmp_path, SMALL)), ["--runs", str(tmp_path / "runs")]
    asked = [verb, spec, "--set", CUDA, *runs, "--max-gpu-hours", "1", *(["--dry-run"] if verb == "run" else [])]
    assert run_app(asked) == exits.FAILED
    assert "how long 1 of 1 runs take on a GPU is not known" in capsys.readouterr().err
    finished(planned(tmp_path, CUDA), 5400.0)
    assert run_app(asked) == exits.OK, "it is done"
    assert run_app([*asked, "--seed", "7"]) == exits.FAILED
    assert "1.5 GPU-hours are left to do, and at most 1 are allowed" in capsys.readouterr().err
    assert run_app([*asked[:-1], "2", "--seed", "7"] if verb == "plan" else [*asked[:-2], "2", "--dry-run"]) == exits.OK


def test_sizes_and_times_in_words() -> None:
    assert [brief_count(one) for one in (7, 1500, 1_700_000, 2_860_000_000)] == ["7", "1.5 k", "1.7 M", "2.86 G"]
    assert [duration(one) for one in (9.6, 119.0, 600.0, 7500.0)] == ["10 s", "119 s", "10 min", "2 h 5 min"]


def test_a_long_table_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = ", ".join(str(one) for one in range(1, 81))
    spec = str(write(tmp_path, SMALL + f"sweep: {{axes: {{rollout.limits.turns: [{values}]}}}}\n"))
    assert run_app(["plan", spec, "--runs", str(tmp_path / "runs")]) == exits.OK
    out = capsys.readouterr().out
    assert "... and 20 more arms; --json has all, --arm NAME shows one" in out
    assert "turns=60" in out and "turns=61 " not in out
