"""`${...}`: references, cycles, escapes, the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load.environment import resolve
from mxspec.load.errors import Findings
from mxspec.load.interpolate import interpolate
from mxspec.load.nodes import to_plain
from mxspec.load.read import read_text
from tests.support.specs import changed, load, one_error


def resolved(text: str) -> object:
    findings = Findings()
    node = read_text(text, "f", findings)
    assert node is not None
    found = interpolate(node, findings)
    assert not findings.errors, findings.errors
    return to_plain(found)


def problems(text: str) -> list[str]:
    findings = Findings()
    node = read_text(text, "f", findings)
    assert node is not None
    interpolate(node, findings)
    return [str(one) for one in findings.errors]


def test_references_keep_the_type_of_what_they_name() -> None:
    text = "vars: {a: 1e-4, b: 3, c: true, d: [1, 2], e: ~, f: '12'}\n"
    text += "x: {" + ", ".join(f"{name}: '${{vars.{name}}}'" for name in "abcdef") + "}\n"
    found = resolved(text)
    assert isinstance(found, dict) and found["x"] == {"a": 1e-4, "b": 3, "c": True, "d": [1, 2], "e": None, "f": "12"}


def test_relative_chained_and_named_references() -> None:
    text = "stages: [{name: rl, steps: 7}]\na: {b: '${.c}', c: '${..d}'}\n"
    text += "d: '${stages.rl.steps}'\ne: 'x${a.b}-${stages[0].steps}y'\n"
    found = resolved(text)
    assert isinstance(found, dict)
    assert found["a"] == {"b": 7, "c": 7} and found["d"] == 7 and found["e"] == "x7-7y"


def test_a_reference_to_a_map_with_references_in_it() -> None:
    found = resolved("vars: {lr: 1e-4, m: {lr: '${vars.lr}', k: [1, '${vars.lr}']}}\nx: ${vars.m}\n")
    assert isinstance(found, dict) and found["x"] == {"lr": 1e-4, "k": [1, 1e-4]}


def test_a_cycle_is_printed_with_both_places() -> None:
    (found,) = problems("a: ${b}\nb: ${a}\n")
    assert "a (f:1:4) -> b (f:2:4) -> a" in found
    (found,) = problems("a: {x: '${a}'}\n")
    assert "circle" in found


def test_prompts_are_text_as_it_stands(tmp_path: Path) -> None:
    text = changed(('text: "design {question}"', "text: 'Solve ${x^2}$ for {question}'"))
    assert load(tmp_path, text).whole.roles["designer"].prompt.text == "Solve ${x^2}$ for {question}"


def test_elsewhere_the_error_shows_the_escape(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("name: small", "name: 'f(${x^2})'")))
    assert found.code == "reference" and "write \\${x^2}" in found.hint
    assert load(tmp_path, changed(("name: small", r"name: 'f(\${x^2})'"))).whole.name == "f(${x^2})"


def test_a_missing_target_has_a_suggestion() -> None:
    (found,) = problems("vars: {rl_lr: 1}\nx: ${vars.rl_lrr}\n")
    assert "did you mean 'rl_lr'?" in found
    (found,) = problems("x: '${vars.y'\n")
    assert "not closed" in found
    (found,) = problems("x: '${oc.env:HOME}'\n")
    assert "to keep it as text" in found


def test_the_environment_stands_under_runtime_only_and_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROWS", "/elsewhere")
    read = "benchmarks: {mine: {source: {kind: jsonl, data: x}, grader: {kind: integer}}}\n"
    runtime = "runtime: {data: {x: ['${env:ROWS}/${vars.d}/a', '${env:NONE,/b}']}}\n"
    text = changed(("limit: 64}]}", "limit: 64}, {use: mine, limit: 8}]}"))
    loaded = load(tmp_path, text + read + "vars: {d: sub}\n" + runtime)
    assert loaded.whole.runtime.data["x"] == ("${env:ROWS}/sub/a", "${env:NONE,/b}")
    found = one_error(tmp_path, changed(("name: small", "name: '${env:HOME}'")))
    assert found.code == "env"


def test_the_worker_resolves_the_environment() -> None:
    variables = {"A": "1", "EMPTY": ""}
    assert resolve("x${env:A}y${env:B,2}", variables) == "x1y2"
    assert resolve("${env:B}", variables) is None
    assert resolve("${env:EMPTY}", variables) is None
    assert resolve("${env:EMPTY,z}", variables) == "z"
    assert resolve("plain ${x}", variables) == "plain ${x}"


def test_a_reference_to_the_seed_follows_each_seed(tmp_path: Path) -> None:
    text = changed(("per_step: 8", "per_step: '${seed}'"))
    loaded = load(tmp_path, text + "seed: 4\nsweep: {baseline: a, arms: {a: {}}, seeds: [5, 6]}\n")
    assert [loaded.reseeded(loaded.arms[0], seed).questions.per_step for seed in (5, 6)] == [5, 6]
