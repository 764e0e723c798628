"""`mxspec show`: a spec as it is after everything was put into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.options import JSON, SET, SPEC, TRUST

if TYPE_CHECKING:
    from mxspec.load import Loaded
    from mxspec.load.nodes import Plain


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
    tree = _tree(loaded, arm, resolved=resolved)
    if json:
        origins = {path: str(at) for path, at in loaded.origins.items()} if origin else {}
        print_json("show", {"file": str(loaded.path), "spec": tree, "origins": origins})
    elif origin:
        _print_origins(loaded)
    elif resolved and loaded.spec is not None and arm is None:
        print(dump_spec(loaded.spec), end="")
    else:
        print(dump_plain(tree), end="")


def _tree(loaded: Loaded, arm: str | None, *, resolved: bool) -> dict[str, Plain]:
    from mxspec.cli.exits import UsageError
    from mxspec.load.errors import did_you_mean

    if arm is None:
        tree, spec = loaded.tree, loaded.spec
    else:
        found = next((one for one in loaded.arms if one.name == arm), None)
        if found is None:
            names = [one.name for one in loaded.arms]
            raise UsageError(f"no arm {arm!r}", hint=did_you_mean(arm, names) or f"arms are {', '.join(names)}")
        tree, spec = found.tree, found.spec
    if not resolved or spec is None:
        return tree
    whole: dict[str, Plain] = spec.model_dump(mode="json", by_alias=True)
    return whole


def _print_origins(loaded: Loaded) -> None:
    from mxspec.load.paths import plain_leaves

    values = plain_leaves(loaded.tree)
    width = max((len(path) for path in values), default=0)
    for path, value in values.items():
        text = repr(value) if isinstance(value, str) else str(value)
        text = text if len(text) <= 40 else text[:37] + "..."
        print(f"{path:<{width}}  {text:<40}  {loaded.origins.get(path, '')}")
