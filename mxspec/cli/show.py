"""`mxspec show`: a spec as it is after everything was put into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.options import JSON, SET, SPEC, TRUST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mxspec.load import Loaded
    from mxspec.load.errors import Position
    from mxspec.load.loaded import Arm
    from mxspec.load.nodes import Plain

MOST_LISTED = 8
"""Points that an error lists."""


def show(
    spec: Annotated[str, SPEC],
    resolved: Annotated[
        bool, typer.Option("--resolved", help="With every default, prompt and benchmark written out.")
    ] = False,
    origin: Annotated[bool, typer.Option("--origin", help="Every value with the place that set it.")] = False,
    arm: Annotated[str | None, typer.Option("--arm", metavar="NAME", help="One arm of a sweep.")] = None,
    sets: Annotated[list[str] | None, SET] = None,
    trust: Annotated[bool, TRUST] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Print a spec after composition: what its files, `extends` and --set add up to.

    The output of --resolved loads to the same object and the same ids.
    """
    from mxspec.cli.output import print_json, say
    from mxspec.load import load_spec
    from mxspec.load.dump import dump_plain, dump_spec

    loaded = load_spec(spec, sets=tuple(sets or ()), trust=trust)
    for one in (*loaded.warnings, *loaded.dropped, *loaded.pruned):
        say(str(one))
    chosen = None if arm is None else _arm(loaded, arm)
    tree = _tree(loaded, chosen, resolved=resolved)
    origins = {} if not origin else loaded.origins if chosen is None else loaded.origins_of(chosen)
    if json:
        print_json(
            "show", {"file": str(loaded.path), "spec": tree, "origins": {k: str(at) for k, at in origins.items()}}
        )
    elif origin:
        _print_origins(tree, origins)
    elif resolved and loaded.spec is not None and chosen is None:
        print(dump_spec(loaded.spec), end="")
    else:
        print(dump_plain(tree), end="")


def _arm(loaded: Loaded, name: str) -> Arm:
    """The arm of a name; a declared arm with axes is several, and then it is not known which is meant."""
    from mxspec.cli.exits import UsageError
    from mxspec.plan.expand import UnknownChoice, choose

    try:
        found, _ = choose(loaded, [name], None)
    except UnknownChoice as error:
        raise UsageError(str(error)) from error
    if len(found) > 1:
        listed = ", ".join(one.name for one in found[:MOST_LISTED]) + (", .." if len(found) > MOST_LISTED else "")
        raise UsageError(f"arm {name!r} has {len(found)} points", hint=f"name one of {listed}")
    return found[0]


def _tree(loaded: Loaded, arm: Arm | None, *, resolved: bool) -> dict[str, Plain]:
    tree, spec = (loaded.tree, loaded.spec) if arm is None else (arm.tree, arm.spec)
    if not resolved or spec is None:
        return tree
    whole: dict[str, Plain] = spec.model_dump(mode="json", by_alias=True)
    return whole


def _print_origins(tree: dict[str, Plain], origins: Mapping[str, Position]) -> None:
    """One line a value; what no file sets is a default."""
    from mxspec.load.paths import plain_leaves

    values = plain_leaves(tree)
    width = max((len(path) for path in values), default=0)
    for path, value in values.items():
        text = repr(value) if isinstance(value, str) else str(value)
        text = text if len(text) <= 40 else text[:37] + "..."
        print(f"{path:<{width}}  {text:<40}  {origins.get(path, 'default')}")
