"""Values that contradict their neighbours, say a thing twice, or mean nothing; and what is right beside each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.specs import SMALL, errors, load, one_error, place_of

ROLES = "roles.designer.prompt"
LR = "learn.rl.optimizer.lr"
WRONG = {
    "an agent twice": ("roles.executor.agents=['*', '*']", "repeated", "roles.executor.agents[1]"),
    "a level twice": ("questions.from=[{use: chain_arithmetic, difficulty: [1, 1]}]", "repeated", "questions.from[0]"),
    "a use twice": (
        "questions.from=[{use: chain_arithmetic}, {use: chain_arithmetic}]",
        "repeated",
        "questions.from[1]",
    ),
    "a moment twice": ("evaluate.test.at=[end, end]", "repeated", "evaluate.test.at[1]"),
    "a key twice": ("credit.executor.group=[question, question]", "group-key", "credit.executor.group[1]"),
    "an empty prompt": (ROLES + "={format: plain, text: ''}", "value", "roles.designer.prompt.text"),
    "a system message of a plain prompt": (
        ROLES + "={format: plain, text: 'x {question}', system: hello}",
        "unread",
        "roles.designer.prompt.system",
    ),
    "a long response": ("rollout.limits.tokens=11", "limits", "rollout.limits.tokens"),
    "a floor before the peak": (
        "learn.rl.schedule={kind: cosine, warmup: 10, decay: 10}",
        "schedule",
        "learn.rl.schedule.decay",
    ),
    "no rows": ("stages.cold.data.rows.executor=0", "value", "stages.cold.data.rows.executor"),
    "rows of nobody": (
        "stages.cold.data.rows={executor: 4, designer: 4, ghost: 4}",
        "rows",
        "stages.cold.data.rows.ghost",
    ),
    "no weight": ("credit.executor.terms.correct=0", "no-signal", "credit.executor.terms"),
    "heads": ("policy.model.config.hidden_size=66", "divisibility", "policy.model.config.hidden_size"),
    "pairs": ("policy.model.config.num_key_value_heads=3", "divisibility", "policy.model.config.num_key_value_heads"),
    "betas": ("learn.rl.optimizer.betas=[0.9, 1.0]", "value", "learn.rl.optimizer.betas[1]"),
    "role rates": ("learn.rl.optimizer.role_lr={designer: 0}", "value", "learn.rl.optimizer.role_lr.designer"),
    "no limit": ("evaluate.test.on=[{use: chain_arithmetic}]", "no-limit", "evaluate.test.on[0]"),
}
RIGHT = (
    "roles.executor.agents=['*', 'solver']",
    "questions.from=[{use: chain_arithmetic, difficulty: [1]}, {use: chain_arithmetic, difficulty: [2]}]",
    "evaluate.test.at=[end, {every: 2}, {every: 3}]",
    ROLES + "={format: chat, text: '', system: 'Write about {question}'}",
    "rollout.limits.tokens=12",
    "learn.rl.schedule={kind: cosine, warmup: 10, decay: 11}",
    "policy.model.config.num_key_value_heads=2",
    "learn.rl.optimizer.betas=[0, 0.999]",
)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_one_error(tmp_path: Path, name: str) -> None:
    change, code, path = WRONG[name]
    found = one_error(tmp_path, SMALL, change)
    assert found.code == code and found.path.startswith(path) and (found.hint or code in ("value", "rows"))


@pytest.mark.parametrize("change", RIGHT)
def test_what_is_right_beside_it(tmp_path: Path, change: str) -> None:
    assert errors(tmp_path, SMALL, change) == ()


def test_rows_of_a_role_that_a_stage_no_longer_trains_are_left_out(tmp_path: Path) -> None:
    swept = SMALL + "sweep: {arms: {main: {}, one: {stages.cold.train: [executor], stages.rl.train: [executor]}}}\n"
    loaded = load(tmp_path, swept)
    rows = [arm.spec.model_dump()["stages"][0]["data"]["rows"] for arm in loaded.arms]
    assert rows == [{"executor": 64, "designer": 32}, {"executor": 64}]
    assert [sorted(arm.spec.credit) for arm in loaded.arms] == [["designer", "executor"], ["executor"]]


def test_a_role_that_is_never_its_turn_and_a_blind_one_are_warnings(tmp_path: Path) -> None:
    (never,) = load(tmp_path, SMALL, "stages.rl.train.every=30").warnings
    assert never.code == "never-trained" and "leave none of 30 for designer" in never.message
    assert not load(tmp_path, SMALL, "stages.rl.train.every=29").warnings
    (blind,) = load(tmp_path, SMALL, ROLES + "={format: plain, text: 'write a script'}").warnings
    assert blind.code == "blind-prompt" and "'designer' sees nothing of its task" in blind.message


SWEEPS = {
    "an axis without a value": (f"axes: {{{LR}: []}}", "value", "the axis has no value"),
    "the seed": ("axes: {seed: [1, 2]}", "no-such-path", "the seed is no axis"),
    "the seed in a zip": (f"zip: [{{{LR}: [1e-4, 2e-4], seed: [1, 2]}}]", "no-such-path", "the seed is no axis"),
    "two axes": (
        f"axes: {{{LR}: [1e-4], learn.rl.optimizer: [{{kind: adamw, lr: 1e-3}}]}}",
        "set-twice",
        "sweep.axes sets",
    ),
    "an axis and a zip": (f"axes: {{{LR}: [1e-4]}}\n  zip: [{{{LR}: [2e-4]}}]", "set-twice", "sweep.axes sets"),
    "an axis and cases": (
        f"axes: {{{LR}: [1e-4]}}\n  cases: [{{{LR}: 2e-4}}, {{questions.per_step: 4}}]",
        "set-twice",
        "sweep.axes sets",
    ),
    "an arm and an axis": (
        f"arms: {{a: {{}}, b: {{{LR}: 1e-5}}}}\n  axes: {{{LR}: [1e-4, 2e-4]}}",
        "set-twice",
        "the arm 'b' sets",
    ),
    "an arm below an axis": (
        f"arms: {{a: {{}}, b: {{{LR}: 1e-5}}}}\n  axes: {{learn.rl.optimizer: [{{kind: adamw, lr: 1e-3}}]}}",
        "set-twice",
        "the arm 'b' sets",
    ),
    "an axis below an arm": (
        "arms: {a: {}, b: {rollout.tree: {designs: 8, executions: 2}}}\n  axes: {rollout.tree.executions: [2, 4]}",
        None,
        "",
    ),
    "an axis of the other arm": (
        f"arms: {{a: {{}}, b: {{{LR}: 1e-5}}}}\n  when: [{{arms: [a], {LR}: [1e-4, 2e-4]}}]",
        None,
        "",
    ),
}


@pytest.mark.parametrize("name", SWEEPS)
def test_a_path_is_set_in_one_part_of_a_sweep(tmp_path: Path, name: str) -> None:
    text, code, said = SWEEPS[name]
    whole = f"{SMALL}sweep:\n  {text}\n"
    found = errors(tmp_path, whole)
    if code is None:
        assert not [one for one in found if one.code in ("set-twice", "value")], found
        return
    (one,) = found
    assert one.code == code and said in one.message and one.at is not None and one.at.file.endswith("spec.yaml")


def test_the_seed_is_told_once_at_its_key(tmp_path: Path) -> None:
    text = SMALL + "sweep: {axes: {seed: [1, 2, 3]}}\n"
    found = one_error(tmp_path, text)
    assert found.at is not None and (found.at.line, found.at.column) == place_of(text, "seed: [1, 2, 3]")
    assert "sweep.seeds" in found.hint


FAULTS = {
    "an empty distribution": (f"random: {{draws: 2, {LR}: {{}}}}", "draw", "it is empty"),
    "two distributions": (
        f"random: {{draws: 2, {LR}: {{uniform: [1, 2], choice: [3]}}}}",
        "draw",
        "uniform and choice",
    ),
    "a logarithm of 0": (f"random: {{draws: 2, {LR}: {{log: [0, 1e-3]}}}}", "draw", "a logarithm has no 0"),
    "ends in disorder": (f"random: {{draws: 2, {LR}: {{uniform: [1e-3, 1e-5]}}}}", "draw", "0.001 is more than 1e-05"),
    "nothing drawn": ("random: {draws: 2}", "draw", "nothing is drawn"),
    "names and indexes": (
        "axes: {stages.rl.steps: [20, 30], 'stages[1].steps': [40]}",
        "set-twice",
        "sets 'stages.rl.steps'",
    ),
    "twice in an arm": ("arms: {a: {stages.rl.steps: 20, 'stages[1].steps': 30}}", "set-twice", "the arm sets"),
    "a condition on a given axis": (
        "axes: {questions.per_step: [8, 16]}\n  when: [{where: {questions.per_step: 8}, questions.per_step: [24]}]",
        "set-twice",
        "sweep.axes sets",
    ),
    "a condition on nothing": (
        "axes: {questions.per_step: [8, 16]}\n  when: [{where: {questions.per_stp: 8}, learn.rl.optimizer.lr: [1e-4]}]",
        "no-such-path",
        "no part of the sweep sets 'questions.per_stp'",
    ),
    "a condition without an axis": ("arms: {a: {}}\n  when: [{arms: [a]}]", "value", "it has no axis"),
    "an empty zip": ("zip: [{}]", "value", "it has no axis"),
    "an exclusion of nowhere": (
        "axes: {questions.per_step: [8, 16]}\n  exclude: [{questions.per_stp: 8}]",
        "no-such-path",
        "no point has 'questions.per_stp'",
    ),
    "a name with a slash": ("arms: {a/b: {}}", "name", "'a/b' is no name"),
    "no name": ("arms: {'': {}}", "name", "'' is no name"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_sweep_is_told_once_at_its_place(tmp_path: Path, name: str) -> None:
    text, code, said = FAULTS[name]
    (found,) = errors(tmp_path, f"{SMALL}sweep:\n  {text}\n")
    assert found.code == code and said in found.message and found.at is not None and found.at.line > 25


def test_one_slip_of_an_axis_is_one_error(tmp_path: Path) -> None:
    for axes in (
        "questions.per_stp: [1, 2, 3], stages.rl.steps: [20, 30, 40]",
        "learn.rl.optimizer.lr: [-1], stages.rl.steps: [20, 30, 40, 50]",
        "stages[rl].steps: [20, 30]",
    ):
        assert len(errors(tmp_path, f"{SMALL}sweep: {{axes: {{{axes}}}}}\n")) == 1, axes


def test_what_is_excluded_need_not_be_right(tmp_path: Path) -> None:
    text = SMALL + (
        "sweep: {axes: {rollout.tree.designs: [1, 4], rollout.tree.executions: [1, 4]}, "
        "exclude: [{rollout.tree.designs: 1}]}\n"
    )
    assert [arm.name for arm in load(tmp_path, text).arms] == ["designs=4,executions=1", "designs=4,executions=4"]


def test_every_arm_may_train_less_than_the_spec_does(tmp_path: Path) -> None:
    for sweep in (
        "arms: {only: {stages.rl.train: [designer]}}",
        "axes: {stages.rl.train: [[designer]], questions.per_step: [8, 16]}",
        "arms: {a: {stages.rl.train: [executor]}, b: {stages.rl.train: [designer]}}, exclude: [{arms: [a]}]",
    ):
        loaded = load(tmp_path, f"{SMALL}sweep: {{{sweep}}}\n")
        assert all(list(arm.spec.credit) == ["designer"] for arm in loaded.arms)


def test_runtime_by_arm_holds_for_the_only_arm_too(tmp_path: Path) -> None:
    loaded = load(tmp_path, SMALL + "sweep: {runtime: {main: {trainer.threads: 7}}}\n")
    assert loaded.arms[0].spec.runtime.trainer.threads == 7
    assert one_error(tmp_path, SMALL + "sweep: {runtime: {main: {foo: 7}}}\n").code == "unknown-key"


def test_a_rule_that_no_point_meets_is_a_warning(tmp_path: Path) -> None:
    axes = "sweep: {axes: {questions.per_step: [8, 16]}, "
    (one,) = load(tmp_path, SMALL + axes + "exclude: [{questions.per_step: 24}]}\n").warnings
    assert one.code == "matches-nothing" and one.path == "sweep.exclude[0]"
    when = "when: [{where: {questions.per_step: 24}, learn.rl.optimizer.lr: [1e-4, 2e-4]}]}\n"
    (one,) = load(tmp_path, SMALL + axes + when).warnings
    assert one.code == "matches-nothing" and one.path == "sweep.when[0]"


def test_what_a_stage_sets_is_read_by_it_and_set_once(tmp_path: Path) -> None:
    found = one_error(tmp_path, SMALL, "stages.cold.set={questions.per_step: 4}")
    assert found.code == "unread" and "a stage of kind sft does not read questions.per_step" in found.message
    assert one_error(tmp_path, SMALL, "stages.rl.set={learn.sft.batch: 4}").code == "unread"
    twice = "stages.rl.set={questions.per_step: 16, questions: {per_step: 8, from: [{use: chain_arithmetic}]}}"
    assert one_error(tmp_path, SMALL, twice).code == "set-twice"
    assert not errors(tmp_path, SMALL, "stages.rl.set={questions.per_step: 16, rollout.tree.designs: 8}")


def test_names_that_no_path_can_lead_to(tmp_path: Path) -> None:
    said = "{at: [end], on: [{use: chain_arithmetic, limit: 3}]}"
    for name in ("''", "../../etc", "'a.b'", "'a '"):
        found = errors(tmp_path, SMALL.replace("  test: {at", f"  {name}: {said}\n  test: {{at"))
        assert [one.code for one in found] == ["name"], name


def test_sizes_of_a_model_are_counts(tmp_path: Path) -> None:
    for value in ("-4", "two", "0", "true", "1.5"):
        assert one_error(tmp_path, SMALL, f"policy.model.config.num_hidden_layers={value}").code == "value"


REFERENCES = ", ".join(['"${{vars.a{0}}}"'] * 10)


def test_references_have_bounds(tmp_path: Path) -> None:
    chain = ", ".join(f'a{n}: "${{vars.a{n - 1}}}"' for n in range(1, 400))
    long = SMALL.replace("per_step: 8", 'per_step: "${vars.a399}"') + f"vars: {{a0: 8, {chain}}}\n"
    assert {one.code for one in errors(tmp_path, long)} == {"too-deep"}
    lists = ", ".join(f"a{n}: [{REFERENCES.format(n - 1)}]" for n in range(1, 7))
    wide = SMALL + f"vars: {{a0: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1], {lists}}}\n"
    assert {one.code for one in errors(tmp_path, wide)} == {"too-large"}
    texts = ", ".join(f'a{n}: "{f"${{vars.a{n - 1}}}" * 10}"' for n in range(1, 9))
    assert {one.code for one in errors(tmp_path, SMALL + f"vars: {{a0: xxxxxxxxxx, {texts}}}\n")} == {"too-large"}


def test_a_spec_does_not_start_from_itself(tmp_path: Path) -> None:
    text = SMALL + "init: {run: {spec: spec.yaml}, stage: rl, step: 3}\n"
    assert one_error(tmp_path, text).code == "reference-cycle"


def test_yaml_that_says_a_thing_twice(tmp_path: Path) -> None:
    two = SMALL + "vars: {a: &a {x: 1}, b: {<<: *a, <<: *a}}\n"
    assert one_error(tmp_path, two).code == "duplicate-key"
    assert one_error(tmp_path, SMALL.replace("per_step: 8", "per_step: ! 8")).code == "tag"
    assert not errors(tmp_path, SMALL.replace("name: small", "name: ! 'small'"))


def test_a_fresh_role_that_nobody_trains_is_a_warning(tmp_path: Path) -> None:
    third = 'roles.third={agents: ["x*"], prompt: {format: plain, text: "{question}"}, sampling: {max_tokens: 3}}'
    (one,) = load(tmp_path, SMALL, third).warnings
    assert one.code == "untrained" and one.path == "roles.third" and "answers at random" in one.message
    assert not load(tmp_path, SMALL, third, "policy.sharing={kind: shared}").warnings


def test_an_index_is_written_in_brackets(tmp_path: Path) -> None:
    found = one_error(tmp_path, SMALL, "stages.1.steps=5")
    assert found.code == "no-such-path" and "write stages[1]" in found.hint
