"""From a rollout tree to what credit reads: verdicts and grades as reward terms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from mxspec.rundir.tables import RewardTermRow
from mxspec.spec.base import SpecModel
from mxspec.spec.rollout import Calls, Grade, Reward
from runners.credit.tree import DesignOutcome, ExecutionOutcome, Outcomes
from runners.plugged import called, made, require
from runners.rollout.tree import Execution, Tree

TermJudge = Callable[[Execution], float | None]
TermJudges = dict[str, TermJudge]
"""By name of a term; None where nothing can be judged."""


def outcomes_of(tree: Tree, reward: Reward, judges: TermJudges | None = None) -> Outcomes:
    """The scored tree.

    Executions of a design that is not ok never began: they are no trajectories
    and the design earns `reward.invalid_design`.

    Args:
        tree: What was rolled out.
        reward: The terms.
        judges: What `term_judges` made of them; made anew where None.

    Raises:
        PluginError: A plugin's term failed.
    """
    judges = term_judges(reward) if judges is None else judges
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
            terms = {name: judge(node.value) for name, judge in judges.items()}
            executions.append(ExecutionOutcome(str(node.path), design, terms, failed=failed))
    return Outcomes(designs, tuple(executions))


def term_judges(reward: Reward) -> TermJudges:
    """What judges an execution, for every term that is judged per execution.

    Raises:
        PluginError: A term is one of a plugin, which cannot be used.
    """
    found: TermJudges = {}
    for name, term in reward.terms.items():
        if isinstance(term, Grade):
            found[name] = _graded
        elif isinstance(term, Calls):
            found[name] = _calls
        elif term.plugged is not None:
            found[name] = _plugged(term)
    return found


def _graded(execution: Execution) -> float | None:
    """None where a gold fault leaves nothing to score."""
    verdict = execution.grade.verdict
    return None if verdict == "gold_unparsable" else float(verdict == "correct")


def _calls(execution: Execution) -> float:
    return float(execution.result.calls)


def _plugged(term: SpecModel) -> TermJudge:
    judge = made(term)

    def judged(execution: Execution) -> float | None:
        found = called(term, judge, execution)
        number = isinstance(found, (int, float)) and math.isfinite(found)
        require(term, found is None or number, f"returned {found!r:.80}, no finite number")
        return None if found is None else float(found)

    return judged


def term_rows(outcomes: Outcomes, reward: Reward, step: int) -> Iterator[RewardTermRow]:
    """Every term of every design and execution as a row."""
    for design in outcomes.designs:
        for name, term in reward.terms.items():
            if term.kind == "design_ok":
                yield RewardTermRow(step, None, design.path, name, float(design.ok))
    for execution in outcomes.executions:
        for name, value in execution.terms.items():
            yield RewardTermRow(step, None, execution.path, name, value)
