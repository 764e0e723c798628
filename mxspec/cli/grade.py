"""`mxspec grade`: one answer judged, and why."""

from __future__ import annotations

from typing import Annotated

import typer

from mxspec.cli.options import JSON


def grade(
    gold: Annotated[str, typer.Option("--gold", metavar="G", help="The gold answer.")],
    answer: Annotated[str, typer.Option("--answer", metavar="A", help="What was answered.")],
    grader: Annotated[str, typer.Option("--grader", metavar="KIND", help="exact, integer, math or choice.")] = "math",
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="T", help="Largest relative difference of two numbers (math).")
    ] = 0.0,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Judge an answer as a benchmark with that grader would, and say what was judged and what decided.

    Exit 0 where it is correct, 1 where it is not, 4 where a package is missing.
    """
    from pydantic import TypeAdapter, ValidationError

    from mxspec.cli.exits import FAILED, UsageError
    from mxspec.cli.output import print_json
    from mxspec.load.errors import did_you_mean
    from mxspec.spec.benchmark import Grader
    from runners.grading import HAVE_RUNNER, judge_for

    if grader not in HAVE_RUNNER:
        hint = did_you_mean(grader, HAVE_RUNNER) or f"graders are {', '.join(HAVE_RUNNER)}"
        raise UsageError(f"no grader {grader!r} that judges a text", hint=hint)
    values = {"kind": grader} | ({"tolerance": tolerance} if grader == "math" else {})
    try:
        found = judge_for(TypeAdapter[Grader](Grader).validate_python(values))(gold, answer)
    except ValidationError as error:
        raise UsageError(f"{tolerance} is no tolerance", hint="a number of 0 or more") from error
    if json:
        print_json("grade", {"verdict": found.verdict, "extracted": found.extracted, "stage": found.stage})
    else:
        print(f"{found.verdict}: {found.extracted!r} against {gold!r}, decided by {found.stage}")
    if found.verdict != "correct":
        raise typer.Exit(FAILED)
