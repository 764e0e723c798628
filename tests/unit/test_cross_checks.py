"""Rules across fields."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load.checks.roles import agents_in
from tests.support.specs import SMALL, changed, errors, load, one_error, write

GATED = changed(
    ("    epochs: 2\n", "    gate: {all: [{watch: evaluate.val.accuracy, at_least: 0.5}], max_epochs: 9}\n"),
    ("evaluate:\n", "evaluate:\n  val: {at: [epoch], on: [{use: chain_arithmetic, split: validation, limit: 32}]}\n"),
)
ALTERNATE = "train: {kind: alternate, order: [executor, designer], every: 10}"
FIXED = "structure: {kind: fixed, file: mas.py}"
SCRIPT = (
    "from workflow import AgentNode, Workflow\nw = Workflow()\nw.add_node(AgentNode(name='solve'))\nw.run(question)\n"
)


def test_the_small_specs_are_fine(tmp_path: Path) -> None:
    assert errors(tmp_path, SMALL) == () and errors(tmp_path, GATED) == ()
    assert load(tmp_path, SMALL).warnings == () and load(tmp_path, GATED).warnings == ()


@pytest.mark.parametrize(
    ("old", "new", "code", "path"),
    [
        ("writer: designer", "writer: desinger", "unknown-role", "structure.writer"),
        ("train: [designer, executor]", "train: [designer, exectuor]", "unknown-role", "stages.cold.train[1]"),
        ("order: [executor, designer]", "order: [executor, nobody]", "unknown-role", "stages.rl.train.order[1]"),
        (ALTERNATE, "train: [executor, executor]", "repeated-role", "stages.rl.train[1]"),
        (ALTERNATE, "train: []", "nobody-trains", "stages.rl.train"),
        ("  rl: {loss: {kind: grpo}, optimizer: {kind: adamw, lr: 5e-4}}\n", "", "missing-learn", "stages.rl.kind"),
        ("{name: rl, kind: rl", "{name: cold, kind: rl", "duplicate-stage", "stages.cold.name"),
        ("    epochs: 2\n", "", "no-end", "stages.cold"),
        ("executor: 64, designer: 32", "executor: 64", "rows", "stages.cold.data.rows"),
        (
            "terms: {correct: {kind: grade}}",
            "terms: {right: {kind: grade}}",
            "unknown-term",
            "credit.designer.terms.correct",
        ),
        ("reduce: outcome", "reduce: mean_of_executions", "reduce", "credit.executor.reduce"),
        ("unit: sample", "unit: trajectory", "unit", "credit.designer.unit"),
        ('agents: ["*"]', 'agents: ["solve"]', "agents", "roles"),
        ("max_tokens: 48", "max_tokens: 256", "context", "roles.designer.sampling.max_tokens"),
        ("max_tokens: 12", "max_tokens: 12, temperature: 0", "greedy", "roles.executor.sampling.temperature"),
        (
            "from: [{use: chain_arithmetic}]",
            "from: [{use: chain_arithmetic, split: test}]",
            "overlap",
            "questions.from[0].split",
        ),
        (
            "from: [{use: chain_arithmetic}]",
            "from: [{use: chain_arithmetic, difficulty: [9]}]",
            "difficulty",
            "questions.from[0].difficulty",
        ),
        (
            "designer: {prompt:",
            "idle: {prompt: {text: x}, sampling: {max_tokens: 3}}\n  designer: {prompt:",
            "idle-role",
            "roles.idle",
        ),
        ('text: "design {question}"', "system: x", "missing", "roles.designer.prompt"),
        (
            "name: small",
            "name: small\npolicy: {model: {tokenizer: {train_on: warm}}}",
            "tokenizer",
            "policy.model.tokenizer.train_on",
        ),
        (
            "name: small",
            "name: small\npolicy: {model: {tokenizer: {train_on: rl}}}",
            "tokenizer",
            "policy.model.tokenizer.train_on",
        ),
    ],
)
def test_one_rule_one_error(tmp_path: Path, old: str, new: str, code: str, path: str) -> None:
    found = errors(tmp_path, changed((old, new)))
    assert (code, path) in [(one.code, one.path) for one in found], found
    assert {one.code for one in found} <= {code, "unknown-term"}


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("evaluate.val.accuracy", "evaluate.vall.accuracy", "watch"),
        ("evaluate.val.accuracy", "val.accuracy", "watch"),
        ("evaluate.val.accuracy", "evaluate.test.accuracy", "watch"),
        ("at: [epoch]", "at: [end]", "watch"),
        ("split: validation", "split: test", "watch-test"),
        ("max_epochs: 9}\n", "max_epochs: 9}\n    epochs: 3\n", "two-ends"),
    ],
)
def test_what_a_gate_watches(tmp_path: Path, old: str, new: str, code: str) -> None:
    found = errors(tmp_path, changed((old, new), text=GATED))
    assert code in {one.code for one in found} and {one.code for one in found} <= {code, "watch-test"}


def test_a_group_of_one_gives_no_signal(tmp_path: Path) -> None:
    found = one_error(tmp_path, changed(("designs: 4, executions: 2", "designs: 1, executions: 4")))
    assert (found.code, found.path) == ("group-of-one", "rollout.tree.designs")
    assert found.hint == "raise designs, or train only executor"
    assert (
        errors(
            tmp_path,
            changed(("designs: 4, executions: 2", "designs: 1, executions: 4")),
            "stages.rl.train=[executor]",
        )
        == ()
    )
    by_design = changed(
        ("designs: 4, executions: 2", "designs: 4, executions: 1"),
        ("reduce: outcome, group: [question]", "reduce: outcome, group: [question, design]"),
    )
    assert one_error(tmp_path, by_design).code == "group-of-one"
    assert errors(tmp_path, changed(("designs: 4, executions: 2", "designs: 4, executions: 1"))) == ()


def test_a_plugin_is_reported_and_has_not_run(tmp_path: Path) -> None:  # C39
    write(tmp_path, "raise SystemExit('the plugin has run')", "my.py")
    (found,) = load(tmp_path, SMALL + "plugins: [./my.py]\n").warnings
    assert found.code == "untrusted-plugin" and found.path == "plugins[0]" and "./my.py" in found.message


def test_a_role_without_work_is_not_trained(tmp_path: Path) -> None:
    write(tmp_path, SCRIPT, "mas.py")
    text = changed(("structure: {kind: generated, writer: designer}", FIXED), ("designs: 4", "designs: 1"))
    codes = [(one.code, one.path) for one in errors(tmp_path, text)]
    assert ("untrainable", "stages.rl.train.order[1]") in codes and ("idle-role", "roles.designer") in codes


def test_a_fixed_script_names_agents_that_some_role_plays(tmp_path: Path) -> None:
    assert agents_in(SCRIPT) == ("solve",)
    write(tmp_path, SCRIPT, "mas.py")
    probe = "test: {structure: {kind: fixed, file: mas.py}, at: [stage_end]"
    text = changed(("test: {at: [stage_end]", probe), ('agents: ["*"]', 'agents: ["reduce"]'))
    assert [one.code for one in errors(tmp_path, text)] == ["agents", "agents"]
    write(tmp_path, "def (:", "mas.py")
    assert [one.code for one in errors(tmp_path, changed(("test: {at: [stage_end]", probe)))] == ["script"]
    (tmp_path / "mas.py").unlink()
    assert [one.code for one in errors(tmp_path, changed(("test: {at: [stage_end]", probe)))] == ["no-file"]


def test_each_agent_matches_one_role(tmp_path: Path) -> None:
    solver = 'executor: {agents: ["*"]'
    more = "  {}: {{agents: [{}], prompt: {{text: x}}, sampling: {{max_tokens: 3}}}}\n"
    fallback = changed(("  " + solver, more.format("solver", "solve, 'check_*'") + "  " + solver))
    assert errors(tmp_path, fallback) == ()
    clash = fallback.replace("  " + solver, more.format("checker", "check_all") + "  " + solver)
    assert one_error(tmp_path, clash).code == "agents"
    two = changed(("  " + solver, more.format("solver", "'*'") + "  " + solver))
    assert one_error(tmp_path, two).code == "agents"


def test_nothing_to_do(tmp_path: Path) -> None:
    text = SMALL[: SMALL.index("stages:")]
    codes = {one.code for one in errors(tmp_path, text)}
    assert "nothing-to-do" in codes


def test_data_files_have_a_path(tmp_path: Path) -> None:
    declared = "benchmarks: {b: {source: {kind: jsonl, data: rows}, grader: {kind: integer}}}\n"
    text = changed(("from: [{use: chain_arithmetic}]", "from: [{use: b}]")) + declared
    assert one_error(tmp_path, text).code == "no-data"
    assert errors(tmp_path, text + "runtime: {data: {rows: [x.jsonl]}}\n") == ()
    split = text.replace("data: rows", "data: rows, split: {test: 0.6, validation: 0.4}")
    assert one_error(tmp_path, split + "runtime: {data: {rows: [x.jsonl]}}\n").code == "split"


def test_warnings_do_not_stop(tmp_path: Path) -> None:
    text = changed(("split: test", "split: train"))
    assert [one.code for one in load(tmp_path, text).warnings] == ["train-split"]
    text = changed(("at: [stage_end]", "at: [{every: 50}]"))
    assert [one.code for one in load(tmp_path, text).warnings] == ["never-due"]


SWEEP = "sweep: {baseline: main, arms: {main: {}, joint: {stages.rl.train: [executor, designer]}}, seeds: [0, 1]}\n"


@pytest.mark.parametrize(
    ("old", "new", "code", "piece"),
    [
        ("baseline: main", "baseline: mian", "baseline", "did you mean 'main'?"),
        ("seeds: [0, 1]", "seeds: [0, 0]", "seeds", "twice"),
        ("stages.rl.train", "stages.rll.train", "no-such-path", "arm 'joint'"),
        ("[executor, designer]", "[executor, nobody]", "unknown-role", "arm 'joint'"),
        ("{stages.rl.train: [executor, designer]}", "{rollout.tree.design: 3}", "unknown-key", "arm 'joint'"),
        ("{stages.rl.train: [executor, designer]}", "{seed: 3}", "no-such-path", "arm 'joint'"),
    ],
)
def test_sweeps(tmp_path: Path, old: str, new: str, code: str, piece: str) -> None:
    found = one_error(tmp_path, SMALL + changed((old, new), text=SWEEP))
    assert found.code == code and piece in str(found)
    assert found.at and found.at.line == len(SMALL.splitlines()) + 1


def test_an_arm_takes_a_kind_of_its_own(tmp_path: Path) -> None:
    sweep = "sweep: {baseline: a, arms: {a: {}, b: {policy.sharing: {kind: shared}}}, seeds: [0]}\n"
    loaded = load(tmp_path, SMALL + sweep)
    assert [arm.spec.policy.sharing.kind for arm in loaded.arms] == ["split", "shared"]
