"""Ids are promises: a release that changes one makes every finished run new.

`ids_small.txt` holds the ids of a spec that never changes, so it changes with the hash only.
`ids_shipped.txt` follows the shipped specs: an edit of one shows here as the ids that it makes new.
"""

from __future__ import annotations

from pathlib import Path

from mxspec.load import load_spec
from mxspec.load.loaded import Loaded
from mxspec.plan.expand import choose, expand
from mxspec.plan.identity import evaluation_id
from tests.support.golden import check_golden
from tests.support.specs import write

ROOT = Path(__file__).resolve().parents[2]
FROZEN = (Path(__file__).parent / "frozen_spec.yaml").read_text(encoding="utf-8")


def ids(loaded: Loaded) -> str:
    """Every id that a spec leads to, one a line."""
    lines: list[str] = []
    for run in expand(loaded, *choose(loaded, None, None)):
        lines.append(f"run {run.run} cell {run.cell} spec {run.spec_hash} seed {run.seed} {' = '.join(run.arms)}")
        lines.append(f"  root {run.root_state[:12]}")
        lines += [
            f"  {one.stage}+{one.first} {','.join(one.trains)}: content {one.content[:12]} end {one.end_state[:12]}"
            for one in run.chain
        ]
        states = dict.fromkeys(run.spec.roles, run.root_state)
        for name, evaluation in run.spec.evaluate.items():
            lines.append(f"  evaluation {name} at root {evaluation_id(evaluation, run.spec, states)}")
    return "\n".join(lines) + "\n"


def test_ids_of_a_frozen_spec(tmp_path: Path) -> None:
    write(tmp_path, '{"question": "2 + 3", "answer": "#### 5"}\n', "rows.jsonl")
    check_golden("ids_small.txt", ids(load_spec(write(tmp_path, FROZEN))))


def test_ids_of_the_shipped_specs() -> None:
    parts = [
        f"== {name}\n{ids(load_spec(ROOT / 'specs' / name))}"
        for name in ("quickstart.yaml", "ablations/quickstart.yaml")
    ]
    check_golden("ids_shipped.txt", "\n".join(parts))


def test_the_ablation_contains_the_quickstart() -> None:
    alone = load_spec(ROOT / "specs/quickstart.yaml", sets=["seed=3"])
    sweep = load_spec(ROOT / "specs/ablations/quickstart.yaml")
    (quickstart,) = expand(alone, *choose(alone, None, None))
    assert quickstart.run in {run.run for run in expand(sweep, *choose(sweep, None, None))}
