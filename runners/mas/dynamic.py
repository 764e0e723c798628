"""Executes a dynamic script: interpreted, and stopped wherever it waits for the result of a run.

Between two waves no interpreter is held: a script that waits is bytes. What it computes from results decides what it
runs next, and which completion it gives as its answer; it cannot make an answer of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args

from mxspec.spec.rollout import Limits
from runners.mas.calls import ExecutionResult, ExecutionVerdict
from runners.mas.digest import digest, voted
from runners.mas.functions import FunctionFailed, HostTool
from runners.mas.runtime import Budget, LimitError, Running, Said, waves_of
from runners.mas.sandbox import Ended, ScriptSandbox, Waiting
from runners.mas.verdicts import RefusedError


def execute_dynamic(
    sandbox: ScriptSandbox, start: Waiting, question: str, limits: Limits, tools: Mapping[str, HostTool]
) -> Running:
    """One execution of a dynamic design; requests and results as of `runners.mas.runtime.execute`.

    Args:
        sandbox: Where scripts run.
        start: The script where it first waits.
        question: The question.
        limits: Of all of its runs together.
        tools: Tools of the host's, by name.

    Returns:
        The answer: the completion that the script gives, else the last one of its last run. An answer that is no
        completion of this execution, nor what one delivers or answers, is `forged`.
    """
    budget = Budget(limits)
    ends: list[Said] = []
    waiting: Waiting | Ended = start
    try:
        while isinstance(waiting, Waiting):
            asked = question if waiting.graph.asks is None else waiting.graph.asks
            call = partial(sandbox.call_waiting, waiting)
            end = yield from budget.drive(waves_of(waiting.graph, asked, limits, call, tools), asked)
            ends.append(end)
            waiting = sandbox.go_on(waiting, end.text, end.sender, len(ends) - 1, question)
    except (LimitError, FunctionFailed) as stopped:
        return _stopped(stopped.verdict, stopped.detail, budget)
    except RefusedError as refused:
        known = refused.verdict in get_args(ExecutionVerdict)
        verdict: ExecutionVerdict = "limit:calls" if refused.verdict == "limit:calls" else "runtime_error"
        return _stopped(verdict, refused.detail if known else f"{refused.verdict}: {refused.detail}", budget)
    answer = _answer(waiting, ends, budget.said)
    if answer is None:
        return _stopped("forged", "the answer is no completion of this execution", budget)
    return ExecutionResult("ok", "", answer.text, answer.source, budget.calls, budget.tokens)


def _answer(ended: Ended, ends: Sequence[Said], said: Sequence[Said]) -> Said | None:
    """The completion that a script gives as its answer; None where it is none of them."""
    if ended.source is not None:
        return ends[ended.source] if 0 <= ended.source < len(ends) else None
    given = (ended.text or "").strip()
    if not given:
        return ends[-1]
    for one in reversed(said):
        if given in (one.text.strip(), digest(one.text), voted(one.text)):
            return one
    return None


def _stopped(verdict: ExecutionVerdict, detail: str, budget: Budget) -> ExecutionResult:
    return ExecutionResult(verdict, detail, None, None, budget.calls, budget.tokens)
