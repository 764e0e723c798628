"""`mxspec schema`: the spec language as JSON Schema."""

from __future__ import annotations

from typing import Annotated

import typer

from mxspec.cli.options import JSON


def schema(
    part: Annotated[str, typer.Argument(metavar="[PART]", help="spec, base or benchmark.")] = "spec",
    field: Annotated[
        str | None, typer.Option("--field", metavar="PATH", help="Say what one value means, e.g. rollout.tree.designs.")
    ] = None,
    reference: Annotated[
        bool, typer.Option("--reference", help="Print the reference page instead, as Markdown.")
    ] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Print the JSON Schema of the spec language, for editors and other tools.

    With --json it is wrapped in a versioned document.
    """
    from json import dumps

    from mxspec.cli.exits import UsageError
    from mxspec.cli.output import print_json
    from mxspec.load.describe import describe_field
    from mxspec.load.schema import json_schema

    if reference:
        from mxspec.load.manual import reference_page

        print(reference_page(), end="")
        return
    if field is not None:
        try:
            described = describe_field(field)
        except ValueError as error:
            raise UsageError(str(error)) from error
        if json:
            print_json("schema", {"field": field, "described": described})
            return
        for one in described:
            print(f"{field}" + (f" (of {one['of']})" if len(described) > 1 else ""))
            print(f"  {one['meaning']}")
            print(f"  type: {one['type']}" + (f", {one['bounds']}" if one["bounds"] else ""))
            for name in ("unit", "source"):
                if one[name]:
                    print(f"  {name}: {one[name]}")
            print("  required" if one["required"] else f"  default: {dumps(one['default'])}")
        return
    try:
        found = json_schema(part)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if json:
        print_json("schema", {"part": part, "schema": found})
    else:
        print(dumps(found, indent=2, ensure_ascii=False))
