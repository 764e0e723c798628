"""What can be said and not yet be run: each is refused by name, and the list holds nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.compile.runnable import TO_COME, to_come
from mxspec.load import load_spec
from mxspec.load.shipped import specs_dir
from tests.support.specs import SMALL, load

RUNNABLE = ("quickstart.yaml", "smollm2_gsm8k.yaml", "ablations/quickstart.yaml")
SYSTEMS = sorted(
    path.relative_to(specs_dir()) for name in ("systems", "ablations") for path in (specs_dir() / name).glob("*.yaml")
)


def test_what_can_run_is_not_refused(tmp_path: Path) -> None:
    for name in RUNNABLE:
        assert all(to_come(arm.spec) == () for arm in load_spec(specs_dir() / name).arms)
    assert to_come(load(tmp_path, SMALL).whole) == ()


def test_every_line_of_the_list_is_said_by_some_spec(tmp_path: Path) -> None:
    said = {name for path in SYSTEMS for arm in load_spec(specs_dir() / path).arms for name in to_come(arm.spec)}
    for change in (
        "rollout.staleness=1",
        "learn.rl.loss.kl=0.1",
        "learn.rl.loss={kind: grpo, ratio: sequence, aggregate: sequence_mean}",
        "learn.rl.optimizer.role_lr={designer: 1e-5}",
        "runtime.sandbox.min_tier=rlimits",
        "benchmarks={chain_arithmetic: {source: {kind: procedural, generator: g, difficulty: [1]}, "
        "grader: {kind: code}}}",
        "roles.executor.model={kind: package, package: p, file: f, version: '1'}",
    ):
        sets = (
            change,
            "stages.cold.train=[designer]",
            "stages.cold.data.rows={designer: 32}",
            "stages.rl.train=[designer]",
        )
        said |= set(to_come(load(tmp_path, SMALL, *(sets if "executor.model" in change else (change,))).whole))
    plugged = {one.name for one in TO_COME if one.name.startswith("a plugin's")}  # each in test_plugins
    assert said == {one.name for one in TO_COME} - plugged


@pytest.mark.parametrize("name", [one for one in SYSTEMS if str(one) not in RUNNABLE], ids=str)
def test_run_refuses_by_name(name: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["run", str(specs_dir() / name), "--runs", str(tmp_path), "--quiet"]) == exits.MISSING_ENVIRONMENT
    assert "no runner yet for" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_the_twelve_arms_of_metaagent_x(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    spec = str(specs_dir() / "ablations/metaagent_x.yaml")
    assert run_app(["plan", spec, "--runs", str(tmp_path), "--json"]) == exits.OK
    plan = json.loads(capsys.readouterr().out)["plan"]
    assert (plan["named"], len(plan["runs"]), len(plan["arms"])) == (36, 33, 12)
    assert next(arm for arm in plan["arms"] if arm["name"] == "k30")["same_as"] == "main"
    assert plan["shared"] == [{"stage": "cold", "jobs": 9, "runs": 33}]
