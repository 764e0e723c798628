"""Evaluations of a run with intervals, and how two of them differ question by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from analysis.report.store import rows
from analysis.views import SPREAD

Series = tuple[str, str, str, str]
"""Name, benchmark, split, and position among several sets of questions that one evaluation asks."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One evaluation on one benchmark; `low` and `high` are its 95 % interval over questions.

    `step` is the number of steps done, and `recorded_by` the run whose rows it has (a shared
    beginning is a run of its own).
    """

    run: str
    recorded_by: str
    step: int
    stage: str
    moment: str
    evaluation: str
    name: str
    benchmark: str
    split: str
    questions: int
    designs: int
    executions: int
    accuracy: float
    low: float | None
    high: float | None
    valid_designs: float
    calls_per_execution: float
    tokens_per_execution: float

    @property
    def series(self) -> Series:
        """What makes evaluations comparable over steps: name, benchmark, split, and which part of the evaluation."""
        return self.name, self.benchmark, self.split, self.evaluation.partition(".")[2]


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean difference of two evaluations, paired by question, with its 95 % interval (t over questions)."""

    difference: float | None
    low: float | None
    high: float | None
    questions: int


def read_evaluations(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> dict[str, tuple[Evaluation, ...]]:
    """Run -> its evaluations and those of the beginning that it shares with others, in order of steps."""
    found = rows(
        con,
        Evaluation,
        """
        SELECT e.run, e.recorded_by, e.step, e.stage, e.moment, e.evaluation, e.name, e.benchmark, e.split, e.questions,
            e.designs, e.executions, e.accuracy, i.low, i.high, e.valid_designs, e.calls_per_execution,
            e.tokens_per_execution
        FROM run_evaluations e LEFT JOIN evaluation_intervals i
            ON i.run = e.recorded_by AND i.step = e.step AND i.evaluation = e.evaluation
        WHERE list_contains(?, e.run) ORDER BY e.run, e.step, e.name, e.benchmark
        """,
        [list(runs)],
    )
    once = {(one.run, one.series, one.step): one for one in found}.values()
    return {run: tuple(one for one in once if one.run == run) for run in runs}


def held_out(evaluations: Sequence[Evaluation], name: str | None = None) -> Series | None:
    """The series that a run is judged by.

    Args:
        evaluations: Those of the run.
        name: Name of the evaluation that its sweep is judged by, if there is one.

    Returns:
        That of the name; else one called `test`, or `final`, else one on a test split; among
        those the one measured last and most often. None where there is none.
    """

    def rank(one: Series) -> tuple[bool, bool, bool, bool, int, int, tuple[int, ...]]:
        steps = [e.step for e in evaluations if e.series == one]
        first = tuple(-ord(letter) for letter in one[3])
        return one[0] == name, one[0] == "test", one[0] == "final", one[2] == "test", max(steps), len(steps), first

    return max(sorted({one.series for one in evaluations}), key=rank, default=None)


def paired(con: duckdb.DuckDBPyConnection, before: Evaluation, after: Evaluation) -> Difference:
    """How accuracy changed on the questions that both evaluations asked.

    Args:
        con: A store.
        before: The evaluation that is subtracted.
        after: The evaluation that it is subtracted from.
    """
    one = """
        SELECT o.row_hash, avg(q.accuracy) AS accuracy FROM evaluation_questions q
        JOIN questions o ON o.run = q.run AND o.step = q.step AND o.evaluation = q.evaluation AND o.path = q.question
        WHERE q.run = ? AND q.step = ? AND q.evaluation = ? AND o.benchmark = ? GROUP BY o.row_hash
    """
    keys = [part for e in (before, after) for part in (e.recorded_by, e.step, e.evaluation, e.benchmark)]
    (found,) = rows(
        con,
        Difference,
        f"""
        WITH a AS ({one}), b AS ({one}), d AS (SELECT b.accuracy - a.accuracy AS d FROM a JOIN b USING (row_hash)),
        s AS (SELECT avg(d) AS mean, {SPREAD.format(of="d")} / sqrt(count(*)) AS se, count(*) AS n FROM d)
        SELECT mean AS difference, mean - t * se AS low, mean + t * se AS high, n AS questions
        FROM s, (SELECT max_by(t975, df) AS t FROM t_quantiles, s WHERE df <= s.n - 1)
        """,
        keys,
    )
    return found
