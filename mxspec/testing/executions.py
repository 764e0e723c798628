"""Executions of every kind that a reward term must judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runners.rollout.tree import Execution


def sample_executions() -> tuple[Execution, ...]:
    """One execution of each kind: right, wrong, without an answer, stopped by a limit, of a faulty gold, forged."""
    from runners.grading import Grade
    from runners.mas.calls import ExecutionResult
    from runners.rollout.tree import Execution

    answer = "Seven, since 3 and 4 are 7. \\boxed{7}"
    right = ExecutionResult("ok", "", answer, 1, 2, 40)
    return (
        Execution(right, Grade("correct", "7", "boxed")),
        Execution(right, Grade("incorrect", "7", "boxed")),
        Execution(right, Grade("gold_unparsable", None, "gold")),
        Execution(right, Grade("timeout", "7", "algebra")),
        Execution(right, Grade("error", "7", "algebra")),
        Execution(ExecutionResult("ok", "", "", 0, 1, 0), Grade("no_answer", None, "empty")),
        Execution(ExecutionResult("limit:tokens", "full", None, None, 3, 900), Grade("no_answer", None, "")),
        Execution(ExecutionResult("forged", "no completion has it", "7", None, 1, 9), Grade("no_answer", None, "")),
        Execution(ExecutionResult("failed", "design: no_script", None, None, 0, 0), Grade("no_answer", None, "")),
    )
