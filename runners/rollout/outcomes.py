"""From a rollout tree to what credit reads: verdicts and grades as reward terms."""

from __future__ import annotations

from collections.abc import Iterator

from mxspec.rundir.tables import RewardTermRow
from mxspec.spec.rollout import Calls, Grade, Reward
from runners.credit.tree import DesignOutcome, ExecutionOutcome, Outcomes
from runners.rollout.tree import Execution, Tree


def outcomes_of(tree: Tree, reward: Reward) -> Outcomes:
    """The scored tree.

    Executions of a design that is not ok never began: they are no trajectories
    and the design earns `reward.invalid_design`.
    """
    position = {node.path: i for i, node in enumerate(tree.designs)}
    designs = tuple(
        DesignOutcome(str(node.path), str(node.parent), node.value.design_verdict == "ok") for node in tree.designs
    )
    executions = []
    for node in tree.executions:
        assert node.parent is not None
        design = position[node.parent]
        if designs[design].ok:
            failed = node.value.result.verdict != "ok" or node.value.grade.verdict in ("timeout", "error")
            executions.append(
                ExecutionOutcome(str(node.path), design, execution_terms(node.value, reward), failed=failed)
            )
    return Outcomes(designs, tuple(executions))


def execution_terms(execution: Execution, reward: Reward) -> dict[str, float | None]:
    """The terms that are judged per execution; None where a gold fault leaves nothing to score."""
    terms: dict[str, float | None] = {}
    for name, term in reward.terms.items():
        if isinstance(term, Grade):
            verdict = execution.grade.verdict
            terms[name] = None if verdict == "gold_unparsable" else float(verdict == "correct")
        elif isinstance(term, Calls):
            terms[name] = float(execution.result.calls)
    return terms


def term_rows(outcomes: Outcomes, reward: Reward, step: int) -> Iterator[RewardTermRow]:
    """Every term of every design and execution as a row."""
    for design in outcomes.designs:
        for name, term in reward.terms.items():
            if term.kind == "design_ok":
                yield RewardTermRow(step, None, design.path, name, float(design.ok))
    for execution in outcomes.executions:
        for name, value in execution.terms.items():
            yield RewardTermRow(step, None, execution.path, name, value)
