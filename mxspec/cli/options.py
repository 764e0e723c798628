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
ARMS = typer.Option("--arm", metavar="NAME", help="Only this arm; may be repeated.", autocompletion=completion.arms)
SEEDS = typer.Option("--seed", metavar="N", help="Only this seed; may be repeated.")

DEFAULT_RUNS = Path("runs")
