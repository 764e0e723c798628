"""The verdict on an answer, by the benchmark's grader."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Literal, NamedTuple

from mxspec.spec.benchmark import Choice, Exact, Grader, Integer, Math
from runners.grading.algebra import Algebra, AlgebraError, AlgebraTimeout
from runners.grading.choice import chosen
from runners.grading.extract import extract
from runners.grading.integer import Reading, read_answer, read_integer
from runners.grading.latex import spelled
from runners.grading.mathematical import compare
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
        stage: How it was found or decided: `exact`, `boxed`, `marked`, `last_number`, `gold`, `empty`; of a
            mathematical answer what decided (see `runners.grading.mathematical.Comparison`).
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


HAVE_RUNNER = ("exact", "integer", "math", "choice")
"""Kinds of graders that are judged here."""


def grade(grader: Grader, gold: str, answer: str | None) -> Grade:
    """Judges an answer against the gold.

    Args:
        grader: The benchmark's grader.
        gold: The gold answer as the benchmark gives it.
        answer: The final response of an execution; None where it has none.
    """
    match grader:
        case Exact():
            return _exact(gold, answer)
        case Math():
            return _math(gold, answer, grader.tolerance)
        case Choice():
            return _choice(gold, answer)
        case Integer():
            return _integer(gold, answer)
    raise AssertionError(f"no runner judges by {grader.kind}: `run` and `check` let none through")


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


def _math(gold: str, answer: str | None, tolerance: float) -> Grade:
    boxed = extract(gold)
    wanted = boxed.text if boxed.stage == "boxed" else gold.strip()
    if not wanted:
        return Grade("gold_unparsable", None, "gold")
    found = extract(answer)
    if found.text is None:
        return Grade("no_answer", None, found.stage)
    try:
        same, stage = _compared(wanted, found.text, tolerance)
        if same is None and _compared(wanted, f"({wanted})+0", tolerance)[0] is None:
            return Grade("gold_unparsable", found.text, "gold")
    except AlgebraTimeout:
        return Grade("timeout", found.text, "algebra")
    except AlgebraError:
        return Grade("error", found.text, "algebra")
    return Grade("correct" if same else "incorrect", found.text, stage)


@lru_cache(maxsize=20_000)
def _compared(gold: str, given: str, tolerance: float) -> tuple[bool | None, str]:
    """A comparison, remembered: the executions of a question give few different answers."""
    found = compare(gold, given, _algebra(), tolerance=tolerance)
    return found.same, found.stage


@cache
def _algebra() -> Algebra:
    """The process of this process that does algebra; it starts when a pair first needs it."""
    return Algebra()


def _choice(gold: str, answer: str | None) -> Grade:
    wanted = chosen(spelled(gold))
    if not wanted:
        return Grade("gold_unparsable", None, "gold")
    found = extract(answer)
    letter = chosen(spelled(found.text)) if found.text is not None else ""
    if not letter:
        return Grade("no_answer", None, found.stage)
    return Grade("correct" if letter == wanted else "incorrect", letter, found.stage)
