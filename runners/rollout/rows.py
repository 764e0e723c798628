"""From a rollout tree to the rows of the store."""

from __future__ import annotations

from collections.abc import Iterator

from mxspec.rundir.tables import CallRow, DesignRow, ExecutionRow, QuestionRow
from runners.rollout.tree import Tree


def tree_rows(
    tree: Tree, step: int, evaluation: str | None
) -> Iterator[QuestionRow | DesignRow | ExecutionRow | CallRow]:
    """Every node of a tree as a row, parents before children within a level.

    Args:
        tree: The tree.
        step: Steps done when it was rolled out.
        evaluation: Id of the evaluation that it belongs to; None for training.
    """
    for asked in tree.questions:
        question = asked.value
        yield QuestionRow(
            step=step,
            evaluation=evaluation,
            path=str(asked.path),
            benchmark=question.benchmark,
            split=question.split,
            row_hash=question.row_hash,
            difficulty=question.difficulty,
            question=question.text,
            gold=question.gold,
        )
    writers = {node.path: node.value.role for node in tree.calls if node.value.agent is None}
    for designed in tree.designs:
        design = designed.value
        yield DesignRow(
            step=step,
            evaluation=evaluation,
            path=str(designed.path),
            parent=str(designed.parent),
            role=writers.get(designed.path),
            script_hash=design.script_hash,
            script=design.script,
            kind=design.kind,
            shape=design.graph.shape() if design.graph else "",
            agents=design.agents,
            design_verdict=design.design_verdict,
            detail=design.detail,
        )
    for executed in tree.executions:
        result, grade = executed.value.result, executed.value.grade
        yield ExecutionRow(
            step=step,
            evaluation=evaluation,
            path=str(executed.path),
            parent=str(executed.parent),
            execution_verdict=result.verdict,
            detail=result.detail,
            answer=result.answer,
            answer_verdict=grade.verdict,
            calls=result.calls,
            tokens=result.tokens,
        )
    for called in tree.calls:
        call = called.value
        yield CallRow(
            step=step,
            evaluation=evaluation,
            path=str(called.path),
            parent=str(called.parent),
            role=call.role,
            agent=call.agent,
            turn=call.turn,
            prompt=call.prompt_text,
            response=call.text,
            prompt_tokens=len(call.prompt),
            cached_tokens=call.completion.cached_tokens,
            response_tokens=len(call.completion.ids),
            logprob=sum(call.completion.logprobs.tolist()),
            finish=call.completion.finish,
            state=call.completion.version,
        )
