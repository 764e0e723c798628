"""`mxspec validate`: every error of every file, at once."""

from __future__ import annotations

from typing import Annotated

import typer

from mxspec.cli.exits import INVALID_SPEC
from mxspec.cli.options import JSON, SET, SPECS, TRUST


def validate(
    specs: Annotated[list[str], SPECS],
    sets: Annotated[list[str] | None, SET] = None,
    trust: Annotated[bool, TRUST] = False,
    sarif: Annotated[bool, typer.Option("--sarif", help="Print the findings as SARIF 2.1.0 on stdout.")] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Check spec files and print every error with its place and a fix.

    Nothing is downloaded, trained or run. Exit 3 where a file has errors.
    """
    import sys

    from mxspec.cli.exits import UsageError
    from mxspec.cli.output import colourful, print_json, say
    from mxspec.load import Diagnostic, SpecErrors, load_spec

    if sarif and json:
        raise UsageError("--sarif and --json exclude each other")
    quiet = json or sarif
    findings: list[Diagnostic] = []
    files: list[dict[str, object]] = []
    failed = False
    for spec in specs:
        try:
            loaded = load_spec(spec, sets=tuple(sets or ()), trust=trust)
        except SpecErrors as error:
            failed = True
            findings += error.diagnostics
            files.append({"file": spec, "valid": False, "findings": [one.as_json() for one in error.diagnostics]})
            if not quiet:
                say(error.render(carets=sys.stderr.isatty(), colour=colourful(sys.stderr)))
            continue
        files.append({"file": spec, "valid": True, "findings": [one.as_json() for one in loaded.warnings]})
        findings += loaded.warnings
        if not quiet:
            for one in loaded.warnings:
                say(f"{one}  [{one.code}]")
            arms = "" if len(loaded.arms) < 2 else f" ({len(loaded.arms)} arms)"
            print(f"{spec}: ok{arms}")
    if sarif:
        from json import dumps

        from mxspec import __version__
        from mxspec.load.sarif import as_sarif

        print(dumps(as_sarif(findings, __version__), indent=1))
    if json:
        print_json("validate", {"valid": not failed, "files": files})
    if failed:
        raise typer.Exit(INVALID_SPEC)
