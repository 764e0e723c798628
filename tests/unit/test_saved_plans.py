"""A saved plan runs what was reviewed: an edited spec is a note, an edited prompt or data file a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.cli import exits
from mxspec.cli.app import run_app
from mxspec.plan.plan import Plan
from tests.support.specs import changed, write


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "design {question}", "p.md")
    write(tmp_path, changed(('text: "design {question}"', "file: p.md")))
    assert run_app(["plan", "spec.yaml", "--set", "stages.rl.steps=20", "--out", "plan.json"]) == exits.OK
    return tmp_path / "plan.json"


def test_what_was_reviewed_runs(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:  # C35
    plan = Plan.model_validate_json(saved.read_bytes())
    assert {Path(one.path).name: one.holds for one in plan.sources} == {
        **{"spec.yaml": "spec", "tiny_llama.yaml": "spec", "p.md": "content"}
    }
    spec = saved.parent / "spec.yaml"
    spec.write_text(spec.read_text().replace("per_step: 8", "per_step: 4"))
    capsys.readouterr()
    assert run_app(["run", "plan.json", "--dry-run"]) == exits.OK
    said = capsys.readouterr()
    assert "spec.yaml has changed since the plan was made" in said.err and "2 + 20" in said.out


def test_changed_content_is_refused(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:  # C38
    (saved.parent / "p.md").write_text("another {question}")
    assert run_app(["run", "plan.json", "--dry-run"]) == exits.FAILED
    assert "p.md" in capsys.readouterr().err


def test_a_saved_plan_takes_no_changes(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["run", "plan.json", "--set", "seed=3"]) == exits.USAGE
    saved.write_text("{}")
    assert run_app(["run", "plan.json"]) == exits.FAILED and "is no plan" in capsys.readouterr().err


def test_a_plan_is_written_over_a_plan_only(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("spec.yaml").read_bytes()
    assert run_app(["plan", "spec.yaml", "--out", "spec.yaml"]) == exits.FAILED
    assert "exists and is no saved plan" in capsys.readouterr().err and Path("spec.yaml").read_bytes() == before
    assert run_app(["plan", "spec.yaml", "--out", str(saved)]) == exits.OK


def test_seeds_and_hours_that_are_none(saved: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in ("-1", "99999999999999999999", "1.5"):
        assert run_app(["plan", "spec.yaml", "--seed", seed]) == exits.USAGE
    for hours in ("nan", "-1"):
        assert run_app(["plan", "spec.yaml", "--max-gpu-hours", hours]) == exits.USAGE
