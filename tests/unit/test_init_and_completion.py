"""`mxspec init` and the completion of shells."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mxspec.cli import exits
from mxspec.cli.app import VERBS, run_app
from mxspec.cli.init import EDITOR_LINE, SCHEMA, templates
from mxspec.load import load_spec
from mxspec.load.schema import json_schema


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("template", templates())
def test_a_template_is_a_right_spec_that_an_editor_can_check(
    template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_app(["init", "new/My Study.yaml", "--template", template]) == exits.OK
    assert "mxspec plan new/My Study.yaml" in capsys.readouterr().out
    text = (tmp_path / "new/My Study.yaml").read_text(encoding="utf-8")
    assert text.splitlines()[0] == EDITOR_LINE and "\nname: my-study\n" in text
    assert load_spec("new/My Study.yaml").whole.name == "my-study"
    assert json.loads((tmp_path / "new" / SCHEMA).read_text(encoding="utf-8")) == json_schema("spec")


def test_init_overwrites_nothing_unless_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["init"]) == exits.OK
    (tmp_path / "experiment.yaml").write_text("mine", encoding="utf-8")
    assert run_app(["init"]) == exits.FAILED
    assert "experiment.yaml exists" in capsys.readouterr().err
    assert (tmp_path / "experiment.yaml").read_text(encoding="utf-8") == "mine"
    assert run_app(["init", "--force"]) == exits.OK
    assert load_spec("experiment.yaml").whole.name == "experiment"
    assert run_app(["init", "a.txt"]) == exits.USAGE
    assert run_app(["init", "b.yaml", "--template", "ablatoin"]) == exits.USAGE
    assert "did you mean 'ablation'?" in capsys.readouterr().err
    assert run_app(["init", "--list"]) == exits.OK
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(templates())


def completed(line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    words = line.split(" ")
    monkeypatch.setenv("_MXSPEC_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    assert run_app([]) == exits.OK
    return capsys.readouterr().out.split()


def test_words_are_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_app(["init", "study.yaml", "--template", "ablation"])
    (tmp_path / "study.txt").touch()
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies/one.yml").touch()
    capsys.readouterr()

    def words(line: str) -> list[str]:
        return completed(line, monkeypatch, capsys)

    assert words("mxspec ") == list(VERBS)
    assert words("mxspec pl") == ["plan"]
    assert words("mxspec plan stud") == ["studies/", "study.yaml"]
    assert words("mxspec validate studies/") == ["studies/one.yml"]
    assert "mxspec:quickstart.yaml" in words("mxspec plan mxspec:")
    assert words("mxspec run study.yaml --arm e") == ["executor_only"]
    assert words("mxspec plan --max") == ["--max-gpu-hours"]
    assert words("mxspec init -t sm") == ["smoke"]
    assert words("mxspec plan no-such-folder/") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_the_script_of_a_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["completion", shell]) == exits.OK
    script = capsys.readouterr().out
    assert "_MXSPEC_COMPLETE" in script and "mxspec" in script
    if shell == "bash":
        assert script.rstrip().endswith("COMP_WORDBREAKS=${COMP_WORDBREAKS//:}"), "`mxspec:` is one word"
        assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_no_script_of_an_unknown_shell(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["completion", "tcsh"]) == exits.USAGE
    assert "shells are bash, zsh, fish, powershell" in capsys.readouterr().err


def test_completion_and_help_import_no_models() -> None:
    code = (
        "import os, sys; os.environ.update(_MXSPEC_COMPLETE='complete_bash', "
        "COMP_WORDS='mxspec plan --m', COMP_CWORD='2');"
        "from mxspec.cli.app import run_app; run_app([]); del os.environ['_MXSPEC_COMPLETE'];"
        "run_app(['plan', '--help']); print([m for m in sys.modules if m in ('pydantic', 'rich', 'mxspec.spec')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "--max-gpu-hours" and done.stdout.splitlines()[-1] == "[]"
