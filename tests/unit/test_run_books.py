"""A run's books: which questions come next, what the end of a stretch is the end of, what is kept."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import cast

import pytest

from mxspec.compile.job import Job
from mxspec.rundir import Manifest
from runners.benchmarks import load_benchmark
from runners.position import Position, chain_states, max_steps
from runners.run import Run, end_labels
from runners.workbench import Workbench
from tests.support.smoke import smoke_jobs


def books(job: Job, position: Position | None = None) -> Run:
    loaded = {name: load_benchmark(name, one, data_paths={}) for name, one in job.spec.benchmarks.items()}
    return Run(
        job=job,
        bench=cast(Workbench, SimpleNamespace(benchmarks=loaded)),
        learner=None,  # type: ignore[arg-type]
        recorder=None,  # type: ignore[arg-type]
        position=position or Position(),
        stop=Event(),
        on_progress=lambda progress: None,
        total_steps=0,
        state="",
    )


def test_sources_get_their_exact_share_over_time_and_a_resume_goes_on(tmp_path: Path) -> None:  # L26
    sources = "[{use: chain_arithmetic, difficulty: [1], weight: 3}, {use: chain_arithmetic, difficulty: [4]}]"
    [job] = smoke_jobs(tmp_path, "questions.per_step=10", f"questions.from={sources}")
    run = books(job)
    batches = [run.draw_questions() for _ in range(8)]
    assert {len(batch) for batch in batches} == {10}
    levels = [question.difficulty for batch in batches for question in batch]
    assert (levels.count(1), levels.count(4)) == (60, 20)
    assert len({question.text for question in batches[0]} | {question.text for question in batches[1]}) > 10

    resumed = books(job, Position(questions={}))
    first = [resumed.draw_questions() for _ in range(3)]
    later = books(job, Position(questions=dict(resumed.position.questions)))
    assert first + [later.draw_questions() for _ in range(5)] == batches


def test_another_seed_draws_other_questions(tmp_path: Path) -> None:
    drawn = []
    for seed in (0, 1):
        [job] = smoke_jobs(tmp_path, f"seed={seed}", "questions.per_step=20")
        drawn.append([question.text for question in books(job).draw_questions()])
    assert drawn[0] != drawn[1]


def test_ends_are_named_for_all_that_they_end(tmp_path: Path) -> None:
    [job] = smoke_jobs(tmp_path)
    assert [(stretch.stage, stretch.trains) for stretch in job.chain] == [
        ("cold", ("designer", "executor")),
        ("rl", ("executor",)),
        ("rl", ("designer",)),
        ("rl", ("executor",)),
    ]
    assert [end_labels(job, i) for i in range(4)] == [
        {"stage_end"},
        {"block_end"},
        {"block_end"},
        {"block_end", "stage_end", "end"},
    ]
    assert end_labels(job.model_copy(update={"prefix": True}), 3) == {"block_end", "stage_end"}


def test_the_last_block_is_cut(tmp_path: Path) -> None:  # C33
    [job] = smoke_jobs(tmp_path, "stages.rl.steps=7", "stages.rl.train.every=3")
    assert [stretch.steps for stretch in job.chain[1:]] == [3, 3, 1]


@pytest.mark.parametrize(("step", "role"), [(0, "executor"), (29, "executor"), (30, "designer"), (59, "designer")])
def test_blocks_alternate(step: int, role: str, tmp_path: Path) -> None:  # L22
    [job] = smoke_jobs(tmp_path, "stages.rl.steps=61", "stages.rl.train.every=30")
    [trains] = [s.trains for s in job.chain[1:] if s.steps and s.first <= step < s.first + s.steps]
    assert trains == (role,)
    assert job.chain[-1].trains == ("executor",)


def test_every_step_has_a_state_of_its_own(tmp_path: Path) -> None:
    [job] = smoke_jobs(tmp_path)
    states = chain_states(job)
    assert len(states) == sum(max_steps(job, i) for i in range(4)) + 1  # a gated stage's end is one more
    assert states[job.chain[-1].end_state] == (4, 0) and job.chain[-1].end_state.startswith(job.run)


def test_checkpoints_that_the_spec_keeps_outlive_the_next_one(tmp_path: Path) -> None:
    [job] = smoke_jobs(tmp_path, "runtime.checkpoints.keep=[stage_end, end]")
    run = books(job, Position(step=8))

    def saved(state: str, step: int, stage_step: int = 1) -> Manifest:
        return Manifest(
            kind="checkpoint", attempt=0, step=step, stage="rl", stage_step=stage_step, state=state, files={}
        )

    cold, block, _, end = (stretch.end_state for stretch in job.chain)
    assert run.keeps(saved(cold, 2)) and run.keeps(saved(end, 7))
    assert not run.keeps(saved(block, 4)) and not run.keeps(saved("of another chain", 3))
    assert run.keeps(saved(block, 8)), "the newest is always kept"
    assert not run.keeps(saved(cold, 0))
    [job] = smoke_jobs(tmp_path, "runtime.checkpoints.keep=[start, {multiple_of: 3}]")
    run = books(job, Position(step=8))
    assert run.keeps(saved("of step 6 of the stage", 7, stage_step=6)) and run.keeps(saved("root", 0))
    assert not run.keeps(saved(cold, 2)), "neither a multiple of three nor the start"
