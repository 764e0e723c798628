"""How training went: metrics by step, shapes of designs, verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from analysis.report.evaluations import Evaluation
from analysis.report.store import rows

METRICS = (
    "accuracy",
    "valid_designs",
    "calls_per_execution",
    "reward_mean",
    "zero_spread_share",
    "grad_norm",
    "sampled_entropy",
)
"""Metrics that a report draws, in this order; `zero_spread_share` is zero_spread_groups / groups."""


INVALID = "not valid"
"""Stands for the shape of a design whose verdict is not ok."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One value of one step; `role` is None for the whole step."""

    run: str
    step: int
    role: str | None
    metric: str
    value: float


@dataclass(frozen=True, slots=True)
class ShapeCount:
    """How many designs of a level have a shape; `not valid` where the verdict is not ok."""

    difficulty: int | None
    shape: str
    designs: int


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """How many designs, executions or answers got a verdict, in the rollouts of a stretch."""

    stage: str
    first_step: int
    last_step: int
    trained: str
    level: str
    verdict: str
    count: int


def read_metrics(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> dict[str, tuple[Metric, ...]]:
    """Run -> the metrics that a report draws, by step; a metric of a role exists for the steps that trained it."""
    found = rows(
        con,
        Metric,
        """
        WITH s AS MATERIALIZED (
            SELECT run, step, role, metric, value FROM run_steps
            WHERE list_contains($runs, run) AND list_contains($metrics, metric)
        )
        SELECT run, step, role, metric, value FROM s WHERE metric NOT IN ('zero_spread_groups', 'groups')
        UNION ALL
        SELECT z.run, z.step, z.role, 'zero_spread_share', z.value / g.value
        FROM s z JOIN s g ON g.run = z.run AND g.step = z.step AND g.role IS NOT DISTINCT FROM z.role
        WHERE z.metric = 'zero_spread_groups' AND g.metric = 'groups' AND g.value > 0
        ORDER BY run, metric, role, step
        """,
        {"runs": list(runs), "metrics": [*METRICS, "zero_spread_groups", "groups"]},
    )
    return {run: tuple(one for one in found if one.run == run) for run in runs}


def read_shapes(con: duckdb.DuckDBPyConnection, evaluation: Evaluation) -> tuple[ShapeCount, ...]:
    """Shapes of the designs of an evaluation, by level; empty where designs are fixed."""
    return rows(
        con,
        ShapeCount,
        """
        SELECT q.difficulty, CASE WHEN d.design_verdict = 'ok' THEN d.shape ELSE 'not valid' END AS shape,
            count(*) AS designs
        FROM designs d
        JOIN questions q ON q.run = d.run AND q.step = d.step AND q.path = d.parent AND q.evaluation = d.evaluation
        WHERE d.run = ? AND d.step = ? AND d.evaluation = ? AND q.benchmark = ? AND d.role IS NOT NULL
        GROUP BY ALL ORDER BY q.difficulty NULLS FIRST, designs DESC, shape
        """,
        [evaluation.recorded_by, evaluation.step, evaluation.evaluation, evaluation.benchmark],
    )


def top_shapes(counts: Sequence[Sequence[ShapeCount]], most: int = 6) -> tuple[str, ...]:
    """The most frequent shapes over several evaluations, each evaluation with the same weight per design."""
    total: dict[str, int] = {}
    for one in counts:
        for count in one:
            total[count.shape] = total.get(count.shape, 0) + count.designs
    total.pop(INVALID, None)
    return tuple(sorted(total, key=lambda shape: (-total[shape], shape))[:most])


def read_verdicts(con: duckdb.DuckDBPyConnection, run: str) -> tuple[VerdictCount, ...]:
    """Verdicts of training rollouts by finished stretch."""
    return rows(
        con,
        VerdictCount,
        """
        WITH parts AS (
            SELECT l.ancestor, l.upto, s.stage, s.first_step, s.last_step, s.trained
            FROM run_stages s JOIN run_lineage l ON l.run = s.run WHERE s.run = ?
        ), judged AS (
            SELECT run, step, 'design' AS level, design_verdict AS verdict FROM designs WHERE evaluation IS NULL
            UNION ALL SELECT run, step, 'execution', execution_verdict FROM executions WHERE evaluation IS NULL
            UNION ALL SELECT run, step, 'answer', answer_verdict FROM executions
            WHERE evaluation IS NULL AND execution_verdict <> 'failed'
        )
        SELECT p.stage, p.first_step, p.last_step, p.trained, j.level, j.verdict, count(*) AS count
        FROM parts p JOIN judged j ON j.run = p.ancestor AND j.step BETWEEN p.first_step AND p.last_step
            AND (p.upto IS NULL OR j.step < p.upto)
        GROUP BY ALL ORDER BY p.first_step, j.level, count DESC, j.verdict
        """,
        [run],
    )
