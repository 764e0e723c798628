"""The command line: data on stdout, words on stderr, one exit code per outcome."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mxspec.cli import exits
from mxspec.cli.app import VERBS, run_app
from mxspec.cli.failure import exit_code_of
from tests.support.specs import SMALL, changed, write

SWEEP = "sweep: {baseline: main, arms: {main: {}, joint: {stages.rl.train: [executor, designer]}}, seeds: [0, 1]}\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    out = capsys.readouterr().out
    found = json.loads(out)
    assert found["version"] == 1 and isinstance(found, dict)
    return found


def test_validate_prints_every_error_and_exits_3(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL, "good.yaml")
    write(here, changed(("per_step: 8", "per_step: x")), "bad.yaml")
    assert run_app(["validate", "good.yaml"]) == exits.OK
    assert capsys.readouterr().out == "good.yaml: ok\n"
    assert run_app(["validate", "bad.yaml", "good.yaml", "none.yaml"]) == exits.INVALID_SPEC
    captured = capsys.readouterr()
    assert captured.out == "good.yaml: ok\n"
    assert [line.split(":")[0] for line in captured.err.splitlines()] == ["bad.yaml", "none.yaml"]
    assert "\x1b" not in captured.err and "^" not in captured.err


def test_validate_as_json(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, changed(("per_step: 8", "per_step: x")), "bad.yaml")
    assert run_app(["validate", "bad.yaml", "--json"]) == exits.INVALID_SPEC
    found = document(capsys)
    assert found["mxspec"] == "validate" and found["valid"] is False
    files: Any = found["files"]
    (file,) = files
    (finding,) = file["findings"]
    assert (finding["code"], finding["path"], finding["file"]) == ("type", "questions.per_step", "bad.yaml")


def test_set_reaches_validation(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL)
    assert run_app(["validate", "spec.yaml", "--set", "stages.rl.steps=0"]) == exits.INVALID_SPEC
    assert "--set stages.rl.steps: stages.rl.steps" in capsys.readouterr().err


def test_plan_for_people(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL + SWEEP)
    assert run_app(["plan", "spec.yaml"]) == exits.OK
    out = capsys.readouterr().out
    assert "2 arms x 2 seeds = 4 named, 4 runs" in out and "new 4" in out
    assert "[executor, designer] every 10 -> [executor, designer]" in out
    assert "shared work  cold: 2 trained instead of 4" in out
    assert "! joint: several roles updated every step" in out
    assert not (here / "runs").exists()


def test_plan_as_json_and_its_exit_code(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL + SWEEP)
    assert (
        run_app(["plan", "spec.yaml", "--json", "--exit-code", "--arm", "joint", "--seed", "1"])
        == exits.PLAN_HAS_CHANGES
    )
    plan = document(capsys)["plan"]
    assert isinstance(plan, dict) and [run["arms"] for run in plan["runs"]] == [["joint"]]
    assert run_app(["plan", "spec.yaml", "--json", "--arms", "joint,main", "--seeds", "1,0"]) == exits.OK
    plan = json.loads(capsys.readouterr().out)["plan"]
    assert [arm["name"] for arm in plan["arms"]] == ["main", "joint"] and plan["seeds"] == [1, 0]
    assert run_app(["plan", "spec.yaml", "--arm", "jiont"]) == exits.USAGE
    assert "did you mean 'joint'?" in capsys.readouterr().err


def test_a_base_has_no_plan(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["plan", "mxspec:base/tiny_llama.yaml"]) == exits.FAILED
    assert "not a whole spec" in capsys.readouterr().err


def test_show_resolved_loads_again(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from mxspec.load import load_spec

    write(here, SMALL + SWEEP)
    assert run_app(["show", "--resolved", "spec.yaml"]) == exits.OK
    write(here, capsys.readouterr().out, "again.yaml")
    assert load_spec("again.yaml").spec == load_spec("spec.yaml").spec


def test_show_says_where_every_value_comes_from(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL, "base.yaml")
    write(here, "extends: base.yaml\nevaluate: {test: {at: [end]}}\n", "child.yaml")
    assert run_app(["show", "--origin", "child.yaml", "--set", "seed=3"]) == exits.OK
    captured = capsys.readouterr()
    rows = {line.split()[0]: line.split()[-1] for line in captured.out.splitlines()}
    assert rows["evaluate.test.at[0]"].startswith("child.yaml:2:") and rows["name"].startswith("base.yaml:2:")
    assert "seed                " in captured.out and "--set seed" in captured.out
    assert "evaluate.test.at: dropped stage_end" in captured.err
    assert run_app(["show", "child.yaml", "--json"]) == exits.OK
    assert document(capsys)["spec"]["name"] == "small"  # type: ignore[index]


def test_show_one_arm(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL + SWEEP)
    assert run_app(["show", "spec.yaml", "--arm", "joint", "--json"]) == exits.OK
    spec = document(capsys)["spec"]
    assert isinstance(spec, dict) and spec["stages"][1]["train"] == ["executor", "designer"]
    assert run_app(["show", "spec.yaml", "--arm", "none"]) == exits.USAGE


@pytest.mark.parametrize("part", ["spec", "base", "benchmark"])
def test_the_schema_describes_the_language(part: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["schema", part]) == exits.OK
    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"].startswith("https://json-schema.org/") and "properties" in schema
    assert run_app(["schema", "specs"]) == exits.USAGE
    assert "did you mean 'spec'?" in capsys.readouterr().err


def test_usage_errors_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["valdate"], ["validate"], ["plan", "a", "--no-such-option"], ["plan", "a", "--seed", "x"]):
        assert run_app(arguments) == exits.USAGE, arguments
        captured = capsys.readouterr()
        assert captured.out == "" and "error" in captured.err.lower()


def test_help_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["--help"]) == exits.OK
    out = capsys.readouterr().out
    assert all(f"  {verb} " in out for verb in VERBS)
    assert run_app(["validate", "--help"]) == exits.OK
    assert run_app(["--version"]) == exits.OK


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), exits.INTERRUPTED),
        (exits.MissingEnvironment("no torch", hint="install it"), exits.MISSING_ENVIRONMENT),
        (ModuleNotFoundError("No module named 'torch'", name="torch"), exits.MISSING_ENVIRONMENT),
        (exits.UsageError("no"), exits.USAGE),
        (ValueError("a gate stayed shut"), exits.FAILED),
        (PermissionError(13, "Permission denied", "runs"), exits.FAILED),
        (TypeError("a bug"), exits.FAILED),
        (SystemExit(7), 7),
    ],
)
def test_every_outcome_has_a_code_and_no_traceback(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code_of(error) == code
    captured = capsys.readouterr()
    assert captured.out == "" and "Traceback" not in captured.err
    if not isinstance(error, SystemExit):
        assert captured.err


def test_debug_shows_the_traceback(here: Path) -> None:
    from mxspec.load import SpecErrors

    with pytest.raises(SpecErrors):
        run_app(["plan", "none.yaml", "--debug"])


INTERRUPTED_WHILE_READING = """
import signal, mxspec.load.compose
from mxspec.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins with it ignored
mxspec.load.compose.read_file = lambda *_: signal.raise_signal(signal.SIGINT)
main(["validate", "spec.yaml"])
"""


def test_ctrl_c_exits_130(here: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_READING], capture_output=True, text=True, check=False
    )
    assert found.returncode == exits.INTERRUPTED and "Traceback" not in found.stderr


@pytest.mark.parametrize("verb", ["show --resolved spec.yaml", "schema"])
def test_a_closed_pipe_is_no_error(here: Path, verb: str) -> None:
    write(here, SMALL)
    command = f"{shlex.quote(sys.executable)} -u -m mxspec.cli {verb} | head -c 1"
    found = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert found.stdout and found.returncode == exits.OK and "Traceback" not in found.stderr


def test_diff_says_in_which_values_two_specs_differ(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL, "one.yaml")
    write(here, SMALL.replace("steps: 30", "steps: 40").replace("name: small", "name: other"), "other.yaml")
    assert run_app(["diff", "one.yaml", "other.yaml"]) == exits.FAILED
    out = capsys.readouterr().out.splitlines()
    assert out[:2] == ["name: small -> other", "stages.rl.steps: 30 -> 40"] and out[2].endswith("another run")
    assert run_app(["plan", "one.yaml", "--out", "plan.json"]) == exits.OK
    capsys.readouterr()
    assert run_app(["diff", "one.yaml", "plan.json"]) == exits.OK
    assert capsys.readouterr().out.startswith("0 values differ")


AXES = SWEEP.replace("seeds:", "axes: {learn.rl.optimizer.lr: [5e-4, 1e-3]}, seeds:")


def test_show_gives_the_origins_of_one_arm(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL + AXES)
    assert run_app(["show", "spec.yaml", "--origin", "--arm", "joint/lr=0.001"]) == exits.OK
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    value, place = lines["learn.rl.optimizer.lr"]
    assert value == "0.001" and place.startswith("spec.yaml:26:")
    assert lines["stages.rl.train[1]"][0] == "'designer'" and lines["stages.rl.train[1]"][1].startswith("spec.yaml:26:")
    assert lines["stages.rl.steps"] == ["30", "spec.yaml:23:33"] and "stages.rl.train.every" not in lines
    assert run_app(["show", "spec.yaml", "--origin", "--resolved", "--arm", "main/lr=0.0005"]) == exits.OK
    resolved = {line.split()[0]: line.split()[-1] for line in capsys.readouterr().out.splitlines()}
    assert resolved["learn.rl.loss.clip_low"] == "default" and resolved["stages.rl.steps"] == "spec.yaml:23:33"
    assert run_app(["show", "spec.yaml", "--arm", "joint"]) == exits.USAGE
    assert "arm 'joint' has 2 points; name one of joint/lr=0.0005, joint/lr=0.001" in capsys.readouterr().err
    assert run_app(["show", "spec.yaml", "--arm", "jiont/lr=0.001"]) == exits.USAGE
    assert "did you mean 'joint/lr=0.001'?" in capsys.readouterr().err


def test_diff_compares_arms_runs_and_plans(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL + SWEEP)
    assert run_app(["diff", "spec.yaml", "spec.yaml:joint"]) == exits.FAILED
    out = capsys.readouterr().out.splitlines()
    assert "stages.rl.train.every: 10 -> (none)" in out and "stages.rl.train: (none) -> [executor, designer]" in out
    assert out[-1].startswith("4 values differ; ") and out[-1].endswith("another run")
    assert run_app(["plan", "spec.yaml", "--out", "plan.json"]) == exits.OK
    assert run_app(["diff", "spec.yaml:joint", "plan.json:joint"]) == exits.OK
    assert "0 values differ" in capsys.readouterr().out
    assert run_app(["diff", "spec.yaml:jiont", "spec.yaml"]) == exits.USAGE
    assert "did you mean 'joint'?" in capsys.readouterr().err
    assert run_app(["diff", "spec.yaml", "plan.json:jiont"]) == exits.USAGE
    assert "did you mean 'joint'?" in capsys.readouterr().err
    for name in ("0a11aaaaaaaa", "0a22aaaaaaaa"):
        write(here / "runs" / name, SMALL)
    assert run_app(["diff", "0a11", "spec.yaml"]) == exits.OK
    assert "the same run" in capsys.readouterr().out
    assert run_app(["diff", "0a", "spec.yaml"]) == exits.USAGE
    assert "2 runs begin with '0a'; write more of the id" in capsys.readouterr().err
    assert run_app(["diff", "beef", "spec.yaml"]) == exits.USAGE
    assert "'beef' is no spec file, and no run in runs begins with it" in capsys.readouterr().err


def test_only_the_name_differs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here, SMALL, "one.yaml")
    write(here, SMALL.replace("name: small", "name: other"), "other.yaml")
    assert run_app(["diff", "one.yaml", "other.yaml"]) == exits.FAILED
    assert capsys.readouterr().out.splitlines()[1].startswith("0 values differ; ")


def test_a_field_is_described_with_type_and_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["schema", "--field", "stages[i].steps"]) == exits.OK
    assert "  type: whole number, more than 0, at most 1000000\n" in capsys.readouterr().out
    assert run_app(["schema", "--field", "runtime.trainer.accelerator"]) == exits.OK
    assert "  type: `cpu` or `cuda` or `auto`\n" in capsys.readouterr().out
