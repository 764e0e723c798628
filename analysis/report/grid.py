"""The table of a report as text: the same cells on a terminal and in the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from analysis.report.evaluations import Evaluation
from analysis.report.make import Report
from analysis.report.tables import ArmLine, Block

FEW_SEEDS = 5
"""Below this, the report says how little so many seeds can tell."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of text.

    Attributes:
        title: What is measured, and on which questions.
        columns: Heading, and whether the column holds numbers.
        rows: Cells.
        notes: What a reader of the numbers must know.
    """

    title: str
    columns: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def grid_of(report: Report) -> Grid:
    """The table of a report: blocks of a run, or arms of a sweep."""
    if report.details is not None:
        return _of_run(report, report.details.blocks)
    return _of_arms(report)


def share(value: float | None, sign: bool = False) -> str:
    """An accuracy or a difference of two, with three digits; empty where there is none."""
    return "" if value is None else f"{value:+.3f}" if sign else f"{value:.3f}"


def interval(low: float | None, high: float | None, sign: bool = False) -> str:
    """An interval; empty where there is none."""
    return "" if low is None or high is None else f"[{share(low, sign)}, {share(high, sign)}]"


def number(value: float | None) -> str:
    """A mean number of calls or tokens."""
    return "" if value is None else f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"


def _of_run(report: Report, blocks: tuple[Block, ...]) -> Grid:
    points = [one.evaluation for one in blocks if one.evaluation is not None]
    rows = []
    for one in blocks:
        e, change = one.evaluation, one.change
        rows.append(
            (
                one.label,
                one.trained.replace(",", ", "),
                str(one.steps),
                str(one.done),
                share(e.accuracy) if e else "",
                interval(e.low, e.high) if e else "",
                share(change.difference, sign=True) if change else "",
                interval(change.low, change.high, sign=True) if change else "",
                share(e.valid_designs) if e else "",
                number(e.calls_per_execution) if e else "",
                number(e.tokens_per_execution) if e else "",
            )
        )
    columns = (
        ("STAGE", False),
        ("TRAINED", False),
        ("STEPS", True),
        ("DONE", True),
        ("ACC", True),
        ("95% CI", False),
        ("CHANGE", True),
        ("95% CI", False),
        ("VALID", True),
        ("CALLS", True),
        ("TOKENS", True),
    )
    return Grid(
        title=f"{report.subject.name}: {judged_by(points)}, seed {report.subject.members[0].seed}",
        columns=columns,
        rows=tuple(rows) if points else (),
        notes=(*_run_notes(points), *unfinished(report)),
    )


def judged_by(points: Iterable[Evaluation]) -> str:
    """What accuracy is measured on."""
    sizes = {
        (one.name, one.benchmark, one.split, one.questions, one.executions // max(1, one.questions)) for one in points
    }
    if not sizes:
        return "nothing is evaluated yet"
    texts = [
        f"accuracy on {benchmark} {split} (evaluation {name!r}), {questions} questions x {each} "
        f"execution{'s' * (each != 1)}"
        for name, benchmark, split, questions, each in sorted(sizes)
    ]
    return "; ".join(texts)


def _run_notes(points: list[Evaluation]) -> tuple[str, ...]:
    if not points:
        return ("No evaluation has finished: there is nothing to show but the steps of training.",)
    return (
        "ACC 95% CI: Wilson interval, clustered by question. CHANGE: to the line before, paired by question, t over "
        "questions. One seed: these say how sure the score of this run is, not how it would vary with the seed.",
    )


def unfinished(report: Report) -> tuple[str, ...]:
    """Runs that are not done, with why."""
    found = []
    for one in report.runs:
        if one.run is None or one.run.state != "done":
            state = one.run.state if one.run else "no run directory"
            why = f": {one.run.stop_reason}" if one.run and one.run.stop_reason else ""
            step = f" after {one.run.step} steps" if one.run else ""
            found.append(f"unfinished: {one.member.arm} seed {one.member.seed} ({one.member.run}) {state}{step}{why}")
    return tuple(found)


def _of_arms(report: Report) -> Grid:
    base = report.subject.baseline
    rows = []
    for one in report.arms:
        planned = one.seeds + one.unfinished
        rows.append(
            (
                f"{one.arm} *" if one.is_baseline else one.arm,
                share(one.accuracy),
                interval(one.low, one.high),
                share(one.difference, sign=True),
                interval(one.difference_low, one.difference_high, sign=True),
                str(one.seeds) if one.seeds == planned else f"{one.seeds}/{planned}",
                share(one.valid_designs),
                number(one.calls_per_execution),
                number(one.tokens_per_execution),
                " ".join(flags(one)),
            )
        )
    columns = (
        ("ARM", False),
        ("ACC", True),
        ("95% CI", False),
        (f"vs {base}" if base else "CHANGE", True),
        ("95% CI", False),
        ("SEEDS", True),
        ("VALID", True),
        ("CALLS", True),
        ("TOKENS", True),
        ("", False),
    )
    last = [point for one in report.runs if one.run is not None and one.run.state == "done" for point in one.last]
    title = f"{report.subject.name}: final {judged_by(last)}" if last else f"{report.subject.name}: no run has finished"
    return Grid(title, columns, tuple(rows), (*arm_notes(report.arms, base), *unfinished(report)))


def flags(one: ArmLine) -> tuple[str, ...]:
    """What a reader of an arm's line should not miss."""
    found = []
    if one.unfinished:
        found.append("!unfinished")
    if one.failed:
        found.append(f"!{one.failed} failed")
    if one.mixed_code:
        found.append("!mixed code")
    if one.undecided:
        found.append("undecided")
    return tuple(found)


def arm_notes(arms: tuple[ArmLine, ...], baseline: str | None) -> tuple[str, ...]:
    """What the intervals of a sweep are, what few seeds can tell, and what stays undecided."""
    seeds = sorted({one.seeds for one in arms if one.seeds})
    if not seeds:
        return ("No arm has a finished run yet.",)
    most = seeds[-1]
    text = f"Intervals are t-intervals over seeds ({most - 1} degree{'s' * (most != 2)} of freedom)"
    notes = [
        f"* baseline. {text}; differences are paired by seed."
        if most > 1
        else "* baseline. One seed: there is no interval over seeds, and no difference is decided."
    ]
    if 1 < most < FEW_SEEDS:
        notes.append(f"{most} seeds are few: such intervals are wide, and only large differences show.")
    compared = [one for one in arms if one.difference is not None]
    undecided = [one.arm for one in compared if one.undecided]
    if undecided:
        notes.append(
            f"undecided against {baseline} (the interval contains 0, or there is none): {', '.join(undecided)}"
        )
    elif compared:
        notes.append(
            f"every difference to {baseline} is decided at 95 %, each by itself (not corrected for their number)"
        )
    return tuple(notes)


def as_json(report: Report) -> dict[str, object]:
    """The numbers of a report as a JSON document."""
    return {
        "name": report.subject.name,
        "sweep": report.subject.sweep,
        "baseline": report.subject.baseline,
        "runs": [
            {
                "run": one.member.run,
                "arm": one.member.arm,
                "seed": one.member.seed,
                "state": one.run.state if one.run else None,
                "evaluations": [asdict(point) for point in one.evaluations],
            }
            for one in report.runs
        ],
        "blocks": [asdict(one) for one in report.details.blocks] if report.details else [],
        "arms": [{**asdict(one), "undecided": one.undecided} for one in report.arms],
        "notes": list(grid_of(report).notes),
    }
