"""Chapters of the page: curves, training, designs, examples. Each is a list of pieces of HTML, empty without data."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.report import figures
from analysis.report.examples import MOST_ARMS
from analysis.report.grid import judged_by, share
from analysis.report.make import Measured, Report
from analysis.report.queries import queries
from analysis.report.sections import example, figure, table, tag, words
from analysis.report.svg import Line, legend
from analysis.report.training import METRICS, Metric, top_shapes

TITLES = {
    "accuracy": "Accuracy in training",
    "valid_designs": "Valid designs in training",
    "calls_per_execution": "Calls per execution",
    "reward_mean": "Mean reward",
    "zero_spread_share": "Groups without spread (share)",
    "grad_norm": "Gradient norm",
    "sampled_entropy": "Sampled entropy, nats per token",
}


def curves(report: Report) -> list[str]:
    """Held-out accuracy over steps, and at the end of every arm."""
    points = [one.curve[-1] for one in report.runs if one.curve]
    what = judged_by(points)
    body = [words("h2", "Learning curve" if report.subject.is_run else "Learning curves")]
    if report.subject.is_run:
        one = report.runs[0]
        labels = dict.fromkeys(
            (f"{shade.label} learns" if shade.colour != "cold" else "cold start (imitation)", shade.colour)
            for shade in figures.stretch_shades(one.stretches)
        )
        caption = (
            f"Held-out {what}. The ribbon is a 95 % interval over questions (Wilson, clustered by question) for this "
            "one run; between evaluations it is only drawn through. Shading: whose weights the steps changed."
        )
        body.append(
            figure(
                figures.curve_of_run(one), caption, legend(((f"{name}", f"{css} pale") for name, css in labels), "box")
            )
        )
        body.append(_other_evaluations(one))
        return body
    arms = [(arm, figures.arm_colour(at)) for at, arm in enumerate(report.subject.arms)]
    band = (
        "bands are 95 % t-intervals over seeds at each evaluation, cut at 0 and 1"
        if len(arms) <= figures.MOST_BANDS
        else "bands are left out for legibility; intervals at the end are below"
    )
    caption = f"Held-out {what}. Thick: mean over seeds where all of them were measured; thin: single seeds; {band}."
    body.append(figure(figures.curves_of_arms(report), caption, legend(arms)))
    caption = (
        "Large dots: means over finished runs; small dots: single seeds; lines: 95 % t-intervals over seeds (none with "
        "one seed), cut at 0 and 1. Dashed: mean of the baseline. Overlap is no test: the table has paired differences."
    )
    body += [words("h2", "Final accuracy by arm"), figure(figures.arms_at_end(report), caption)]
    return body


def _other_evaluations(one: Measured) -> str:
    others = sorted({point.series for point in one.evaluations} - {one.series})
    if not others:
        return ""
    rows = []
    for series in others:
        points = [point for point in one.evaluations if point.series == series]
        name, benchmark, split, _ = series
        last = points[-1]
        path = " \u2192 ".join(share(point.accuracy) for point in points[:8]) + (" \u2026" if len(points) > 8 else "")
        size = f"{last.questions} x {last.executions // max(1, last.questions)}"
        rows.append((name, f"{benchmark} {split}", size, path, f"{share(last.valid_designs)}"))
    columns = (("EVALUATION", False), ("ON", False), ("QUESTIONS", True), ("ACCURACY", False), ("VALID AT LAST", True))
    return tag("details", words("summary", "Other evaluations of this run") + table(columns, rows, wrap=3))


def training(report: Report) -> list[str]:
    """Small multiples of what was measured in training."""
    pictures = []
    shading = figures.stretch_shades(report.runs[0].stretches) if report.subject.is_run else ()
    for metric in METRICS:
        drawn = (
            _lines_of_run(report.runs[0].metrics, metric) if report.subject.is_run else _lines_of_arms(report, metric)
        )
        if drawn:
            picture = figures.small_multiple(TITLES[metric], drawn, shading)
            pictures.append(tag("div", words("h3", TITLES[metric]) + picture))
    if not pictures:
        return []
    if report.subject.is_run:
        roles = sorted({m.role for m in report.runs[0].metrics if m.role})
        names = [(role, _role_css(role, roles)) for role in roles]
        caption = (
            "By step, on the questions of training, which are not those of the evaluations. Black: the whole rollout; "
            "colours: what a role was trained on, in the steps that trained it. In a group without spread all rewards "
            "are equal, so that it teaches nothing."
        )
    else:
        names = [(arm, figures.arm_colour(at)) for at, arm in enumerate(report.subject.arms)]
        caption = (
            "By step after the cold start, on the questions of training: mean over seeds, and over the roles that "
            "a step trained where a metric is of a role."
        )
    return [
        words("h2", "Training"),
        legend(names),
        tag("div", "".join(pictures), "small"),
        words("p", caption, "caption"),
    ]


def _role_css(role: str, roles: Sequence[str]) -> str:
    return role if role in ("executor", "designer") else figures.arm_colour(2 + roles.index(role))


def _lines_of_run(metrics: Sequence[Metric], metric: str) -> list[Line]:
    """One line a role, broken where the role was not trained."""
    roles = sorted({m.role for m in metrics if m.role})
    found = []
    for role in (None, *roles):
        points = [(float(m.step), m.value) for m in metrics if m.metric == metric and m.role == role]
        colour = "ink" if role is None else _role_css(role, roles)
        part: list[tuple[float, float]] = []
        for at, point in enumerate(points):
            part.append(point)
            if at + 1 == len(points) or points[at + 1][0] > point[0] + 1.5:
                found.append(Line("", colour, tuple(part)))
                part = []
    return found


def _lines_of_arms(report: Report, metric: str) -> list[Line]:
    found = []
    for at, arm in enumerate(report.subject.arms):
        values: dict[int, list[float]] = {}
        for one in report.runs:
            if one.member.arm == arm:
                start = figures.after_cold_start(one)
                for m in one.metrics:
                    if m.metric == metric and m.step >= start:
                        values.setdefault(m.step - start, []).append(m.value)
        points = tuple((float(step), sum(all_) / len(all_)) for step, all_ in sorted(values.items()))
        if points:
            found.append(Line(arm, figures.arm_colour(at), points))
    return found


def designs(report: Report) -> list[str]:
    """Which shapes designs have: over steps of a run, or at the end of every arm."""
    if report.details is not None:
        columns = tuple((str(point.step), counts) for point, counts in report.details.shapes)
        title, when = "How designs change", "at each evaluation (below: steps done)"
    else:
        columns = report.last_shapes
        title, when = "Designs at the end, by arm", "at the last evaluation of each run, all seeds of an arm together"
    if not columns:
        return []
    few = len(columns) <= 8
    shapes = top_shapes([counts for _, counts in columns])
    levels = sorted({one.difficulty for _, counts in columns for one in counts}, key=lambda one: (one is not None, one))
    pictures = "".join(
        tag(
            "div",
            words("h3", "All questions" if level is None else f"Difficulty {level}")
            + figures.stacked_shapes(columns, level, shapes, 300 if few else 760),
        )
        for level in levels
    )
    caption = (
        f"Shares of the shapes that designs for held-out questions have, {when}. A shape is the graph that a script "
        "builds: a > b runs one after the other, vote(...) and the like are nodes of several calls."
    )
    return [
        words("h2", title),
        legend(reversed(figures.shape_colours(shapes)), "box"),
        tag("div", pictures, "small" if few else "small big"),
        words("p", caption, "caption"),
    ]


def differs(report: Report) -> list[str]:
    """What the arms change in the spec."""
    if not report.differs:
        return []
    rows = []
    for arm in report.subject.arms:
        mine = [one for one in report.differs if one.arm == arm]
        rows += [
            (arm if at == 0 else "", one.path, one.baseline or "-", one.value or "-") for at, one in enumerate(mine)
        ]
    columns = (("ARM", False), ("VALUE OF THE SPEC", False), (f"IN {report.subject.baseline}", False), ("HERE", False))
    return [words("h2", "What the arms change"), table(columns, rows, wrap=3)]


def examples(report: Report) -> list[str]:
    """Questions with their designs, calls and answers side by side."""
    if not report.examples:
        return []
    how = (
        "The first question of the hardest and of the easiest level whose script changed between the first and the "
        "last evaluation; first design, first execution. Nothing is picked by outcome."
        if report.subject.is_run
        else "The first question of the hardest and of the easiest level whose script differs between the first and "
        f"the last of at most {MOST_ARMS} arms; each arm's first run, first design, first execution. Nothing is picked "
        "by outcome."
    )
    return [words("h2", "Examples"), words("p", how, "caption"), *(example(one) for one in report.examples)]


def to_try(report: Report) -> list[str]:
    """Queries to go on from."""
    parts = "".join(words("h3", title) + words("pre", sql) for title, sql in queries(report.subject))
    lead = "mxspec sql 'SELECT ...' runs these, and any DuckDB client that opens results.duckdb beside the runs."
    return [words("h2", "SQL to try"), words("p", lead, "caption"), parts]
