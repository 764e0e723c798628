"""The verdict on an answer, by the benchmark's grader."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple

from mxspec.spec.benchmark import Exact, Grader
from runners.grading.integer import Reading, read_answer, read_integer
from runners.plugged import called, made, require

AnswerVerdict = Literal["correct", "incorrect", "no_answer", "gold_unparsable", "timeout", "error"]
"""What became of an answer.

- correct, incorrect: judged.
- no_answer: there is none, or it is an empty or unterminated box.
- gold_unparsable: the fault is the benchmark's.
- timeout, error: the checker ran too long or raised; scored as a failure, counted and shown.
"""


class Grade(NamedTuple):
    """A judged answer.

    Attributes:
        verdict: See `AnswerVerdict`.
        extracted: The part of the answer that was judged, None where there is none.
        stage: How it was found or decided: `exact`, `boxed`, `marked`, `last_number`, `gold`, `empty`.
    """

    verdict: AnswerVerdict
    extracted: str | None
    stage: str


Judge = Callable[[str, str | None], Grade]
"""Judges an answer (None where there is none) against a gold."""


def judge_for(grader: Grader) -> Judge:
    """What judges the answers of a benchmark.

    Raises:
        PluginError: The grader is one of a plugin, which cannot be used.
    """
    if grader.plugged is None:
        return partial(grade, grader)
    judge = made(grader)

    def judged(gold: str, answer: str | None) -> Grade:
        found: Grade = called(grader, judge, gold, answer)
        require(grader, isinstance(found, Grade), "returned no `Grade`")
        return found

    return judged


def grade(grader: Grader, gold: str, answer: str | None) -> Grade:
    """Judges an answer against the gold.

    Args:
        grader: The benchmark's grader.
        gold: The gold answer as the benchmark gives it.
        answer: The final response of an execution; None where it has none.
    """
    if isinstance(grader, Exact):
        return _exact(gold, answer)
    return _integer(gold, answer)


def _exact(gold: str, answer: str | None) -> Grade:
    wanted = gold.strip()
    if not wanted:
        return Grade("gold_unparsable", None, "gold")
    given = "" if answer is None else answer.strip()
    if not given:
        return Grade("no_answer", None, "empty")
    return Grade("correct" if given == wanted else "incorrect", given, "exact")


def _integer(gold: str, answer: str | None) -> Grade:
    wanted = read_integer(gold)
    if wanted is None:
        return Grade("gold_unparsable", None, "gold")
    if answer is None or not answer.strip():
        return Grade("no_answer", None, "empty")
    read: Reading = read_answer(answer)
    if read.extracted is None:
        return Grade("no_answer", None, read.stage)
    return Grade("correct" if read.value == wanted else "incorrect", read.extracted, read.stage)
