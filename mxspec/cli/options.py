"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path

import typer

from mxspec.cli import completion

JSON = typer.Option("--json", help="Print one versioned JSON document on stdout.")
SET = typer.Option(
    "--set",
    metavar="PATH=VALUE",
    help="Set a value, e.g. stages.rl.steps=10; a map or list is replaced as a whole; may be repeated.",
)
TRUST = typer.Option(
    "--trust", help="Load the spec's plugins, which are code: you have read them. Recorded, so it is said once."
)
RUNS = typer.Option("--runs", metavar="DIR", help="Where the run directories are.", envvar="MXSPEC_RUNS")
SPEC = typer.Argument(
    metavar="SPEC", help="A spec file, or `mxspec:<path>` for one that is shipped.", autocompletion=completion.specs
)
SPEC_OR_PLAN = typer.Argument(
    metavar="SPEC",
    help="A spec file, `mxspec:<path>` for one that is shipped, or a plan that `plan --out` has saved.",
    autocompletion=completion.specs,
)
SPECS = typer.Argument(
    metavar="SPEC...",
    help="Spec files, or `mxspec:<path>` for those that are shipped.",
    autocompletion=completion.specs,
)
ARMS = typer.Option(
    "--arm",
    "--arms",
    metavar="NAME[,NAME]",
    help="Only these arms, each with all of its points; may be repeated.",
    autocompletion=completion.arms,
)
SEEDS = typer.Option("--seed", "--seeds", metavar="N[,N]", help="Only these seeds; may be repeated.")

DEFAULT_RUNS = Path("runs")


def numbers(given: list[str] | None) -> list[int] | None:
    """The seeds that were asked for.

    Raises:
        UsageError: One is no number.
    """
    if given is None:
        return None
    found: list[int] = []
    for one in (part.strip() for text in given for part in text.split(",")):
        if not one.isdecimal() or int(one) >= 2**63:
            from mxspec.cli.exits import UsageError

            raise UsageError(
                f"{one!r} is no seed", hint="seeds are whole numbers from 0 on, below 2**63: --seed 0, or --seeds 0,1,2"
            )
        found.append(int(one))
    return list(dict.fromkeys(found))
