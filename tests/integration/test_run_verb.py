"""`mxspec run` from the outside: what is done, goes on, fails, and is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from tests.support.smoke import SETS

ROOT = Path(__file__).parents[2]
QUICKSTART = "mxspec:quickstart.yaml"
WATCHED = ("torch", "ray", "transformers", "lightning")


def arguments(verb: str, runs: Path, *more: str, spec: str = QUICKSTART, sets: tuple[str, ...] = ()) -> list[str]:
    changes = [part for one in (*SETS, *sets) for part in ("--set", one)]
    return [verb, spec, *changes, "--runs", str(runs), *more]


def mxspec(given: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """A command of its own, which also says which heavy packages it has imported."""
    program = (
        "import sys; from mxspec.cli.app import run_app; code = run_app(sys.argv[1:]);"
        f"print('imported:', *[m for m in {WATCHED!r} if m in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", program, *given],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of runs in which the quickstart is done at smoke size."""
    runs = tmp_path_factory.mktemp("some runs")
    ended = mxspec(arguments("run", runs))
    assert ended.returncode == exits.OK, ended.stderr
    assert "held-out accuracy" in ended.stderr
    assert "mxspec sql" in ended.stdout
    assert str(runs) in ended.stdout
    return runs


@pytest.mark.slow
def test_what_is_done_is_not_run_again(done: Path) -> None:
    again = mxspec(arguments("run", done, "--json"))
    assert again.returncode == exits.OK, again.stderr
    assert again.stderr.splitlines()[-1] == "imported:"
    found = json.loads(again.stdout)
    assert found["mxspec"] == "run"
    assert [(run["state"], run["steps"]) for run in found["runs"]] == [("done", None)]
    assert found["runs"][0]["ran"] is False
    assert Path(found["store"]).is_file() and Path(found["html"]).is_file()
    assert [(block["label"], block["done"]) for block in found["report"]["blocks"]] == [
        ("cold", 2),
        ("rl", 4),
        ("rl", 6),
        ("rl", 8),
    ]


@pytest.mark.slow
def test_what_was_run_tells_what_the_next_takes(done: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(arguments("plan", done, "--seed", "1", "--json")) == exits.OK
    plan = json.loads(capsys.readouterr().out)["plan"]
    [run], bounds = plan["runs"], plan["arms"][0]["bounds"]
    [directory] = [path.parent for path in done.glob("*/cost.json")]
    assert run["estimate"]["seconds"] == json.loads((directory / "cost.json").read_text())["seconds"] > 0
    kept = [path for path in (directory / "checkpoints").iterdir() if path.is_dir()]
    assert len(kept) == bounds["checkpoints"] == 2
    size = sum(path.stat().st_size for path in kept[0].rglob("*") if path.is_file()) / 2**20
    assert size == pytest.approx(bounds["checkpoint_mb"], rel=0.25)
    assert run_app(arguments("plan", done, "--seed", "1")) == exits.OK
    printed = capsys.readouterr().out
    assert "TIME" in printed and "left to do  about" in printed and "GPU-H" not in printed


@pytest.mark.slow
def test_why_a_run_is_new(done: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(arguments("plan", done, "--why", "main")) == exits.OK
    assert capsys.readouterr().out.strip().endswith("(main; seed 0) is done")
    sets = ("questions.per_step=5", "runtime.trainer.micro_tokens=99", "name=other")
    assert run_app(arguments("plan", done, "--why", "main", sets=sets)) == exits.OK
    first, *values = capsys.readouterr().out.splitlines()
    assert "(main; seed 0) is not done (continues); it differs from" in first and "in 1 value, " in first
    assert values[0] == "questions.per_step: 4 -> 5"
    assert run_app(arguments("plan", done, "--why", "mian")) == exits.USAGE
    assert "did you mean 'main'?" in capsys.readouterr().err


@pytest.mark.slow
def test_ls_and_logs(done: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["ls", "--runs", str(done), "--json"]) == exits.OK
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert (run["state"], run["step"], run["names"]) == ("done", 8, ["quickstart: main seed 0"])
    assert run_app(["ls", "--runs", str(done)]) == exits.OK
    assert "quickstart: main seed 0" in capsys.readouterr().out
    assert run_app(["logs", run["run"][:6], "--runs", str(done), "--follow"]) == exits.OK
    lines = capsys.readouterr().out.splitlines()
    assert "starts: arms main, seed 0" in lines[0]
    assert "done after 8 steps" in lines[-1]
    assert sum("evaluate.test.accuracy" in line for line in lines) == 4, "a value is told when it was measured"
    assert run_app(["logs", run["run"], "--runs", str(done), "-n", "1"]) == exits.OK
    assert capsys.readouterr().out.splitlines() == lines[-1:]
    assert run_app(["logs", "nothing", "--runs", str(done)]) == exits.USAGE
    assert "there is no run 'nothing'" in capsys.readouterr().err


@pytest.mark.slow
def test_ctrl_c_commits_and_the_next_run_goes_on(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "mxspec.cli", *arguments("run", tmp_path)],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "cold 1 (step 1/" in line:
            break
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == exits.INTERRUPTED, errors
    assert "interrupted" in errors and "Traceback" not in errors

    [run] = json.loads(mxspec(arguments("plan", tmp_path, "--json")).stdout)["plan"]["runs"]
    assert run["status"] == "continues"
    assert 1 <= run["continues"]["step"] < 8
    resumed = mxspec(arguments("run", tmp_path, "--json"))
    assert resumed.returncode == exits.OK, resumed.stderr
    assert [(one["state"], one["steps"]) for one in json.loads(resumed.stdout)["runs"]] == [("done", 8)]


@pytest.mark.slow
def test_a_failed_run_is_told_and_stops_no_other(tmp_path: Path) -> None:
    spec = tmp_path / "two.yaml"
    gate = "{all: [{watch: evaluate.reduce.accuracy, at_least: 1.0}], max_epochs: 1, otherwise: fail}"
    spec.write_text(
        "extends: [mxspec:quickstart.yaml]\nname: two\n"
        f"sweep: {{baseline: good, arms: {{good: {{}}, strict: {{stages.cold.gate: {gate}}}}}, seeds: [0]}}\n"
    )
    sets = ("stages.rl.steps=2", "stages.cold.gate.max_epochs=1")
    ended = mxspec(arguments("run", tmp_path / "runs", "--json", spec=str(spec), sets=sets))
    assert ended.returncode == exits.FAILED, ended.stderr
    runs = {run["arms"][0]: run for run in json.loads(ended.stdout)["runs"]}
    assert runs["good"]["state"] == "done"
    assert runs["strict"]["state"] == "failed"
    assert "did not pass its gate" in runs["strict"]["message"]


def test_arms_and_seeds_must_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ablation = "mxspec:ablations/quickstart.yaml"
    assert run_app(["run", ablation, "--runs", str(tmp_path), "--seed", "7"]) == exits.USAGE
    assert run_app(["run", ablation, "--runs", str(tmp_path), "--arm", "nobody"]) == exits.USAGE
    assert "nobody" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(arguments("run", tmp_path / "runs", "--dry-run")) == exits.OK
    assert "1 arm x 1 seed" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_missing_packages_are_named_with_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib import util

    monkeypatch.setattr(util, "find_spec", lambda name: None if name in ("torch", "ray") else object())
    ray = ("runtime.launcher={kind: ray}",)
    assert run_app(arguments("run", tmp_path / "runs", sets=ray)) == exits.MISSING_ENVIRONMENT
    errors = capsys.readouterr().err
    assert "not installed: torch, ray" in errors
    assert "pip install torch" in errors and "mxspec[run,analysis]" in errors
    assert list(tmp_path.iterdir()) == []
