"""What people write first, and what they are told to write instead: one error each, with the words that mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.specs import SMALL, changed, errors, one_error

CHILD = "extends: mxspec:quickstart.yaml\nname: x\n"


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("vars: {n: 3}\nquestions: {per_step: ${vars.n}}\n", "yaml", "a reference is quoted"),
        ("runtime: {trainer: {accelerator: gpu}}\n", "value", "did you mean 'cuda'?"),
        ("questions: {from: word_problems}\n", "type", "write [{use: word_problems}]"),
        ("questions: {from: {use: word_problems}}\n", "type", "write a list of such maps: [{..}]"),
        ("stages: {rl: {train: executor}}\n", "type", "changed by its path, in an arm of a sweep or by --set"),
        ("$append: {sweep.axes.questions.per_step: [1]}\n", "append", "write it out below `sweep:`"),
        ("sweep: {arms: [{name: base}, {name: big}]}\n", "type", "write them by name: {base: {..}, big: {..}}"),
        ("sweep: {arms: {base: {}, big: {name: big}}}\n", "no-such-path", "an arm's name is its key"),
        ("$set: {questions.per_step: 8}\n", "unknown-key", "paths are for arms, --set"),
        ("stages.rl.steps: 4\n", "unknown-key", "paths are for arms, --set"),
        ("rollout: {tree: {questions: {per_step: 4}}}\n", "unknown-key", "'questions' stands at the top level"),
        ("roles: {executor: {learn: {rl: {}}}}\n", "unknown-key", "'learn' stands at the top level"),
    ],
    ids=lambda value: value[:24].strip() if isinstance(value, str) else None,
)
def test_the_hint_says_what_to_write(tmp_path: Path, text: str, code: str, hint: str) -> None:
    found = one_error(tmp_path, CHILD + text)
    assert found.code == code and hint in found.hint


def test_a_single_role_is_a_list_of_one(tmp_path: Path) -> None:
    found = one_error(
        tmp_path, changed(("train: {kind: alternate, order: [executor, designer], every: 10}", "train: executor"))
    )
    assert found.path == "stages.rl.train" and "[executor]" in found.hint


def test_of_an_unknown_kind_nothing_else_is_said(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("kind: alternate, order: [executor, designer]", "kind: together, roles: []")))
    assert (found.code, found.path) == ("unknown-kind", "stages.rl.train.kind")


def test_what_a_misspelt_extends_would_have_brought_is_not_missing(tmp_path: Path) -> None:
    found = one_error(tmp_path, "extend: mxspec:quickstart.yaml\nname: x\n")
    assert found.code == "unknown-key" and found.hint == "did you mean 'extends'?"
    without = errors(tmp_path, "name: x\n")
    assert {one.code for one in without} == {"missing"}
    assert without[0].hint == "write `language: 1`, or `extends` a file that has what is missing"


def test_rows_of_a_misspelt_role(tmp_path: Path) -> None:
    found = errors(tmp_path, changed(("designer: 32}", "designr: 32}")))
    assert "did you mean 'designer'?" in [one.hint for one in found]


def test_a_value_of_the_command_line_has_no_line(tmp_path: Path) -> None:
    found = one_error(tmp_path, SMALL, "stages.rl.steps=0")
    assert str(found.at) == "--set stages.rl.steps"
    inner = one_error(tmp_path, SMALL, "rollout.tree={designs: 4, executions: 0}")
    assert str(inner.at) == "--set rollout.tree:1:26"
