"""Examples: one question with its design before and after, its calls and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from analysis.report.evaluations import Evaluation
from analysis.report.store import rows

MOST_ARMS = 4
"""Arms that an example shows side by side, the first ones of the sweep."""


@dataclass(frozen=True, slots=True)
class Call:
    """What an agent read and wrote."""

    role: str
    agent: str | None
    turn: int
    prompt: str
    response: str
    finish: str


@dataclass(frozen=True, slots=True)
class Attempted:
    """A design for the question, and the first execution of it.

    Attributes:
        label: When or by whom, e.g. `after 6 steps`.
    """

    label: str
    path: str
    script: str
    shape: str
    design_verdict: str
    detail: str
    execution_verdict: str | None
    execution_detail: str | None
    answer: str | None
    answer_verdict: str | None
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """One question of a held-out split."""

    question: str
    gold: str
    difficulty: int | None
    benchmark: str
    split: str
    attempts: tuple[Attempted, ...]


@dataclass(frozen=True, slots=True)
class _Design:
    """First design of a question and its first execution."""

    row_hash: str
    question: str
    gold: str
    difficulty: int | None
    split: str
    path: str
    script: str
    shape: str
    design_verdict: str
    detail: str
    execution: str | None
    execution_verdict: str | None
    execution_detail: str | None
    answer: str | None
    answer_verdict: str | None


def read_examples(
    con: duckdb.DuckDBPyConnection, curves: Sequence[tuple[str, Sequence[Evaluation]]]
) -> tuple[Example, ...]:
    """Questions at both ends of the range of difficulty, each with several designs.

    Of one run: its first and its last held-out evaluation. Of several arms: the last one of each
    arm's first run, for the first arms. Nothing is picked by outcome: of each level the first question whose script
    differs between the first and the last column is taken, else the first question.

    Args:
        con: A store.
        curves: Arm and held-out evaluations, a run each.
    """
    columns: list[tuple[str, Evaluation]] = []
    if len(curves) == 1:
        curve = curves[0][1]
        ends = [curve[0], curve[-1]] if len(curve) > 1 else list(curve)
        columns = [(f"after {one.step} steps", one) for one in ends]
    else:
        taken: set[str] = set()
        for arm, curve in curves:
            if curve and arm not in taken and len(taken) < MOST_ARMS:
                taken.add(arm)
                columns.append((f"{arm}, after {curve[-1].step} steps", curve[-1]))
    if not columns:
        return ()
    designs = [{one.row_hash: one for one in _first_designs(con, evaluation)} for _, evaluation in columns]
    common = [key for key in designs[0] if all(key in other for other in designs[1:])]
    found = []
    for level in _ends(sorted({designs[0][key].difficulty or 0 for key in common})):
        keys = [key for key in common if (designs[0][key].difficulty or 0) == level]
        key = next((key for key in keys if designs[0][key].script != designs[-1][key].script), keys[0])
        attempts = tuple(
            _attempted(con, label, evaluation, of[key])
            for (label, evaluation), of in zip(columns, designs, strict=True)
        )
        one = designs[0][key]
        found.append(Example(one.question, one.gold, one.difficulty, columns[0][1].benchmark, one.split, attempts))
    return tuple(found)


def _ends(levels: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((levels[-1], levels[0]))) if levels else ()


def _first_designs(con: duckdb.DuckDBPyConnection, evaluation: Evaluation) -> tuple[_Design, ...]:
    return rows(
        con,
        _Design,
        """
        SELECT q.row_hash, q.question, q.gold, q.difficulty, q.split, d.path, d.script, d.shape, d.design_verdict,
            d.detail, e.path AS execution, e.execution_verdict, e.detail AS execution_detail, e.answer,
            e.answer_verdict
        FROM questions q
        JOIN designs d ON d.run = q.run AND d.step = q.step AND d.evaluation = q.evaluation AND d.parent = q.path
        LEFT JOIN executions e
            ON e.run = d.run AND e.step = d.step AND e.evaluation = d.evaluation AND e.parent = d.path
        WHERE q.run = ? AND q.step = ? AND q.evaluation = ? AND q.benchmark = ?
        QUALIFY row_number() OVER (PARTITION BY q.path ORDER BY d.path, e.path) = 1
        ORDER BY q.path
        """,
        [evaluation.recorded_by, evaluation.step, evaluation.evaluation, evaluation.benchmark],
    )


def _attempted(con: duckdb.DuckDBPyConnection, label: str, evaluation: Evaluation, one: _Design) -> Attempted:
    calls = rows(
        con,
        Call,
        """
        SELECT role, agent, turn, prompt, response, finish FROM calls
        WHERE run = ? AND step = ? AND evaluation = ? AND (path = ? OR parent = ?) ORDER BY agent IS NOT NULL, path
        """,
        [evaluation.recorded_by, evaluation.step, evaluation.evaluation, one.path, one.execution],
    )
    return Attempted(
        label=label,
        path=one.path,
        script=one.script,
        shape=one.shape,
        design_verdict=one.design_verdict,
        detail=one.detail,
        execution_verdict=one.execution_verdict,
        execution_detail=one.execution_detail,
        answer=one.answer,
        answer_verdict=one.answer_verdict,
        calls=calls,
    )
