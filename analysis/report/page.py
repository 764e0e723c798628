"""The page: one HTML file without scripts, that loads nothing from anywhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path

from analysis.report import figures
from analysis.report.examples import MOST_ARMS
from analysis.report.grid import Grid, grid_of, interval, judged_by, number, share
from analysis.report.make import Measured, Report
from analysis.report.queries import queries
from analysis.report.sections import example, figure, grid_table, keys, table, tag, verdict_table, words
from analysis.report.style import STYLE
from analysis.report.svg import Line, legend
from analysis.report.training import METRICS, Metric, top_shapes
from mxspec.rundir.files import write_whole

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Nothing is loaded and nothing runs, whatever a model wrote."""

TITLES = {
    "accuracy": "Accuracy in training",
    "valid_designs": "Valid designs in training",
    "calls_per_execution": "Calls per execution",
    "reward_mean": "Mean reward",
    "zero_spread_share": "Groups without spread (share)",
    "grad_norm": "Gradient norm",
    "sampled_entropy": "Sampled entropy, nats per token",
}


def write_html(report: Report, path: Path | None = None) -> Path:
    """Writes the page of a report.

    Args:
        report: What it says.
        path: Where it goes; `reports/<name>.html` below the runs where None.

    Returns:
        Where it is.

    Raises:
        OSError: It cannot be written.
    """
    if path is None:
        safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in report.subject.name).strip("._") or "report"
        path = report.runs_dir / "reports" / f"{safe}.html"
    write_whole(path, page(report))
    return path


def page(report: Report) -> str:
    """The page as text."""
    grid = grid_of(report)
    body = [_header(report, grid), _keys(report), words("h2", _table_title(report)), grid_table(grid)]
    if report.measured:
        body += _curves(report)
    else:
        body.append(words("p", "No evaluation has finished yet: there is no held-out accuracy to show.", "warn"))
    body += _differs(report)
    body += _training(report)
    body += _designs(report)
    body += _examples(report)
    if report.details is not None and report.details.verdicts:
        body += [
            words("h2", "Verdicts in training"),
            words(
                "p",
                "Of all designs, of their executions, and of the answers of executions of valid designs.",
                "caption",
            ),
            verdict_table(report.details.verdicts),
        ]
    body += _queries(report)
    body += _origin(report)
    title = escape(report.subject.name)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )


def _header(report: Report, grid: Grid) -> str:
    subject = report.subject
    runs = [one.run for one in report.runs if one.run is not None]
    seeds = sorted({one.seed for one in subject.members})
    facts = [("seeds" if len(seeds) > 1 else "seed", ", ".join(map(str, seeds)))]
    if subject.is_run:
        facts.append(("run", subject.members[0].run))
    else:
        facts.append(("runs", str(len({one.run for one in subject.members}))))
        facts.append(("arms", str(len(subject.arms))))
    if subject.sweep is not None:
        facts.append(("sweep", subject.sweep))
    hashes = sorted({one.spec_hash for one in runs if one.spec_hash})
    if hashes:
        facts.append(("spec", hashes[0] if len(hashes) == 1 else f"{len(hashes)} different"))
    if runs and runs[0].created:
        facts.append(("begun", f"{min(one.created for one in runs if one.created)[:16]} UTC"))
    ids = "".join(tag("span", escape(name) + " " + words("b", value)) for name, value in facts)
    measured = grid.title.removeprefix(f"{subject.name}: ")
    return tag("header", words("h1", subject.name) + words("p", measured, "sub") + tag("div", ids, "ids"))


def _table_title(report: Report) -> str:
    return "Held-out accuracy by stage and block" if report.subject.is_run else "Held-out accuracy by arm"


def _keys(report: Report) -> str:
    done = [one for one in report.runs if one.run is not None and one.run.state == "done"]
    found: list[tuple[str, str]] = []
    if report.details is not None and report.runs[0].curve:
        curve = report.runs[0].curve
        first, last = curve[0], curve[-1]
        found.append(
            (share(last.accuracy), f"accuracy after {last.step} steps, 95 % CI {interval(last.low, last.high)}")
        )
        if last is not first:
            found.append((share(first.accuracy), f"after {first.step} steps, {interval(first.low, first.high)}"))
        found.append((share(last.valid_designs), "valid designs at the end"))
        found.append((number(last.calls_per_execution), "calls per execution at the end"))
        found.append((number(last.tokens_per_execution), "response tokens per execution at the end"))
    scored = [one for one in report.arms if one.accuracy is not None]
    highest = max(scored, key=lambda one: one.accuracy or 0, default=None)
    for one in scored:
        if one.is_baseline or one is highest:
            what = "baseline" if one.is_baseline else f"highest mean{' (undecided)' if one.undecided else ''}"
            label = f"{one.arm}, {what}; {one.seeds} seed{'s' * (one.seeds != 1)} {interval(one.low, one.high)}"
            found.append((share(one.accuracy), label))
    if len(report.runs) > 1:
        found.append((f"{len(done)}/{len(report.runs)}", "runs finished"))
    seconds = [one.run.seconds for one in done if one.run is not None and one.run.seconds]
    if seconds:
        found.append((_time(sum(seconds)), "of computing" if len(seconds) > 1 else "wall clock of the run"))
    return keys(found) if found else ""


def _time(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.1f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


def _curves(report: Report) -> list[str]:
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


def _training(report: Report) -> list[str]:
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


def _designs(report: Report) -> list[str]:
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


def _differs(report: Report) -> list[str]:
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


def _examples(report: Report) -> list[str]:
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


def _queries(report: Report) -> list[str]:
    parts = "".join(words("h3", title) + words("pre", sql) for title, sql in queries(report.subject))
    lead = "mxspec sql 'SELECT ...' runs these, and any DuckDB client that opens results.duckdb beside the runs."
    return [words("h2", "SQL to try"), words("p", lead, "caption"), parts]


def _origin(report: Report) -> list[str]:
    rows = []
    for one in report.runs:
        run = one.run
        rows.append(
            (
                one.member.arm,
                str(one.member.seed),
                one.member.run,
                run.state if run else "no run directory",
                str(run.step) if run else "",
                (run.spec_hash or "") if run else "",
                (run.code_hash or "")[:12] if run else "",
                (run.created or "")[:19] if run else "",
                _time(run.seconds) if run and run.seconds else "",
            )
        )
    names = ("ARM", "SEED", "RUN", "STATE", "STEPS", "SPEC", "CODE", "BEGUN (UTC)", "TIME")
    columns = tuple((name, name in ("SEED", "STEPS", "TIME")) for name in names)
    first = next((one.run for one in report.runs if one.run is not None), None)
    facts = ""
    if first is not None:
        for title, text in (("Packages", first.versions), ("Machine", first.machine), ("Data", first.data_hashes)):
            found = json.loads(text) if text else {}
            if found:
                line = ", ".join(f"{name} {value}" for name, value in found.items())
                facts += words("p", f"{title}: {line}", "caption")
    whose = "The spec as it was resolved" if report.subject.is_run else "The resolved spec of the baseline's first seed"
    return [
        words("h2", "Provenance"),
        table(columns, rows),
        facts,
        tag("details", words("summary", whose) + words("pre", report.spec)),
        tag("footer", "Written by mxspec report from results.duckdb. This page loads nothing and runs no script."),
    ]
