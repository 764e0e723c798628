"""`mxspec diff`: in which values two specs, runs or saved plans differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.options import DEFAULT_RUNS, JSON, RUNS

if TYPE_CHECKING:
    from mxspec.load.nodes import Plain

SIDE = typer.Argument(metavar="SPEC|RUN|PLAN", help="A spec file, the id of a run, or a plan that `plan --out` saved.")


def diff(
    one: Annotated[str, SIDE],
    other: Annotated[str, SIDE],
    runs: Annotated[Path, RUNS] = DEFAULT_RUNS,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Show the values in which two specs differ, defaults included, and whether they are the same run.

    Exit 1 where they differ. Of a sweep or a plan, the spec of the first run is compared.
    """
    from mxspec.cli.exits import FAILED
    from mxspec.cli.output import print_json
    from mxspec.load.paths import plain_leaves
    from mxspec.plan.expand import brief

    (tree, run), (other_tree, other_run) = (_read(side, runs) for side in (one, other))
    left, right = (plain_leaves(side, whole_lists=True) for side in (tree, other_tree))
    found = [
        {"path": path, "one": left.get(path), "other": right.get(path)}
        for path in dict.fromkeys((*left, *right))
        if (path in left, left.get(path)) != (path in right, right.get(path))
    ]
    if json:
        print_json("diff", {"same_run": run == other_run, "runs": [run, other_run], "differences": found})
    else:
        for each in found:
            print(f"{each['path']}: {brief(each['one'])} -> {brief(each['other'])}")
        same = "the same run" if run == other_run else "another run"
        print(f"{len(found)} values differ; {run} -> {other_run}: {same}")
    if found:
        raise typer.Exit(FAILED)


def _read(side: str, runs: Path) -> tuple[dict[str, Plain], str]:
    """The resolved spec of a side as plain data, and the id of its run."""
    from mxspec.load import load_spec
    from mxspec.plan.make import make_plan
    from mxspec.plan.saved import read_plan

    if side.endswith(".json"):
        plan = read_plan(Path(side))
    else:
        home = runs / side / "spec.yaml"
        plan = make_plan(load_spec(home if home.is_file() else side), runs)
    first = plan.runs[0]
    tree: dict[str, Plain] = first.spec.model_dump(mode="json", by_alias=True)
    return tree, first.run
