"""`mxspec schema`: the spec language as JSON Schema."""

from __future__ import annotations

from typing import Annotated

import typer

from mxspec.cli.options import JSON


def schema(
    part: Annotated[str, typer.Argument(metavar="[PART]", help="spec, base or benchmark.")] = "spec",
    json: Annotated[bool, JSON] = False,
) -> None:
    """Print the JSON Schema of the spec language, for editors and other tools.

    With --json it is wrapped in a versioned document.
    """
    from json import dumps

    from mxspec.cli.output import print_json
    from mxspec.load.schema import json_schema

    found = json_schema(part)
    if json:
        print_json("schema", {"part": part, "schema": found})
    else:
        print(dumps(found, indent=2, ensure_ascii=False))
