"""The tables of a report: a run by its blocks, a sweep by its arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from analysis.report.evaluations import Difference, Evaluation, paired
from analysis.report.store import rows
from analysis.report.subject import Subject


@dataclass(frozen=True, slots=True)
class Stretch:
    """Steps that trained the same roles."""

    run: str
    stage: str
    kind: str
    trained: str
    masked: str
    first_step: int
    last_step: int
    stop_reason: str


@dataclass(frozen=True, slots=True)
class Block:
    """One line of a run's table: a stretch and the held-out evaluation at its end.

    Attributes:
        label: Stage, e.g. `rl`; `start` for an evaluation before any step.
        trained: Roles that learnt, separated by commas.
        steps: Steps of the stretch.
        done: Steps done at its end.
        evaluation: None where nothing was measured at its end.
        change: Difference to the line before that was measured, paired by question.
        stop_reason: Why the stretch ended.
    """

    label: str
    trained: str
    steps: int
    done: int
    evaluation: Evaluation | None
    change: Difference | None
    stop_reason: str = ""


@dataclass(frozen=True, slots=True)
class ArmLine:
    """One line of a sweep's table, from the view `ablation_detail`; intervals are t-intervals over seeds."""

    arm: str
    is_baseline: bool
    evaluation: str | None
    seeds: int
    accuracy: float | None
    low: float | None
    high: float | None
    questions: int | None
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    pairs: int | None
    valid_designs: float | None
    calls_per_execution: float | None
    tokens_per_execution: float | None
    unfinished: int
    failed: int
    mixed_code: bool | None

    @property
    def undecided(self) -> bool:
        """Whether the difference to the baseline may be of either sign."""
        if self.difference is None:
            return False
        return (
            self.difference_low is None
            or self.difference_high is None
            or (self.difference_low <= 0 <= self.difference_high)
        )


def read_stretches(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> dict[str, tuple[Stretch, ...]]:
    """Run -> its finished stretches, those of a shared beginning included, in order."""
    found = rows(
        con,
        Stretch,
        """
        SELECT run, stage, kind, trained, masked, first_step, last_step, stop_reason FROM run_stages
        WHERE list_contains(?, run) ORDER BY run, first_step
        """,
        [list(runs)],
    )
    return {run: tuple(one for one in found if one.run == run) for run in runs}


def blocks_of(
    con: duckdb.DuckDBPyConnection, stretches: Sequence[Stretch], curve: Sequence[Evaluation]
) -> tuple[Block, ...]:
    """A run's table: every stretch with the held-out evaluation at its end, if there was one.

    Evaluations before the first stretch and after the last finished one have lines of their own.

    Args:
        con: A store.
        stretches: Those of the run.
        curve: Its held-out evaluations.
    """
    points = {one.step: one for one in curve}
    lines: list[Block] = []
    before: Evaluation | None = None

    def add(label: str, trained: str, steps: int, done: int, reason: str = "") -> None:
        nonlocal before
        point = points.pop(done, None)
        change = paired(con, before, point) if before is not None and point is not None else None
        lines.append(Block(label, trained, steps, done, point, change, reason))
        before = point or before

    done = 0
    if 0 in points:
        add("start", "", 0, 0)
    for one in stretches:
        add(one.stage, one.trained, one.last_step - one.first_step + 1, one.last_step + 1, one.stop_reason)
        done = one.last_step + 1
    for step in sorted(step for step in points if step > done):
        add(points[step].stage, "", step - done, step, "goes on")
        done = step
    return tuple(lines)


def arms_of(con: duckdb.DuckDBPyConnection, subject: Subject) -> tuple[ArmLine, ...]:
    """A sweep's table, in the order of the spec; only the arms that the subject has."""
    if subject.sweep is None:
        return ()
    found = rows(
        con,
        ArmLine,
        """
        SELECT arm, is_baseline, evaluation, seeds, accuracy, low, high, questions, difference, difference_low,
            difference_high, pairs, valid_designs, calls_per_execution, tokens_per_execution, unfinished, failed,
            mixed_code
        FROM ablation_detail WHERE sweep = ?
        """,
        [subject.sweep],
    )
    by_arm = {one.arm: one for one in found}
    return tuple(by_arm[arm] for arm in subject.arms if arm in by_arm)
