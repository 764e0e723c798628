"""Plans: arms and seeds, aliases, status from run directories, shared prefixes, jobs."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from mxspec.compile.job import Job
from mxspec.compile.jobs import compile_jobs
from mxspec.load import SpecErrors
from mxspec.plan.chain import Stretch
from mxspec.plan.expand import UnknownChoice
from mxspec.plan.identity import state_at
from mxspec.plan.make import make_plan
from mxspec.plan.plan import Plan, PlannedRun
from mxspec.rundir import Manifest, Provenance, RunDir, Status, commit, entries
from tests.support.specs import SMALL, changed, load, write

SWEEP = """\
sweep:
  baseline: main
  arms:
    other_first: {stages.rl.train.order: [designer, executor]}
    main: {}
    executor_only: {stages.rl.train: [executor]}
    every_10: {stages.rl.train.every: 10}
    wide: {rollout.tree: {designs: 8, executions: 2}}
  seeds: [0, 1]
"""


def planned(folder: Path, text: str, *sets: str, **choice: list[str] | list[int]) -> Plan:
    return make_plan(load(folder, text, *sets), folder / "runs", **choice)  # type: ignore[arg-type]


def finish(
    run: PlannedRun, runs: Path, *, state: str | None = None, step: int | None = None, done: bool = True
) -> None:
    """Leaves a run directory with one committed checkpoint."""
    home = RunDir(runs / run.run)
    steps = sum(stretch.steps or 0 for stretch in run.chain) if step is None else step
    folder = home.checkpoint(steps)
    folder.mkdir(parents=True)
    (folder / "weights").write_bytes(b"x")
    at = state or run.last_state
    files = entries(folder)
    commit(
        folder, Manifest(kind="checkpoint", attempt=0, step=steps, stage="rl", stage_step=steps, state=at, files=files)
    )
    home.write("status.json", Status(run=run.run, state="done" if done else "interrupted"))


def by_arm(plan: Plan, arm: str, seed: int = 0) -> PlannedRun:
    return next(run for run in plan.runs if arm in run.arms and run.seed == seed)


def test_arms_times_seeds_with_aliases_and_the_baseline_first(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL + SWEEP)
    assert plan.named == 10 and len(plan.runs) == 8
    assert [(run.arms, run.seed) for run in plan.runs[:4]] == [
        (("main", "every_10"), 0),
        (("other_first",), 0),
        (("executor_only",), 0),
        (("wide",), 0),
    ]
    assert {run.seed for run in plan.runs[4:]} == {1}
    assert [arm.same_as for arm in plan.arms if arm.name == "every_10"] == ["main"]
    assert {run.status for run in plan.runs} == {"new"} and plan.changes


def test_replicates_are_one_cell(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL + SWEEP)
    assert by_arm(plan, "main", 0).cell == by_arm(plan, "main", 1).cell
    assert len({run.cell for run in plan.runs}) == 4


def test_differences_and_warnings(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL + SWEEP)
    wide = next(arm for arm in plan.arms if arm.name == "wide")
    assert [(one.path, one.baseline, one.value) for one in wide.differs] == [("rollout.tree", "4x2", "8x2")]
    assert wide.executions_per_step == 2 * 64
    assert any("wide: 2 times the executions" in warning for warning in plan.warnings)
    joint = planned(
        tmp_path,
        SMALL
        + SWEEP.replace(
            "executor_only: {stages.rl.train: [executor]}", "joint: {stages.rl.train: [executor, designer]}"
        ),
    )
    assert any("joint: several roles updated every step" in warning for warning in joint.warnings)
    shared = planned(tmp_path, changed(("name: small", "name: small\npolicy: {sharing: {kind: shared}}")))
    assert any("masked, not frozen" in warning for warning in shared.warnings)


def test_a_choice_of_arms_and_seeds(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL + SWEEP, arms=["wide"], seeds=[1])
    assert [(run.arms, run.seed) for run in plan.runs] == [(("wide",), 1)]
    assert planned(tmp_path, SMALL, seeds=[7]).runs[0].spec.seed == 7
    with pytest.raises(UnknownChoice, match="did you mean 'wide'"):
        planned(tmp_path, SMALL + SWEEP, arms=["wdie"])
    with pytest.raises(UnknownChoice, match="no seed 9"):
        planned(tmp_path, SMALL + SWEEP, seeds=[9])


def test_a_shared_cold_start_is_one_job_that_others_need(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL + SWEEP)
    jobs = compile_jobs(plan)
    assert [job.prefix for job in jobs] == [True, *[False] * 4] * 2
    prefix, main = jobs[0], jobs[1]
    assert [stage.name for stage in prefix.spec.stages] == ["cold"] and prefix.chain == main.chain[:1]
    assert prefix.run == main.chain[0].end_state[:12] and prefix.needs == ()
    assert all(job.needs == (prefix.run,) for job in jobs[1:5])
    assert prefix.arms == ("main", "every_10", "other_first", "executor_only", "wide")
    assert [(one.stage, one.jobs, one.runs) for one in plan.shared] == [("cold", 2, 8)]


def test_a_single_run_has_no_prefix(tmp_path: Path) -> None:
    jobs = compile_jobs(planned(tmp_path, SMALL))
    assert [(job.prefix, job.needs) for job in jobs] == [(False, ())]


def test_nested_prefixes(tmp_path: Path) -> None:
    text = changed(
        ("  - {name: rl, kind: rl", "  - {name: warm, kind: rl, steps: 3, train: [executor]}\n  - {name: rl, kind: rl")
    )
    sweep = (
        "sweep: {baseline: a, arms: {a: {}, b: {stages.rl.train: [executor]}, c: {stages.warm.steps: 4}}, seeds: [0]}\n"
    )
    jobs = {(job.arms, job.prefix): job for job in compile_jobs(planned(tmp_path, text + sweep))}
    cold, warm = jobs[("a", "b", "c"), True], jobs[("a", "b"), True]
    assert [stage.name for stage in warm.spec.stages] == ["cold", "warm"]
    assert warm.needs == (cold.run,) and cold.needs == ()
    assert jobs[("a",), False].needs == (warm.run,) == jobs[("b",), False].needs
    assert jobs[("c",), False].needs == (cold.run,)


def test_stages_shared_by_the_same_runs_are_one_prefix(tmp_path: Path) -> None:
    text = changed(
        ("  - {name: rl, kind: rl", "  - {name: warm, kind: rl, steps: 3, train: [executor]}\n  - {name: rl, kind: rl")
    )
    jobs = compile_jobs(
        planned(tmp_path, text + "sweep: {baseline: a, arms: {a: {}, b: {stages.rl.train: [executor]}}, seeds: [0]}\n")
    )
    assert [job.prefix for job in jobs] == [True, False, False]
    assert [stage.name for stage in jobs[0].spec.stages] == ["cold", "warm"]


def test_a_longer_run_goes_on_from_a_shorter_one(tmp_path: Path) -> None:
    sweep = "sweep: {baseline: long, arms: {long: {stages.rl.steps: 36}, short: {}}, seeds: [0]}\n"
    plan = planned(tmp_path, SMALL + sweep)
    jobs = compile_jobs(plan)
    assert [job.arms for job in jobs] == [("short",), ("long",)] and jobs[1].needs == (jobs[0].run,)
    finish(by_arm(plan, "short"), tmp_path / "runs")
    plan = planned(tmp_path, SMALL + sweep)
    long = by_arm(plan, "long")
    assert long.status == "continues" and long.continues and long.continues.run == by_arm(plan, "short").run
    assert [job.arms for job in compile_jobs(plan)] == [("long",)] and long.needs == ()


def test_what_is_done_is_seen_by_every_sweep_that_names_it(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL)
    finish(plan.runs[0], tmp_path / "runs")
    again = planned(tmp_path, SMALL + SWEEP)
    assert [run.status for run in again.runs if "main" in run.arms] == ["done", "new"]
    assert planned(tmp_path, SMALL).changes is False and compile_jobs(planned(tmp_path, SMALL)) == ()


def provenance(run: PlannedRun, *, spec_hash: str, code_hash: str) -> Provenance:
    return Provenance(
        run=run.run,
        cell=run.cell,
        seed=run.seed,
        arms=run.arms,
        name="small",
        spec_hash=spec_hash,
        code_hash=code_hash,
        data_hashes={},
        versions={},
        machine={},
        created=0.0,
    )


def test_done_under_other_evaluations_or_code_is_a_warning(tmp_path: Path) -> None:
    text = SMALL + "sweep: {baseline: a, arms: {a: {}}, seeds: [0, 1]}\n"
    plan = planned(tmp_path, text)
    for run, code in zip(plan.runs, "xy", strict=True):
        finish(run, tmp_path / "runs")
        RunDir(tmp_path / "runs" / run.run).write(
            "provenance.json", provenance(run, spec_hash=run.spec_hash, code_hash=code)
        )
    assert planned(tmp_path, text).warnings == ("the runs that are done were made by 2 versions of the code",)
    again = planned(tmp_path, text, "evaluate.test.on[0].limit=5")
    assert {run.status for run in again.runs} == {"done"}
    assert any("a seed 0, a seed 1: done with other evaluations" in warning for warning in again.warnings)


def test_a_committed_cold_start_is_no_job(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL + SWEEP)
    prefix = plan.prefixes[0]
    finish(prefix, tmp_path / "runs")
    again = planned(tmp_path, SMALL + SWEEP)
    assert [run.seed for run in again.prefixes] == [1]
    assert {run.status for run in again.runs if run.seed == 0} == {"continues"}
    assert all(run.needs == () for run in again.runs if run.seed == 0)


def test_an_interrupted_run_goes_on_from_its_own_checkpoint(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL)
    run = plan.runs[0]
    stretch: Stretch = run.chain[1]
    finish(run, tmp_path / "runs", state=state_at(stretch, 4), step=6, done=False)
    found = planned(tmp_path, SMALL).runs[0]
    assert (
        found.status == "continues" and found.continues and (found.continues.run, found.continues.step) == (run.run, 6)
    )


def test_a_failed_run_is_tried_again_and_says_why(tmp_path: Path) -> None:
    run = planned(tmp_path, SMALL).runs[0]
    home = RunDir(tmp_path / "runs" / run.run)
    home.path.mkdir(parents=True)
    home.write("status.json", Status(run=run.run, state="failed", message="the gate stayed shut"))
    plan = planned(tmp_path, SMALL)
    assert (plan.runs[0].status, plan.runs[0].message) == ("failed", "the gate stayed shut")
    assert len(compile_jobs(plan)) == 1


def test_plans_and_jobs_are_json(tmp_path: Path) -> None:
    plan = planned(tmp_path, SMALL + SWEEP)
    assert Plan.model_validate_json(plan.model_dump_json(by_alias=True)) == plan
    for job in compile_jobs(plan):
        assert Job.model_validate_json(job.model_dump_json(by_alias=True)) == job
    json.dumps(plan.model_dump(mode="json", by_alias=True), allow_nan=False)


def test_the_last_block_is_cut(tmp_path: Path) -> None:
    chain = planned(tmp_path, changed(("steps: 30", "steps: 25"))).runs[0].chain
    assert [(one.first, one.steps, one.trains) for one in chain[1:]] == [
        (0, 10, ("executor",)),
        (10, 10, ("designer",)),
        (20, 5, ("executor",)),
    ]
    assert all(a.end_state == b.start_state for a, b in pairwise(chain))


JSONL = changed(("from: [{use: chain_arithmetic}]", "from: [{use: rows}]")) + (
    "benchmarks: {rows: {source: {kind: jsonl, data: rows}, grader: {kind: integer}}}\n"
    "runtime: {data: {rows: ['${env:NO_SUCH_VARIABLE}', a.jsonl, b.jsonl]}}\n"
)


def test_data_is_its_content(tmp_path: Path) -> None:
    write(tmp_path, '{"question": "1", "answer": "1"}\n', "b.jsonl")
    first = planned(tmp_path, JSONL).runs[0]
    source = first.spec.benchmarks["rows"].source
    assert source.kind == "jsonl" and source.sha256 is not None
    (tmp_path / "b.jsonl").rename(tmp_path / "a.jsonl")
    assert planned(tmp_path, JSONL).runs[0].run == first.run
    write(tmp_path, '{"question": "1", "answer": "2"}\n', "a.jsonl")
    assert planned(tmp_path, JSONL).runs[0].run != first.run


def test_missing_and_changed_data_are_located_errors(tmp_path: Path) -> None:
    with pytest.raises(SpecErrors) as caught:
        planned(tmp_path, JSONL)
    (found,) = caught.value.diagnostics
    assert found.code == "no-data-file" and found.path == "runtime.data.rows"
    assert found.at and found.at.line == len(JSONL.splitlines())
    write(tmp_path, "{}\n", "a.jsonl")
    with pytest.raises(SpecErrors, match="is not the file"):
        planned(tmp_path, JSONL.replace("data: rows}", f"data: rows, sha256: {'a' * 64}}}"))


def test_a_run_without_steps_is_its_evaluations(tmp_path: Path) -> None:
    text = changed(
        (
            "extends: mxspec:base/tiny_llama.yaml",
            "policy: {model: {kind: package, package: p, file: f, version: '1'}, sharing: {kind: shared}}",
        ),
        ("at: [stage_end]", "at: [start]"),
    )
    text = text[: text.index("questions:")] + text[text.index("evaluate:") :]
    first, other = (planned(tmp_path, text, *sets).runs[0] for sets in ((), ("evaluate.test.on[0].limit=3",)))
    assert first.chain == () and first.run != other.run and first.root_state == other.root_state
    assert planned(tmp_path, text, "evaluate.test.at=[start, end]").runs[0].run == first.run
    assert [job.run for job in compile_jobs(planned(tmp_path, text))] == [first.run]
