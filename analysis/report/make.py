"""Everything that a report says, read from the store at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from analysis.report.differs import Differs, read_differs
from analysis.report.evaluations import Evaluation, Series, held_out, read_evaluations
from analysis.report.examples import Example, read_examples
from analysis.report.store import opened_store
from analysis.report.subject import Member, Run, Subject, find_subject, read_runs
from analysis.report.tables import ArmLine, Block, Stretch, arms_of, blocks_of, read_stretches
from analysis.report.training import Metric, ShapeCount, VerdictCount, read_metrics, read_shapes, read_verdicts


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run measured.

    Attributes:
        member: The run, as a part of the subject.
        run: What it is; None where its directory is gone.
        stretches: Who trained when.
        evaluations: All of them.
        series: What it is judged by; None before the first evaluation.
        metrics: Metrics of training by step.
    """

    member: Member
    run: Run | None
    stretches: tuple[Stretch, ...]
    evaluations: tuple[Evaluation, ...]
    series: Series | None
    metrics: tuple[Metric, ...]

    @property
    def curve(self) -> tuple[Evaluation, ...]:
        """The evaluations that it is judged by, in order of steps."""
        return tuple(one for one in self.evaluations if one.series == self.series)

    @property
    def last(self) -> tuple[Evaluation, ...]:
        """The last evaluation that it is judged by, on each of its sets of questions."""
        if self.series is None:
            return ()
        step = self.curve[-1].step
        return tuple(one for one in self.evaluations if one.step == step and one.name == self.series[0])


@dataclass(frozen=True, slots=True)
class Details:
    """What only the report of a single run shows."""

    blocks: tuple[Block, ...]
    shapes: tuple[tuple[Evaluation, tuple[ShapeCount, ...]], ...]
    verdicts: tuple[VerdictCount, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What a report says.

    Attributes:
        subject: What it is about.
        runs_dir: Where the runs are.
        runs: What they measured, in the order of the subject; a run that stands for two arms comes twice.
        arms: One line an arm; empty for the report of a run.
        differs: What the arms change in the spec.
        last_shapes: Arm and the shapes of its last held-out designs, all seeds together; empty for one run.
        details: None for the report of several runs.
        examples: The same question, designed for and answered in several ways.
        spec: The resolved spec of the run, or of the baseline's first one.
    """

    subject: Subject
    runs_dir: Path
    runs: tuple[Measured, ...]
    arms: tuple[ArmLine, ...]
    differs: tuple[Differs, ...]
    last_shapes: tuple[tuple[str, tuple[ShapeCount, ...]], ...]
    details: Details | None
    examples: tuple[Example, ...]
    spec: str

    @property
    def measured(self) -> bool:
        """Whether anything was evaluated yet."""
        return any(one.series for one in self.runs)


def make_report(runs_dir: Path, name: str | None = None) -> Report:
    """Reads the report of a sweep, an arm or a run from the published store.

    Args:
        runs_dir: Where the runs are.
        name: A sweep, an arm, a run (or the beginning of its id) or the name of a spec; None: what ran last.

    Raises:
        NoStore: Nothing has been published.
        UnknownSubject: Nothing is called so.
    """
    with opened_store(runs_dir) as con:
        subject = find_subject(con, name)
        known = {one.run: one for one in read_runs(con)}
        arms = () if subject.is_run else arms_of(con, subject)
        runs = _measured(con, subject.members, known, next((one.evaluation for one in arms if one.evaluation), None))
        first = next((one for one in subject.members if one.is_baseline), subject.members[0])
        return Report(
            subject=subject,
            runs_dir=runs_dir,
            runs=runs,
            arms=arms,
            differs=() if subject.is_run else read_differs(con, subject),
            last_shapes=() if subject.is_run else _last_shapes(con, runs),
            details=_details(con, runs[0]) if subject.is_run else None,
            examples=read_examples(con, [(one.member.arm, one.curve) for one in runs]),
            spec=_spec(con, runs_dir, first.run),
        )


def _measured(
    con: duckdb.DuckDBPyConnection, members: Sequence[Member], known: dict[str, Run], judged_by: str | None
) -> tuple[Measured, ...]:
    ids = [one.run for one in members]
    evaluations, stretches, metrics = read_evaluations(con, ids), read_stretches(con, ids), read_metrics(con, ids)
    return tuple(
        Measured(
            member=one,
            run=known.get(one.run),
            stretches=stretches[one.run],
            evaluations=evaluations[one.run],
            series=held_out(evaluations[one.run], judged_by),
            metrics=metrics[one.run],
        )
        for one in members
    )


def _details(con: duckdb.DuckDBPyConnection, one: Measured) -> Details:
    shapes = tuple((point, read_shapes(con, point)) for point in one.curve)
    return Details(
        blocks=blocks_of(con, one.stretches, one.curve),
        shapes=tuple((point, found) for point, found in shapes if found),
        verdicts=read_verdicts(con, one.member.run),
    )


def _last_shapes(
    con: duckdb.DuckDBPyConnection, runs: Sequence[Measured]
) -> tuple[tuple[str, tuple[ShapeCount, ...]], ...]:
    found: dict[str, list[ShapeCount]] = {}
    for one in runs:
        if one.curve:
            found.setdefault(one.member.arm, []).extend(read_shapes(con, one.curve[-1]))
    return tuple((arm, tuple(counts)) for arm, counts in found.items() if counts)


def _spec(con: duckdb.DuckDBPyConnection, runs_dir: Path, run: str) -> str:
    """The spec as the run directory has it, or its leaves where the directory is gone."""
    try:
        return (runs_dir / run / "spec.yaml").read_text(encoding="utf-8")
    except OSError:
        leaves = con.execute("SELECT path, value::VARCHAR FROM spec_leaves WHERE run = ? ORDER BY path", [run])
        return "".join(f"{path}: {value}\n" for path, value in leaves.fetchall())
