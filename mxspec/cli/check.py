"""`mxspec check`: what needs data, packages and models, before anything is trained."""

from __future__ import annotations

from typing import Annotated

import typer

from mxspec.cli.exits import INVALID_SPEC, MISSING_ENVIRONMENT
from mxspec.cli.options import JSON, SET, SPEC, TRUST

ENVIRONMENT = ("environment", "memory")
"""Codes of errors that another machine would not have."""


def check(
    spec: Annotated[str, SPEC],
    sets: Annotated[list[str] | None, SET] = None,
    trust: Annotated[bool, TRUST] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Check a spec against its data, its models and this machine; nothing is trained.

    Golds are graded against themselves, questions that judge are compared with those that train, models are
    built without weights, memory is estimated, packages, devices and keys are looked for. `mxspec run` makes
    the same checks first, models aside. Exit 3 where the spec or its data is wrong, 4 where this machine is.
    """
    import sys

    from mxspec.cli.output import colourful, print_json, say
    from mxspec.load import SpecErrors, load_spec
    from mxspec.load.errors import shown
    from mxspec.plan.data import pin
    from runners.check import check_specs

    loaded = load_spec(spec, sets=tuple(sets or ()), trust=trust)
    specs = [pin(arm.spec, loaded) for arm in loaded.arms]
    found = check_specs(specs, origins=loaded.origins, file=shown(loaded.path), base_dir=loaded.base_dir, models=True)
    warnings = (*loaded.warnings, *found.warnings)
    if json:
        findings = [one.as_json() for one in (*found.errors, *warnings)]
        print_json("check", {"file": spec, "ok": not found.errors, "findings": findings, "notes": list(found.notes)})
    else:
        for one in warnings:
            say(f"{one}  [{one.code}]")
        if found.errors:
            say(SpecErrors(found.errors).render(colour=colourful(sys.stderr)))
        for note in found.notes:
            print(f"{spec}: {note}")
        if not found.errors:
            print(f"{spec}: ok")
    if found.errors:
        only_here = all(one.code in ENVIRONMENT for one in found.errors)
        raise typer.Exit(MISSING_ENVIRONMENT if only_here else INVALID_SPEC)
