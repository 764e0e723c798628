"""A plugin's grader, reward term, questions and launcher in a run of its own, and what they raise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from tests.support.plugin import PLUGIN
from tests.support.smoke import SETS
from tests.support.specs import write

SPEC = """\
extends: mxspec:quickstart.yaml
name: plugged
plugins: [./mine.py]
reward: {terms: {few: {kind: few, most: 4}}}
credit: {executor: {terms: {few: 0.5}}}
benchmarks:
  counting: {source: {kind: counting}, grader: {kind: prefix}}
evaluate:
  counted: {at: [end], on: [{use: counting, split: test, limit: 3}]}
"""


def run(folder: Path, launcher: str, plugin: str = PLUGIN) -> int:
    write(folder, plugin, "mine.py")
    spec = write(folder, SPEC)
    changes = (*SETS, f"runtime.launcher={launcher}", "evaluate.test.at=[end]")
    sets = [part for one in changes for part in ("--set", one)]
    return run_app(["run", str(spec), *sets, "--runs", str(folder / "runs"), "--trust"])


@pytest.fixture(autouse=True)
def own_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.slow
def test_kinds_of_a_plugin_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "{kind: here}") == exits.OK, capsys.readouterr().err
    capsys.readouterr()
    where = ["--runs", str(tmp_path / "runs"), "--json"]
    query = (
        "select term, min(value) as low, max(value) as high, count(*) as n from reward_terms group by all order by 1"
    )
    assert run_app(["sql", query, *where]) == exits.OK
    rows = {row["term"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["few"]["n"] == rows["correct"]["n"] > 0
    assert {rows["few"]["low"], rows["few"]["high"]} <= {0.0, 1.0}
    query = "select distinct benchmark from questions where benchmark = 'counting'"
    assert run_app(["sql", query, *where]) == exits.OK
    assert json.loads(capsys.readouterr().out)["rows"] == [{"benchmark": "counting"}]


@pytest.mark.slow
@pytest.mark.ray
def test_what_a_plugin_raises_on_a_worker_fails_the_run_and_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = PLUGIN.replace("float(execution.result.calls <= spec.most)", "1 / 0")
    assert run(tmp_path, "{kind: ray, workers: 1}", broken) == exits.FAILED
    said = capsys.readouterr().err
    assert "the plugin mine.py: its reward 'few' raised ZeroDivisionError" in said and "internal error" not in said
