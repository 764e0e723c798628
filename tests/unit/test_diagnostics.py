"""One fault, one error, at its line, with what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load import SpecErrors, load_spec
from tests.support.specs import SMALL, changed, errors, one_error, place_of, write


def test_a_typo_is_one_error_with_a_suggestion(tmp_path: Path) -> None:
    text = changed(("designs: 4, executions: 2", "desings: 4"))
    found = one_error(tmp_path, text)
    assert (found.code, found.hint) == ("unknown-key", "did you mean 'designs'?")
    assert found.at and (found.at.line, found.at.column) == place_of(text, "desings")


def test_a_misspelt_directive_has_a_suggestion(tmp_path: Path) -> None:
    assert one_error(tmp_path, SMALL + "$unsett: [evaluate]\n").hint == "did you mean '$unset'?"


def test_a_misspelt_required_key_is_not_missing_as_well(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("per_step: 8", "per_steps: 8")))
    assert found.code == "unknown-key" and found.path == "questions.per_steps"


def test_a_key_in_the_wrong_section_says_where_it_belongs(tmp_path: Path) -> None:
    found = one_error(tmp_path, SMALL + "policy: {executions: 4}\n")
    assert "unknown key 'executions' under policy" in found.message
    assert "rollout.tree.executions" in found.hint


@pytest.mark.parametrize("value", ["true", "8.0", "'8'", "eight", "[8]"])
def test_no_value_is_coerced(tmp_path: Path, value: str) -> None:
    text = changed(("designs: 4", f"designs: {value}"))
    found = one_error(tmp_path, text)
    assert (found.code, found.path) == ("type", "rollout.tree.designs")
    assert found.at and (found.at.line, found.at.column) == place_of(text, f"{value}, executions")


def test_an_int_where_a_float_is_wanted_is_fine(tmp_path: Path) -> None:
    assert errors(tmp_path, changed(("lr: 5e-4", "lr: 1"))) == ()


@pytest.mark.parametrize("value", [".nan", ".inf", "-.inf", "1e999"])
def test_numbers_are_finite(tmp_path: Path, value: str) -> None:
    found = one_error(tmp_path, changed(("lr: 5e-4", f"lr: {value}")))
    assert found.code in ("not-finite", "looks-like-number") and found.path == "learn.rl.optimizer.lr"


def test_an_unknown_kind_lists_the_kinds(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("{kind: grade}", "{kind: grad}")))
    assert (found.code, found.path) == ("unknown-kind", "reward.terms.correct.kind")
    assert "did you mean 'grade'?" in found.hint and "design_ok" in found.hint


def test_a_missing_kind_lists_the_kinds(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("{kind: generated, writer: designer}", "{writer: designer}")))
    assert (found.code, found.path, found.hint) == (
        "no-kind",
        "structure",
        "kinds are generated, fixed, searched, cascade",
    )


def test_a_value_of_a_union_gets_one_error(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("at: [stage_end]", "at: [stage_ends]")))
    assert found.path == "evaluate.test.at[0]" and "did you mean 'stage_end'?" in found.hint
    found = one_error(tmp_path, changed(("at: [stage_end]", "at: [{evry: 3}]")))
    assert found.hint == "did you mean 'every'?"
    found = one_error(tmp_path, changed(("at: [stage_end]", "at: [{bst: cold}]")))
    assert found.hint == "did you mean 'best'?"
    found = one_error(tmp_path, changed(("reduce: outcome, group: [question]", "reduce: outcome, group: question")))
    assert found.hint == "write [question]"
    found = one_error(
        tmp_path, changed(("train: {kind: alternate, order: [executor, designer], every: 10}", "train: all"))
    )
    assert found.path == "stages.rl.train" and "a list" in found.hint and "every" in found.hint
    found = one_error(tmp_path, changed(("every: 10}", "evry: 10}")))
    assert (found.path, found.hint) == ("stages.rl.train.evry", "did you mean 'every'?")


def test_a_literal_lists_what_is_allowed(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("reduce: outcome", "reduce: outcomes")))
    assert found.hint.startswith("did you mean 'outcome'?")


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("steps: 30", "steps: 0", "stages.rl.steps"),
        ("every: 10", "every: 0", "stages.rl.train.every"),
        ("epochs: 2", "epochs: -1", "stages.cold.epochs"),
        ("max_tokens: 48", "max_tokens: 0", "roles.designer.sampling.max_tokens"),
        ("order: [executor, designer]", "order: []", "stages.rl.train.order"),
    ],
)
def test_bounds(tmp_path: Path, old: str, new: str, path: str) -> None:
    assert one_error(tmp_path, changed((old, new))).path == path


@pytest.mark.parametrize(
    "line",
    [
        "wandb_api_key: abcdefgh",
        "vars: {token: hf_abcdefghijklmnopqrstuvwx}",
        "vars: {note: 'see sk-abcdefghijklmnopqrstuvwxyz'}",
        "notes: hf_abcdefghijklmnopqrstuvwx",
        "vars: {password: hunter2}",
    ],
)
def test_secrets_are_refused(tmp_path: Path, line: str) -> None:
    found = one_error(tmp_path, f"{SMALL}{line}\n")
    assert found.code == "secret" and "environment" in found.hint
    assert "abcdefgh" not in str(found)


def test_an_unknown_benchmark_has_a_suggestion(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("from: [{use: chain_arithmetic}]", "from: [{use: chain_arithmetics}]")))
    assert (found.code, found.hint) == ("unknown-benchmark", "did you mean 'chain_arithmetic'?")


def test_all_errors_come_at_once_in_order(tmp_path: Path) -> None:
    text = changed(
        ("per_step: 8", "per_step: x"),
        ("designs: 4", "designs: 1.5"),
        ("kind: grpo", "kind: gpro"),
        ("epochs: 2", "epoch: 2"),
    )
    found = errors(tmp_path, text)
    assert [one.code for one in found] == ["type", "type", "unknown-kind", "unknown-key"]


def test_the_text_has_carets_and_codes_where_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, changed(("per_step: 8", "per_step: x")))
    with pytest.raises(SpecErrors) as caught:
        load_spec("spec.yaml")
    rows = caught.value.render(carets=True).splitlines()
    line, column = place_of(SMALL, "8, from")
    assert (
        rows[0]
        == f"spec.yaml:{line}:{column}: questions.per_step: `x` is not a whole number; write a whole number  [type]"
    )
    assert rows[1].endswith("questions: {per_step: x, from: [{use: chain_arithmetic}]}")
    assert rows[2].index("^") == rows[1].index("x, from")
    assert "\x1b" not in "\n".join(rows)
    assert "\x1b[31m^" in caught.value.render(carets=True, colour=True)


def test_the_layer_that_set_a_value_is_named(tmp_path: Path) -> None:
    write(tmp_path, changed(("per_step: 8", "per_step: x")), "base.yaml")
    found = one_error(tmp_path, "extends: base.yaml\nname: child\n")
    assert found.at and found.at.file.endswith("base.yaml")


def test_numbers_of_python_and_addresses_get_the_hint_that_helps(tmp_path: Path) -> None:
    assert one_error(tmp_path, changed(("per_step: 8", "per_step: 1_000"))).hint == "write 1000"
    far = one_error(tmp_path, changed(("mxspec:base/tiny_llama.yaml", "https://example.com/base.yaml")))
    assert far.code == "no-file" and far.hint == "only files of this machine are read; download it first"


def test_directives_stand_at_the_top_level(tmp_path: Path) -> None:
    text = changed(("roles:\n", "roles:\n  $unset: [designer]\n"))
    found = one_error(tmp_path, text)
    assert found.code == "unknown-key" and "top level" in found.message and "roles.<name>" in found.hint
    assert found.at is not None and (found.at.line, found.at.column) == place_of(text, "$unset")
    inner = changed(("questions: {per_step: 8", "questions: {extends: x.yaml, per_step: 8"))
    assert one_error(tmp_path, inner).code == "unknown-key"
