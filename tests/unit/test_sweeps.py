"""Sweeps: arms times axes, zips, cases, draws; conditions, exclusions, limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxspec.load import load_spec
from mxspec.plan.make import make_plan
from tests.support.specs import SMALL, errors, load, one_error, write

LR, STEPS, RUNTIME = "learn.rl.optimizer.lr", "stages.rl.steps", "runtime.trainer.threads"


def sweep(text: str) -> str:
    return SMALL + "sweep:\n" + "".join(f"  {line}\n" for line in text.splitlines())


def names(folder: Path, text: str) -> list[str]:
    return [arm.name for arm in load(folder, sweep(text)).arms]


def ids(folder: Path, text: str) -> set[str]:
    return {run.run for run in make_plan(load(folder, sweep(text)), folder / "runs").runs}


def test_axes_multiply_arms(tmp_path: Path) -> None:
    found = names(tmp_path, f"arms: {{a: {{}}, b: {{{STEPS}: 9}}}}\naxes: {{{LR}: [1e-4, 1e-3]}}\nbaseline: b")
    assert found == ["b/lr=0.0001", "b/lr=0.001", "a/lr=0.0001", "a/lr=0.001"], "the baseline's points come first"


def test_equal_values_are_one_point(tmp_path: Path) -> None:  # C18
    assert len(names(tmp_path, f"axes: {{{LR}: [1e-4, 0.0001, 1.0e-4]}}")) == 1
    assert len(names(tmp_path, f"cases: [{{{LR}: 1e-4}}, {{{LR}: 0.0001}}, {{{LR}: 2e-4}}]")) == 2


def test_more_values_change_no_id(tmp_path: Path) -> None:  # C19
    few, more = (ids(tmp_path, f"axes: {{{LR}: [{values}]}}\nseeds: [0, 1]") for values in ("1e-4", "1e-3, 1e-4"))
    assert few < more
    assert few < ids(tmp_path, f"axes: {{{LR}: [1e-4]}}\nseeds: [2, 0, 1]")
    draws = (f"random: {{draws: {n}, seed: 3, {LR}: {{log: [1e-6, 1e-4]}}}}" for n in (3, 5))
    three, five = (ids(tmp_path, text) for text in draws)
    assert three < five and len(five) == 5


def test_axes_that_move_together(tmp_path: Path) -> None:  # C22
    found = load(tmp_path, sweep(f"zip: [{{{LR}: [1e-4, 1e-3], questions.per_step: [4, 8]}}]")).arms
    assert [(arm.changes[LR], arm.changes["questions.per_step"]) for arm in found] == [(1e-4, 4), (1e-3, 8)]
    wrong = one_error(tmp_path, sweep(f"zip: [{{{LR}: [1e-4, 1e-3], questions.per_step: [4]}}]"))
    assert wrong.code == "zip" and f"{LR} 2, questions.per_step 1" in wrong.message


def test_axes_that_move_together_name_their_points(tmp_path: Path) -> None:
    both = "zip: [{learn.rl.loss.clip_low: [0.1, 0.2], learn.rl.loss.clip_high: [0.15, 0.28]}]"
    assert names(tmp_path, both) == ["clip_low=0.1,clip_high=0.15", "clip_low=0.2,clip_high=0.28"]


def test_the_baseline_may_be_a_point(tmp_path: Path) -> None:
    text = f"baseline: {{0}}\narms: {{{{a: {{{{{STEPS}: 9}}}}, b: {{{{}}}}}}}}\naxes: {{{{{LR}: [3e-4, 7e-4]}}}}"
    assert names(tmp_path, text.format("b"))[:2] == ["b/lr=0.0003", "b/lr=0.0007"]
    first = names(tmp_path, text.format("b/lr=0.0007"))
    assert first[:2] == ["b/lr=0.0007", "a/lr=0.0003"] and len(first) == 4
    found = one_error(tmp_path, sweep(text.format("b/lr=0.7")))
    assert (found.code, found.path) == ("baseline", "sweep.baseline") and "b/lr=" in found.hint


@pytest.mark.parametrize("axis", ["rollout.limits.calls: [12, 12]", "runtime.trainer.threads: [1, 2]"])
def test_an_axis_whose_points_are_one_run_is_a_warning(tmp_path: Path, axis: str) -> None:
    (one,) = load(tmp_path, sweep(f"axes: {{{axis}}}")).warnings
    assert (one.code, one.path) == ("same-points", f"sweep.axes.{axis.partition(':')[0]}")


def test_conditions_limit_an_axis(tmp_path: Path) -> None:  # C22
    arms = "arms: {a: {}, b: {}}\n"
    assert names(tmp_path, arms + f"when: [{{arms: [b], {LR}: [1e-4, 1e-3]}}]") == ["a", "b/lr=0.0001", "b/lr=0.001"]
    text = f"axes: {{{STEPS}: [10, 20]}}\nwhen: [{{where: {{{STEPS}: 20}}, {LR}: [1e-4, 1e-3]}}]"
    assert names(tmp_path, text) == ["steps=10", "steps=20,lr=0.0001", "steps=20,lr=0.001"]


def test_exclusions_look_at_the_resolved_point(tmp_path: Path) -> None:
    text = f"arms: {{a: {{}}, wide: {{rollout.tree: {{designs: 8, executions: 1}}}}}}\naxes: {{{LR}: [1e-4, 1e-3]}}\n"
    assert names(tmp_path, text + f"exclude: [{{rollout.tree.designs: 8, {LR}: 1e-3}}]") == [
        *("a/lr=0.0001", "a/lr=0.001", "wide/lr=0.0001")
    ]
    assert len(names(tmp_path, text + f"exclude: [{{arms: [a], {LR}: [1e-4, 1e-3]}}]")) == 2
    assert one_error(tmp_path, sweep("arms: {a: {}}\nexclude: [{arms: [a]}]")).code == "no-points"
    gone = one_error(tmp_path, sweep(f"arms: {{a: {{}}, b: {{{STEPS}: 9}}}}\nbaseline: a\nexclude: [{{arms: [a]}}]"))
    assert gone.code == "baseline" and "'a'" in gone.message


def test_draws_stay_in_their_bounds(tmp_path: Path) -> None:
    text = f"random: {{draws: 40, {LR}: {{log: [1e-6, 1e-4]}}, {STEPS}: {{int: [5, 7]}}, seed: 1}}"
    arms = load(tmp_path, sweep(text)).arms
    assert all(1e-6 <= float(str(arm.changes[LR])) <= 1e-4 for arm in arms)
    assert {arm.changes[STEPS] for arm in arms} == {5, 6, 7}


def test_too_many_points_are_counted_and_not_made(tmp_path: Path) -> None:  # C23
    values = f"[{', '.join(str(n) for n in range(1, 101))}]"
    text = sweep(f"axes: {{{STEPS}: {values}, rollout.limits.calls: {values}, rollout.limits.turns: {values}}}")
    found = one_error(tmp_path, text)
    assert found.code == "too-many-points" and "1,000,000 points" in found.message


def test_equal_arms_are_one_run_with_two_names(tmp_path: Path) -> None:  # C40
    loaded = load(tmp_path, sweep(f"arms: {{main: {{}}, again: {{{STEPS}: 30}}, other: {{{STEPS}: 20}}}}\nseeds: [0]"))
    plan = make_plan(loaded, tmp_path / "runs")
    assert [run.arms for run in plan.runs] == [("main", "again"), ("other",)] and plan.named == 3


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("axes: {stages.rl.train.evry: [1]}", "unknown-key", "arm 'main' with evry=1"),
        ("arms: {a: {stages.rl.train: [executor]}}\naxes: {stages.rl.train.every: [2, 3]}", "no-such-path", "arm 'a'"),
        ("arms: {a: {}}\nwhen: [{arms: [b], questions.per_step: [8]}]", "unknown-arm", "no arm 'b'"),
        ("arms: {a: {}}\nruntime: {b: {trainer.threads: 2}}", "unknown-arm", "no arm 'b'"),
        ("axes: {seed: [1, 2]}", "no-such-path", "the seed is no axis"),
        ("arms: {a: {learn.rl.optimizer.lr: -1}}", "value", "arm 'a'"),
    ],
)
def test_errors_name_the_point(tmp_path: Path, text: str, code: str, said: str) -> None:  # C40
    found = errors(tmp_path, sweep(text))
    assert found and found[0].code == code and said in found[0].message


def test_runtime_by_arm_is_no_identity(tmp_path: Path) -> None:
    text = "arms: {a: {}, b: {learn.rl.optimizer.lr: 1e-3}}\n"
    plain, placed = (ids(tmp_path, text + more) for more in ("", "runtime: {b: {trainer.threads: 2}}"))
    assert plain == placed
    arms = load(tmp_path, sweep(text + "runtime: {b: {trainer.threads: 2}}")).arms
    assert [arm.spec.runtime.trainer.threads for arm in arms] == [1, 2]


def test_a_patched_point_is_the_point_loaded_anew(tmp_path: Path) -> None:
    base = write(tmp_path, SMALL, "base.yaml")
    changes = {LR: "2e-4", "rollout.tree": "{designs: 2, executions: 3}", "roles.executor.sampling.temperature": "0.9"}
    point = ", ".join(f"{path}: {value}" for path, value in changes.items())
    swept = load(tmp_path, sweep(f"cases: [{{{point}}}]")).arms[0].spec
    alone = load_spec(base, sets=[f"{path}={value}" for path, value in changes.items()]).whole
    assert swept == alone
    marked = (
        SMALL.replace("lr: 5e-4", "lr: '${vars.lr}'")
        + f"vars: {{lr: 5e-4}}\nsweep: {{axes: {{vars.lr: [1e-4, {3e-4}]}}}}\n"
    )
    rates = [arm.spec.learn.rl.optimizer.lr for arm in load(tmp_path, marked).arms if arm.spec.learn.rl]
    assert rates == [1e-4, 3e-4], "an axis may feed a reference"
