"""Evaluations: a rollout that judges and never trains."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mxspec.plan.identity import evaluation_id
from mxspec.rundir.tables import EvaluationRoleRow, EvaluationRow
from mxspec.spec import Spec
from mxspec.spec.benchmark import Use
from mxspec.spec.evaluate import Evaluation, Every, TemperatureOverride
from runners.benchmarks import LoadedBenchmark, Question
from runners.record.recorder import Recorder
from runners.rollout.rollout import rollout
from runners.rollout.rows import tree_rows
from runners.rollout.tree import Tree
from runners.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a run stands: after `step` steps, `stage_step` of them in `stage`."""

    step: int
    stage: str
    stage_step: int
    labels: frozenset[str]
    """Of `start`, `epoch`, `block_end`, `stage_end`, `end`, `rl_step`."""


def due(evaluation: Evaluation, moment: Moment) -> str | None:
    """The reason why an evaluation is due at a moment, the most telling one; None where it is not."""
    for label in ("end", "stage_end", "block_end", "epoch", "start"):
        if label in evaluation.at and label in moment.labels:
            return label
    for at in evaluation.at:
        if isinstance(at, Every) and "rl_step" in moment.labels and moment.stage_step % at.every == 0:
            return f"every {at.every}"
    return None


def held_out(benchmarks: Mapping[str, LoadedBenchmark], use: Use) -> tuple[Question, ...]:
    """The fixed questions of an evaluation."""
    return benchmarks[use.use].held_out(use.split, use.limit, use.difficulty)


def evaluate(
    spec: Spec, bench: Workbench, moment: Moment, recorder: Recorder, *, skip: frozenset[str] = frozenset()
) -> dict[str, float]:
    """Runs every evaluation that is due but for those in `skip`, and records trees and results.

    Returns:
        `evaluate.<name>.accuracy` and `evaluate.<name>.valid_designs`, over all benchmarks of each.
    """
    measured: dict[str, float] = {}
    for name, evaluation in spec.evaluate.items():
        label = due(evaluation, moment)
        if label is None or name in skip:
            continue
        states = {role: bench.policies.for_role(role).version for role in spec.roles}
        identity = evaluation_id(evaluation, spec, states)
        rows = []
        for index, use in enumerate(evaluation.on):
            questions = held_out(bench.benchmarks, use)
            method = bench.method(
                tree=evaluation.tree,
                structure=evaluation.structure or spec.structure,
                override=evaluation.sampling if isinstance(evaluation.sampling, TemperatureOverride) else None,
            )
            tree = rollout(questions, method, (spec.seed, "evaluate", identity, index))
            tag = identity if len(evaluation.on) == 1 else f"{identity}.{index}"
            recorder.add(tree_rows(tree, moment.step, tag))
            rows.append(_result(tree, moment, label, tag, name, use))
            recorder.add([EvaluationRoleRow(moment.step, tag, role, state) for role, state in states.items()])
        recorder.add(rows)
        weight = sum(row.executions for row in rows)
        measured[f"evaluate.{name}.accuracy"] = sum(row.accuracy * row.executions for row in rows) / weight
        measured[f"evaluate.{name}.valid_designs"] = sum(row.valid_designs * row.executions for row in rows) / weight
    return measured


def _result(tree: Tree, moment: Moment, due: str, evaluation: str, name: str, use: Use) -> EvaluationRow:
    executions = [node.value for node in tree.executions]
    count = len(executions)
    return EvaluationRow(
        step=moment.step,
        stage=moment.stage,
        stage_step=moment.stage_step,
        moment=due,
        evaluation=evaluation,
        name=name,
        benchmark=use.use,
        split=use.split,
        questions=len(tree.questions),
        designs=len(tree.designs),
        executions=count,
        accuracy=sum(one.grade.verdict == "correct" for one in executions) / count,
        valid_designs=sum(node.value.design_verdict == "ok" for node in tree.designs) / len(tree.designs),
        calls_per_execution=sum(one.result.calls for one in executions) / count,
        tokens_per_execution=sum(one.result.tokens for one in executions) / count,
    )
