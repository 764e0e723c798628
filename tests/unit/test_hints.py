"""What people write first, and what they are told to write instead: one error each, with the words that mend it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load import load_spec
from tests.support.specs import SMALL, changed, errors, load, one_error, write

CHILD = "extends: mxspec:quickstart.yaml\nname: x\n"


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("vars: {n: 3}\nquestions: {per_step: ${vars.n}}\n", "yaml", "a reference is quoted"),
        ("runtime: {trainer: {accelerator: gpu}}\n", "value", "did you mean 'cuda'?"),
        ("questions: {from: word_problems}\n", "type", "write [{use: word_problems}]"),
        ("questions: {from: {use: word_problems}}\n", "type", "write a list of such maps: [{..}]"),
        ("stages: {rl: {train: executor}}\n", "type", "changed by its path: $set: {stages.rl.<value>: ..}"),
        ("$append: {sweep.axes.questions.per_step: [1]}\n", "append", "write it out below `sweep:`"),
        ("sweep: {arms: [{name: base}, {name: big}]}\n", "type", "write them by name: {base: {..}, big: {..}}"),
        ("sweep: {arms: {base: {}, big: {name: big}}}\n", "no-such-path", "an arm's name is its key"),
        ("stages.rl.steps: 4\n", "unknown-key", "write $set: {stages.rl.steps: ..}"),
        ("rollout: {tree: {questions: {per_step: 4}}}\n", "unknown-key", "'questions' stands at the top level"),
        ("stages: [{name: rl, steps: 10}]\n", "no-kind", "$set: {'stages.rl.steps': ..}"),
        ("evaluate: {test: {on: [{limit: 50}]}}\n", "missing", "$set: {'evaluate.test.on[0].limit': ..}"),
        ("sweep: {seeds: 0-2}\n", "type", "write each: [0, 1, 2]"),
        (
            "sweep: {axes: {stages.rl.steps: 10..30}}\n",
            "type",
            "write each: [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, ..]",
        ),
        ("sweep: {arms: {base: }}\n", "type", "an empty one is {}"),
        ("roles: {executor: {prompt: Solve it}}\n", "type", "write {text: ..}, or {file: ..}"),
        ("reward: {failed_execution: 20%}\n", "type", "write a number: 0.2"),
        ("runtime: {track: {wandb: true}}\n", "type", "write a map with "),
        ("roles:\n  executor: {}\n   designer: {}\n", "yaml", "begin in the same column"),
        (
            "reward: {failed_execution: 0\nquestions: {per_step: 4}\n",
            "yaml",
            "the bracket that opens in line 3 is not closed",
        ),
        ("$set: {stages.rl.steps: 8, stages.cold.name: c, 'stages[1].steps': 9}\n", "no-such-path", "set it once"),
        ("roles: {executor: {learn: {rl: {}}}}\n", "unknown-key", "'learn' stands at the top level"),
    ],
    ids=lambda value: value[:24].strip() if isinstance(value, str) else None,
)
def test_the_hint_says_what_to_write(tmp_path: Path, text: str, code: str, hint: str) -> None:
    found = one_error(tmp_path, CHILD + text)
    assert found.code == code and hint in found.hint


def test_a_misspelt_name_of_an_inherited_map(tmp_path: Path) -> None:
    found = errors(tmp_path, CHILD + "roles: {excutor: {sampling: {temperature: 0.8}}}\n")
    assert "did you mean 'executor'?" in [one.hint for one in found]


def test_a_sweep_that_is_not_inherited_is_told(tmp_path: Path) -> None:
    write(tmp_path, CHILD.replace("quickstart.yaml", "ablations/quickstart.yaml"), "child.yaml")
    (one,) = [one for one in load_spec(tmp_path / "child.yaml").dropped if one.path == "sweep"]
    assert one.items[:2] == ("stagewise", "joint")


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


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("$set: {stages.lr.steps: 10}\n", "no-such-path", "there is cold, rl"),
        ("$set: {sweep.seeds: [1]}\n", "no-such-path", "write sweep itself"),
        ("$set: [stages.rl.steps]\n", "set", ""),
        ("steps: 10\n", "unknown-key", "'steps' exists at stages[i].steps"),
        ("arms: {a: {}}\n", "unknown-key", "'arms' exists at sweep.arms"),
        ("sweep: {base: a, arms: {a: {}}}\n", "unknown-key", "did you mean 'baseline'?"),
        ("sweep: {seeds: 3}\n", "type", "write [0, 1, 2]"),
        ("sweep: {arms: {a: {}, b: {}}, when: [{arm: [b], seed: [1]}]}\n", "unknown-key", "did you mean 'arms'?"),
        ("sweep: {arms: {a: {stages[0].epochs: 3}}}\n", "yaml", "a path with an index is quoted"),
        ("sweep: {arms: {a: {}}, exclude: [{questions.per_step: 8}]}\n", "no-points", "exclude less"),
        ("evaluate: {test: null}\n", "type", "remove what is inherited with $unset"),
        ("questions: {per_step: 5e1}\n", "type", "write 50"),
        ("vars: {n: 3}\nquestions: {per_step: '${vars.n * 2}'}\n", "reference", "nothing is computed in it"),
        ("vars: {n: 3}\nquestions: {per_step: '${ vars.n }'}\n", "reference", "write ${vars.n}"),
        ("questions: {per_step: '${oc.env:N}'}\n", "reference", "${env:NAME}, below runtime only"),
    ],
)
def test_a_second_round_of_hints(tmp_path: Path, text: str, code: str, hint: str) -> None:
    if "per_step: 8}" in text:
        text += "questions: {per_step: 8}\n"
    found = errors(tmp_path, CHILD + text)
    assert found[0].code == code and hint in found[0].hint and len({one.code for one in found}) <= 2


def test_one_value_of_an_inherited_list_is_set_in_a_file(tmp_path: Path) -> None:
    loaded = load(tmp_path, CHILD + "$set: {stages.rl.steps: 32, 'evaluate.test.on[0].limit': 7}\n")
    assert [stage.steps for stage in loaded.whole.stages if stage.kind == "rl"] == [32]
    assert loaded.whole.evaluate["test"].on[0].limit == 7
    assert str(loaded.origins["stages.rl.steps"]).endswith("spec.yaml:3:25")
    write(
        tmp_path, "extends: spec.yaml\n$set: {stages.rl.steps: 48}\n$append: {evaluate.test.at: [start]}\n", "more.yaml"
    )
    assert [s.steps for s in load_spec(tmp_path / "more.yaml").whole.stages if s.kind == "rl"] == [48]


def test_a_map_that_replaces_more_than_was_meant(tmp_path: Path) -> None:
    nested = errors(tmp_path, CHILD + "sweep: {arms: {a: {learn: {rl: {optimizer: {lr: 1e-4}}}}}}\n")
    assert {one.hint.partition(": ")[2] for one in nested} == {"learn.rl.optimizer.lr"}
    option = one_error(tmp_path, SMALL, "learn.rl.optimizer={lr: 1e-3}")
    assert option.hint.endswith("write the path of the value: learn.rl.optimizer.lr")
    beside = errors(tmp_path, CHILD, "policy.sharing.kind=lora")
    assert all("(with --set policy.sharing.kind)" in one.message for one in beside)


@pytest.mark.parametrize(
    "sweep",
    [
        "{arms: {a: {}, b: {}}, axes: {runtime.trainer.threads: [1, 2]}, runtime: {b: {trainer: {threads: 3}}}}",
        "{arms: {a: {}, c: {runtime.trainer.threads: 1}}, runtime: {c: {trainer: {threads: 3}}}}",
    ],
)
def test_runtime_by_arm_clashes_as_a_map_too(tmp_path: Path, sweep: str) -> None:
    assert one_error(tmp_path, CHILD + f"sweep: {sweep}\n").code == "set-twice"


def test_runtime_by_arm_changes_what_it_says_and_nothing_beside(tmp_path: Path) -> None:
    sweep = (
        "sweep: {arms: {a: {}, b: {}}, runtime: {b: {trainer: {threads: 3}}}}\nruntime: {trainer: {micro_tokens: 99}}\n"
    )
    arms = {arm.name: arm.spec.runtime.trainer for arm in load(tmp_path, CHILD + sweep).arms}
    assert (arms["b"].threads, arms["b"].micro_tokens, arms["a"].micro_tokens) == (3, 99, 99)


def test_a_role_that_plays_nothing_is_not_told_how_it_plays(tmp_path: Path) -> None:
    found = errors(tmp_path, CHILD + "structure: {kind: fixed, text: 'x = 1'}\n")
    assert "idle-role" in [one.code for one in found] and "reduce" not in [one.code for one in found]


def test_a_shipped_file_without_its_ending(tmp_path: Path) -> None:
    assert one_error(tmp_path, "extends: mxspec:quickstart\nname: x\n").hint == "did you mean 'mxspec:quickstart.yaml'?"
