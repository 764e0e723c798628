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
    "two axes": (f"axes: {{{LR}: [1e-4], learn.rl.optimizer: [{{kind: adamw, lr: 1e-3}}]}}", None, ""),
    "an axis and a zip": (f"axes: {{{LR}: [1e-4]}}\n  zip: [{{{LR}: [2e-4]}}]", "set-twice", "is set by sweep.axes"),
    "an axis and cases": (
        f"axes: {{{LR}: [1e-4]}}\n  cases: [{{{LR}: 2e-4}}, {{questions.per_step: 4}}]",
        "set-twice",
        "is set by sweep.axes",
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
