"""The page: one HTML file without scripts, that loads nothing from anywhere."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

from analysis.report import chapters
from analysis.report.grid import Grid, grid_of, interval, number, share
from analysis.report.make import Report
from analysis.report.sections import grid_table, keys, table, tag, verdict_table, words
from analysis.report.style import STYLE
from mxspec.rundir.files import file_name, write_whole

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Nothing is loaded and nothing runs, whatever a model wrote."""


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
        path = report.runs_dir / "reports" / f"{file_name(report.subject.name)}.html"
    write_whole(path, page(report))
    return path


def page(report: Report) -> str:
    """The page as text."""
    grid = grid_of(report)
    body = [_header(report, grid), _keys(report), words("h2", _table_title(report)), grid_table(grid)]
    if report.measured:
        body += chapters.curves(report)
    else:
        body.append(words("p", "No evaluation has finished yet: there is no held-out accuracy to show.", "warn"))
    body += chapters.differs(report)
    body += chapters.training(report)
    body += chapters.designs(report)
    body += chapters.examples(report)
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
    body += chapters.to_try(report)
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
    first = next((one.run for one in report.runs if one.member.is_baseline), report.runs[0].run)
    if first is not None and first.spec_hash:
        facts.append(("spec" if subject.is_run else "spec of the baseline", first.spec_hash))
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
        found.append((_time(sum(seconds)), _whose(report)))
    return keys(found) if found else ""


def _whose(report: Report) -> str:
    """What the seconds of the runs stand for."""
    shared = any(point.recorded_by != point.run for one in report.runs for point in one.evaluations)
    aside = ", without the beginning that runs share" if shared else ""
    return ("wall clock of the run" if report.subject.is_run else "wall clock, summed over runs") + aside


def _time(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 120
        else f"{seconds / 60:.1f} min"
        if seconds < 7200
        else f"{seconds / 3600:.1f} h"
    )


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
