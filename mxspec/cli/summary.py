"""What `mxspec run` says at the end: the table of held-out accuracy, the page, and a query to try next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mxspec.cli.options import DEFAULT_RUNS

if TYPE_CHECKING:
    from mxspec.plan.plan import Plan
    from runners.outcome import Outcome

SCRIPTS = "select script, design_verdict, count(*) as n from designs group by all order by n desc limit 5"
"""For a run: what the designer writes most."""

ABLATION = "from ablation"
"""For a sweep: its arms with intervals."""


def summarise(plan: Plan, outcomes: Sequence[Outcome], runs_dir: Path, *, json: bool) -> None:
    """Collects what is left, writes the page, and prints the table of a run or a sweep.

    Args:
        plan: What was run.
        outcomes: What became of the jobs that there were.
        runs_dir: Where the run directories are.
        json: Whether to print one JSON document in place of the table.

    Raises:
        CliError: Nothing could be collected, now or before.
    """
    from analysis.paths import StorePaths
    from analysis.report import as_json, make_report, write_html
    from mxspec.cli.collect import bring_up_to_date
    from mxspec.cli.output import print_json, say
    from mxspec.cli.report import print_report

    bring_up_to_date(runs_dir)
    found = make_report(runs_dir, plan.name)
    page = write_html(found, None)
    if json:
        document = {
            "name": plan.name,
            "runs": states(plan, outcomes),
            "store": str(StorePaths(runs_dir).published),
            "html": str(page),
            "report": as_json(found),
        }
        print_json("run", document)
        return
    print()
    print_report(found)
    for one in outcomes:
        if one.state == "failed":
            say(f"failed: {one.run}: {one.message}")
    where = "" if runs_dir == DEFAULT_RUNS else f" --runs {shlex.quote(str(runs_dir))}"
    query = SCRIPTS if len(plan.arms) == 1 else ABLATION
    print(f'\nreport  {page}\nnext    mxspec sql "{query}"{where}')
    if any(one.state == "interrupted" for one in outcomes):
        say("interrupted; the same command goes on from here")


def states(plan: Plan, outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    """Every run of the plan with what became of it; `ran` says whether that was now."""
    ended = {one.run: one for one in outcomes}
    found: list[dict[str, object]] = []
    for run in plan.runs:
        now = ended.get(run.run)
        found.append(
            {
                "run": run.run,
                "arms": list(run.arms),
                "seed": run.seed,
                "state": now.state if now else run.status,
                "ran": now is not None,
                "steps": now.steps if now else None,
                "seconds": now.seconds if now else None,
                "message": now.message if now else run.message,
            }
        )
    return found
