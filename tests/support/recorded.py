"""Run directories written through the recorder, with outcomes that a test chooses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mxspec.rundir import Provenance, RunDir, SweepRecord, SweepRun, write_sweep
from mxspec.rundir.tables import (
    CallRow,
    CreditRow,
    DesignRow,
    EvaluationRoleRow,
    EvaluationRow,
    ExecutionRow,
    FailureRow,
    QuestionRow,
    RewardTermRow,
    StageRow,
    StepRow,
    TimingRow,
)
from runners.record import Recorder

Answers = Sequence[Sequence[bool]]
"""Per question, whether each execution was right."""


def tree_rows(step: int, answers: Answers, evaluation: str | None = None, text: str = "") -> Iterator[object]:
    """A tree of one design a question."""
    for q, right in enumerate(answers):
        question, design = f"q{q:04d}", f"q{q:04d}/d00"
        yield QuestionRow(step, evaluation, question, "chain", "test", f"hash{q}", 2, f"{q}+1", "1")
        yield DesignRow(
            step, evaluation, design, question, "designer", "5c", f"a{text}", "static", "solve", 1, "ok", ""
        )
        yield CallRow(step, evaluation, design, question, "designer", None, 0, "p", "s", 3, 0, 5, -1.5, "stop", "st")
        for e, correct in enumerate(right):
            path = f"{design}/e{e:02d}"
            verdict = "correct" if correct else "incorrect"
            yield ExecutionRow(step, evaluation, path, design, "ok", "", text or "1", verdict, 1, 4)
            call = f"{path}/c000"
            yield CallRow(step, evaluation, call, path, "executor", "solve", 0, "p", "1", 3, 2, 4, -0.5, "stop", "st")


def step_rows(step: int, text: str = "") -> list[object]:
    """Rows of every table that a training step may have."""
    return [
        *tree_rows(step, [[True, False]], text=text),
        RewardTermRow(step, None, "q0000/d00/e00", "correct", 1.0),
        CreditRow(step, "q0000/d00/e00", "executor", "trajectory", "q0000", 2, 0.5, None, 0.0),
        StepRow(step, "rl", step, "executor", "reward_mean", 0.5),
        StepRow(step, "rl", step, None, "accuracy", 0.25),
        StageRow(step, "rl", "rl", "executor", "designer", step, step, "steps"),
        FailureRow(step, "engine", "timeout", text),
        TimingRow(step, "step", 0.1),
    ]


def evaluation_rows(step: int, answers: Answers, *, moment: str, name: str = "test") -> Iterator[object]:
    """An evaluation after `step` steps, with its tree."""
    identity = f"{name}-at-{step}"
    yield from tree_rows(step, answers, identity)
    marks = [one for right in answers for one in right]
    accuracy = sum(marks) / len(marks)
    yield EvaluationRow(
        step=step,
        stage="rl",
        stage_step=step,
        moment=moment,
        evaluation=identity,
        name=name,
        benchmark="chain",
        split="test",
        questions=len(answers),
        designs=len(answers),
        executions=len(marks),
        accuracy=accuracy,
        valid_designs=1.0,
        calls_per_execution=1.0 + step,
        tokens_per_execution=4.0,
    )
    yield EvaluationRoleRow(step, identity, "executor", "st")


def describe_run(run_dir: RunDir, *, seed: int = 0, code: str = "code", arm: str = "main") -> None:
    """Writes the provenance of a run, and a spec."""
    run_dir.write(
        "provenance.json",
        Provenance(
            run=run_dir.run,
            cell="cell",
            seed=seed,
            arms=(arm,),
            name="recorded",
            spec_hash="spec",
            code_hash=code,
            data_hashes={},
            versions={"mxspec": "0"},
            machine={"system": "here"},
            created=1.7e9,
        ),
    )
    (run_dir.path / "spec.yaml").write_text(f"seed: {seed}\nstages: [{{name: rl, steps: 2}}]\nnothing: {{}}\n")


def record_run(
    runs_dir: Path, run: str, evaluations: Mapping[int, Answers] | None = None, *, steps: int = 2, seed: int = 0
) -> Recorder:
    """A finished run: `steps` steps, and an evaluation `test` after some of them (the last one at `end`)."""
    recorder = Recorder.start(RunDir(runs_dir / run), from_step=0)
    describe_run(recorder.run_dir, seed=seed)
    for step in range(steps):
        recorder.add(step_rows(step))
        for after, answers in (evaluations or {}).items():
            if after == step + 1:
                recorder.add(evaluation_rows(after, answers, moment="end" if after == steps else "every 1"))
        commit(recorder, step)
    recorder.finish("done", step=steps)
    return recorder


def commit(recorder: Recorder, step: int) -> None:
    """Commits the rows that were added as a step of the stage `rl`."""
    recorder.commit_step(step=step, stage="rl", stage_step=step, state=f"state{step}")


@dataclass(frozen=True)
class ArmRun:
    """A run that stands for an arm at a seed."""

    arm: str
    seed: int
    run: str


def record_sweep(runs_dir: Path, runs: Sequence[ArmRun], *, baseline: str, name: str = "sweep") -> None:
    """Writes which run stands for which arm."""
    found = tuple(
        SweepRun(arm=one.arm, seed=one.seed, cell=one.arm, run=one.run, is_baseline=one.arm == baseline) for one in runs
    )
    write_sweep(runs_dir, SweepRecord(name=name, baseline=baseline, runs=found))
