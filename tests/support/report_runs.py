"""Small run directories written through the recorder, with every number chosen, for tests of reports and the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mxspec.rundir import Lineage, Provenance, RunDir, SweepRecord, SweepRun, write_sweep
from mxspec.rundir.tables import (
    CallRow,
    DesignRow,
    EvaluationRoleRow,
    EvaluationRow,
    ExecutionRow,
    QuestionRow,
    StageRow,
    StepRow,
)
from runners.record import Recorder
from runners.record.compact import compact

SPEC = "language: 1\nname: {name}\nseed: {seed}\n"
SCRIPT = 'workflow.add_node(AgentNode(name="solve"))\nprint("{text}")\n'


@dataclass(frozen=True)
class SmallRun:
    """A run of three steps: a cold start (step 0), then an executor block (1) and a designer block (2).

    Attributes:
        run: Id.
        right: Per evaluation (after 1, 2 and 3 steps), per question, how many of two executions are right.
        seed: Seed.
        arm: Arm.
        name: Name of the spec.
        text: Stands in scripts, prompts and responses.
        steps: Steps taken.
        state: How the run ended.
        parent: Run whose first step this one goes on from.
    """

    run: str
    right: Sequence[Sequence[int]] = field(default=((0, 1, 0, 1), (1, 1, 0, 2), (2, 2, 1, 2)))
    seed: int = 0
    arm: str = "main"
    name: str = "small"
    text: str = "hello"
    steps: int = 3
    state: str = "done"
    parent: str | None = None


def write_run(runs_dir: Path, small: SmallRun) -> RunDir:
    """Writes a run directory as a run would."""
    home = RunDir(runs_dir / small.run)
    home.path.mkdir(parents=True)
    (home.path / "spec.yaml").write_text(SPEC.format(name=small.name, seed=small.seed))
    home.write(
        "provenance.json",
        Provenance(
            run=small.run,
            cell="c" * 12,
            seed=small.seed,
            arms=(small.arm,),
            name=small.name,
            spec_hash="5bec" * 3,
            code_hash="c0de" * 16,
            data_hashes={},
            versions={"mxspec": "0.1.0"},
            machine={"system": "Linux"},
            created=1.7e9 + small.seed,
        ),
    )
    first = 0 if small.parent is None else 1
    recorder = Recorder.start(home, from_step=first)
    if small.parent is not None:
        recorder.lineage(Lineage(child=small.run, parent=small.parent, step=1, state="s1"))
    for step in range(first, small.steps):
        stage, stage_step = ("cold", 0) if step == 0 else ("rl", step - 1)
        role = "executor" if step == 1 else "designer"
        if step:
            recorder.add(_training(small, step, role))
        recorder.add(_evaluation(small, step + 1, stage, small.right[step]))
        recorder.add(
            [
                StageRow(
                    step=step,
                    stage=stage,
                    kind="rl" if step else "sft",
                    trained=role if step else "designer,executor",
                    masked={"executor": "designer", "designer": "executor"}[role] if step else "",
                    first_step=step,
                    last_step=step,
                    stop_reason="steps",
                )
            ]
        )
        recorder.commit_step(step=step, stage=stage, stage_step=stage_step, state=f"s{step + 1}")
    assert small.state in ("done", "failed", "interrupted")
    recorder.finish(small.state, step=small.steps, message="" if small.state == "done" else "stopped here")
    if small.state == "done":
        compact(home)
    return home


def write_small_sweep(runs_dir: Path, name: str, baseline: str, runs: Sequence[SmallRun]) -> None:
    """Writes runs and the sweep that they belong to."""
    for one in runs:
        write_run(runs_dir, one)
    members = tuple(
        SweepRun(arm=one.arm, seed=one.seed, cell=f"cell-{one.arm}", run=one.run, is_baseline=one.arm == baseline)
        for one in runs
    )
    write_sweep(runs_dir, SweepRecord(name=name, baseline=baseline, runs=members))


def _training(small: SmallRun, step: int, role: str) -> list[object]:
    stage_step = step - 1
    metrics: list[tuple[str | None, str, float]] = [
        (None, "accuracy", 0.25 * step),
        (None, "valid_designs", 0.5),
        (None, "calls_per_execution", 1.0),
        (role, "reward_mean", 0.3 * step),
        (role, "groups", 4.0),
        (role, "zero_spread_groups", 1.0),
        (role, "grad_norm", 0.5),
        (role, "sampled_entropy", 0.2),
    ]
    steps: list[object] = [StepRow(step, "rl", stage_step, of, metric, value) for of, metric, value in metrics]
    return steps + _tree(small, step, None, "train", (1, 0))


def _evaluation(small: SmallRun, done: int, stage: str, right: Sequence[int]) -> list[object]:
    name = f"e{small.run}{done}"
    total = 2 * len(right)
    row = EvaluationRow(
        step=done,
        stage=stage,
        stage_step=max(done - 1, 1),
        moment="end" if done == small.steps else "block_end",
        evaluation=name,
        name="test",
        benchmark="sums",
        split="test",
        questions=len(right),
        designs=len(right),
        executions=total,
        accuracy=sum(right) / total,
        valid_designs=1.0,
        calls_per_execution=1.0,
        tokens_per_execution=3.0,
    )
    roles = [EvaluationRoleRow(done, name, role, f"s{done}") for role in ("designer", "executor")]
    return [row, *roles, *_tree(small, done, name, "test", right)]


def _tree(small: SmallRun, step: int, evaluation: str | None, split: str, right: Sequence[int]) -> list[object]:
    """One design a question, two executions a design, one call an execution."""
    found: list[object] = []
    for at, good in enumerate(right):
        q = f"q{at:04d}"
        d = f"{q}/d00"
        gold = str(at)
        found.append(QuestionRow(step, evaluation, q, "sums", split, f"{split}{at}", 1 + at % 2, f"{at}+0", gold))
        shape = "solve" if step < 3 else "vote(solve, solve)"
        script = SCRIPT.format(text=f"{small.text} {step}")
        found.append(DesignRow(step, evaluation, d, q, "designer", f"h{step}", script, "static", shape, 1, "ok", ""))
        found.append(
            CallRow(step, evaluation, d, q, "designer", None, 0, f"design {at}+0\n", script, 4, 0, 9, -1.0, "stop", "s")
        )
        for e in range(2):
            path = f"{d}/e{e:02d}"
            answer = gold if e < good else "wrong"
            verdict = "correct" if e < good else "incorrect"
            found.append(ExecutionRow(step, evaluation, path, d, "ok", "", answer, verdict, 1, 3))
            found.append(
                CallRow(
                    step,
                    evaluation,
                    f"{path}/c000",
                    path,
                    "executor",
                    "solve",
                    0,
                    f"solve {small.text}=",
                    f"{small.text} {answer}",
                    5,
                    0,
                    3,
                    -0.5,
                    "stop",
                    "s",
                )
            )
    return found
