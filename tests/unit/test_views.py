"""Views of the store against the same numbers computed with numpy, and t quantiles against published tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.collect import collect
from analysis.publish import reading
from analysis.quantiles import DEGREES, t_cdf, t_quantile, t_table
from mxspec.rundir import Lineage, RunDir
from runners.record import Recorder
from tests.support.recorded import ArmRun, commit, describe_run, evaluation_rows, record_run, record_sweep, step_rows

QUESTIONS, EXECUTIONS = 12, 3
T = {1: 12.7062047, 2: 4.3026527, 3: 3.1824463, 4: 2.7764451, 9: 2.2621572, 11: 2.2009852, 30: 2.0422725, 60: 2.0002978}
"""97.5 % quantiles as tables print them."""


def ask(runs: Path, query: str) -> list[dict[str, object]]:
    with reading(collect(runs).store) as con:
        con.execute(query)
        names = [column[0] for column in con.description or ()]
        return [dict(zip(names, row, strict=True)) for row in con.fetchall()]


def drawn(seed: int, chance: float) -> NDArray[np.bool_]:
    """Answers of one run: questions x executions."""
    return np.random.default_rng(seed).random((QUESTIONS, EXECUTIONS)) < chance


ARMS = {"both": (0.8, (0, 1, 2)), "one": (0.5, (0, 1, 2)), "fewer": (0.6, (0, 2)), "single": (0.4, (1,))}


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[int, NDArray[np.bool_]]]]:
    """Four arms; one seed of `fewer` failed, `single` was planned with one seed, `again` is another name of `both`."""
    runs = tmp_path_factory.mktemp("runs")
    answers: dict[str, dict[int, NDArray[np.bool_]]] = {}
    members: list[ArmRun] = []
    for index, (arm, (chance, seeds)) in enumerate(ARMS.items()):
        for seed in seeds:
            run = f"{index:06d}{seed:06d}"
            right = drawn(100 * index + seed, chance)
            answers.setdefault(arm, {})[seed] = right
            early = drawn(7, 0.5).tolist()
            record_run(runs, run, {1: early, 2: right.tolist()}, seed=seed)
            members.append(ArmRun(arm, seed, run))
    broken = Recorder.start(RunDir(runs / "fffffffffff1"), from_step=0)
    broken.add([*step_rows(0), *evaluation_rows(1, [[True]], moment="end")])
    commit(broken, 0)
    broken.finish("failed", step=1, message="broke")
    members.append(ArmRun("fewer", 1, "fffffffffff1"))
    members += [ArmRun("again", one.seed, one.run) for one in members if one.arm == "both"]
    members.append(ArmRun("never", 0, "eeeeeeeeeeee"))
    record_sweep(runs, members, baseline="both")
    return runs, answers


def test_an_arm_is_a_mean_over_seeds_with_a_t_interval(
    sweep: tuple[Path, dict[str, dict[int, NDArray[np.bool_]]]],
) -> None:
    runs, answers = sweep
    found = {row["arm"]: row for row in ask(runs, "FROM ablation_detail")}
    assert list(found) == ["both", "one", "fewer", "single", "again", "never"], "in the order of the sweep"
    for arm in ("both", "one", "fewer"):
        means = np.array([one.mean() for one in answers[arm].values()])
        half = T[len(means) - 1] * means.std(ddof=1) / np.sqrt(len(means))
        row = found[arm]
        assert (row["evaluation"], row["seeds"], row["questions"]) == ("test", len(means), QUESTIONS)
        assert row["accuracy"] == pytest.approx(means.mean())
        assert (row["low"], row["high"]) == pytest.approx((means.mean() - half, means.mean() + half), abs=1e-6)
        by_question = np.mean([one.mean(axis=1) for one in answers[arm].values()], axis=0)
        assert row["se_questions"] == pytest.approx(by_question.std(ddof=1) / np.sqrt(QUESTIONS))
        assert (row["calls_per_execution"], row["tokens_per_execution"]) == (3.0, 4.0)


def test_differences_are_paired_by_seed(sweep: tuple[Path, dict[str, dict[int, NDArray[np.bool_]]]]) -> None:
    runs, answers = sweep
    found = {row["arm"]: row for row in ask(runs, "FROM ablation_detail")}
    for arm in ("one", "fewer"):
        pairs = np.array([one.mean() - answers["both"][seed].mean() for seed, one in answers[arm].items()])
        half = T[len(pairs) - 1] * pairs.std(ddof=1) / np.sqrt(len(pairs))
        row = found[arm]
        assert (row["difference"], row["pairs"]) == (pytest.approx(pairs.mean()), len(pairs))
        assert (row["difference_low"], row["difference_high"]) == pytest.approx(
            (pairs.mean() - half, pairs.mean() + half), abs=1e-6
        )


def test_nothing_is_claimed_that_one_seed_or_one_run_cannot_say(
    sweep: tuple[Path, dict[str, dict[int, NDArray[np.bool_]]]],
) -> None:
    runs, answers = sweep
    found = {row["arm"]: row for row in ask(runs, "FROM ablation_detail")}
    single = found["single"]
    assert single["accuracy"] == pytest.approx(answers["single"][1].mean())
    assert single["difference"] == pytest.approx(answers["single"][1].mean() - answers["both"][1].mean())
    assert [single[name] for name in ("low", "high", "difference_low", "difference_high")] == [None] * 4
    for arm in ("both", "again"):
        assert [found[arm][name] for name in ("difference", "difference_low", "pairs")] == [None] * 3
    assert found["again"]["accuracy"] == pytest.approx(found["both"]["accuracy"])
    assert [(found[arm]["unfinished"], found[arm]["failed"]) for arm in ("both", "fewer", "never")] == [
        (0, 0),
        (1, 1),
        (1, 0),
    ]
    never = found["never"]
    assert (never["seeds"], never["accuracy"], never["low"], never["difference"]) == (0, None, None, None)


def test_seeds_that_agree_to_the_last_digit_give_no_interval(tmp_path: Path) -> None:
    members = []
    for index, (arm, right) in enumerate({"all": [[True]] * 4, "half": [[True], [True], [False], [False]]}.items()):
        for seed in range(3):
            run = f"{index:06d}{seed:06d}"
            record_run(tmp_path, run, {1: right, 2: right}, seed=seed)
            members.append(ArmRun(arm, seed, run))
    record_sweep(tmp_path, members, baseline="all")
    _, half = ask(tmp_path, "FROM ablation_detail")
    assert (half["accuracy"], half["difference"], half["pairs"]) == (0.5, -0.5, 3)
    assert [half[name] for name in ("low", "high", "difference_low", "difference_high")] == [None] * 4


def test_the_narrow_view_says_the_same(sweep: tuple[Path, dict[str, dict[int, NDArray[np.bool_]]]]) -> None:
    runs, _ = sweep
    wide = {row["arm"]: row for row in ask(runs, "FROM ablation_detail")}
    narrow = ask(runs, "FROM ablation")
    assert [row["arm"] for row in narrow] == ["both", "one", "fewer", "single", "again", "never"]
    for row in narrow:
        of = wide[row["arm"]]
        assert [row[name] for name in ("accuracy", "low", "high", "diff", "diff_low", "diff_high")] == pytest.approx(
            [of[name] for name in ("accuracy", "low", "high", "difference", "difference_low", "difference_high")]
        )
    assert [row["planned"] for row in narrow] == [3, 3, 3, 1, 3, 1]


def test_an_evaluation_has_an_interval_over_questions(
    sweep: tuple[Path, dict[str, dict[int, NDArray[np.bool_]]]],
) -> None:
    runs, answers = sweep
    rows = ask(runs, "FROM evaluation_intervals WHERE step = 2 AND run < 'e' ORDER BY run")
    every = [one for of_arm in answers.values() for one in of_arm.values()]
    assert len(rows) == len(every)
    for row, right in zip(rows, every, strict=True):
        means = right.mean(axis=1)
        p, se = means.mean(), means.std(ddof=1) / np.sqrt(QUESTIONS)
        assert (row["accuracy"], row["se_questions"]) == (pytest.approx(p), pytest.approx(se))
        n, t = p * (1 - p) / se**2, T[QUESTIONS - 1]
        centre, half = p + t * t / (2 * n), t * np.sqrt(p * (1 - p) / n + t * t / (4 * n * n))
        low, high = (centre - half) / (1 + t * t / n), (centre + half) / (1 + t * t / n)
        assert (row["low"], row["high"]) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))
        assert 0 <= low < p < high <= 1


def test_clustering_by_question_is_the_textbook_case(tmp_path: Path) -> None:
    cases = Path(__file__).parents[1] / "golden" / "clustered.json"
    case = json.loads(cases.read_text())
    record_run(tmp_path, "aaaaaaaaaaaa", {2: case["answers"]})
    [row] = ask(tmp_path, "FROM evaluation_intervals")
    assert row["accuracy"] == pytest.approx(case["mean"])
    assert row["se_questions"] == pytest.approx(case["se_question_clustered"])


@pytest.mark.parametrize("right", [True, False])
def test_questions_that_all_agree_still_leave_doubt(tmp_path: Path, right: bool) -> None:
    record_run(tmp_path, "aaaaaaaaaaaa", {2: [[right] * 2] * 10})
    [row] = ask(tmp_path, "FROM evaluation_intervals")
    low, high = row["low"], row["high"]
    assert isinstance(low, float) and isinstance(high, float)
    edge = 10 / (10 + T[9] ** 2)
    assert (low, high) == (pytest.approx((edge, 1.0) if right else (0.0, 1 - edge)))


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shared start of two steps, two children of it, and a longer run that goes on from one of them."""
    runs = tmp_path_factory.mktemp("family")
    start, left, right, longer = "a" * 12, "b" * 12, "c" * 12, "d" * 12
    record_run(runs, start, {1: [[True, False]], 2: [[True, True]]})
    for child, parent, begin, end in ((left, start, 2, 4), (right, start, 1, 3), (longer, left, 3, 5)):
        recorder = Recorder.start(RunDir(runs / child), from_step=begin)
        describe_run(recorder.run_dir)
        recorder.lineage(Lineage(child=child, parent=parent, step=begin, state=f"{parent}{begin}"))
        for step in range(begin, end):
            recorder.add(step_rows(step))
            recorder.add(evaluation_rows(step + 1, [[False]], moment="end" if step + 1 == end else "every 1"))
            commit(recorder, step)
        recorder.finish("done", step=end)
    record_sweep(runs, [ArmRun("left", 0, left), ArmRun("longer", 0, longer)], baseline="left")
    return runs


def test_a_run_has_the_evaluations_of_its_prefix(family: Path) -> None:
    rows = ask(family, "SELECT run, step, recorded_by, accuracy FROM run_evaluations ORDER BY run, step")
    found: dict[object, list[tuple[object, str]]] = {}
    for row in rows:
        found.setdefault(str(row["run"])[0], []).append((row["step"], str(row["recorded_by"])[0]))
    assert found == {
        "a": [(1, "a"), (2, "a")],
        "b": [(1, "a"), (2, "a"), (3, "b"), (4, "b")],
        "c": [(1, "a"), (2, "c"), (3, "c")],
        "d": [(1, "a"), (2, "a"), (3, "b"), (4, "d"), (5, "d")],
    }
    steps = ask(family, "SELECT run, step FROM run_steps WHERE metric = 'accuracy' ORDER BY run, step")
    assert [row["step"] for row in steps if row["run"] == "d" * 12] == [0, 1, 2, 3, 4]
    stages = ask(family, "SELECT last_step FROM run_stages WHERE run = 'cccccccccccc' ORDER BY 1")
    assert [row["last_step"] for row in stages] == [0, 1, 2]


def test_a_learning_curve_names_who_was_trained_and_every_arm(family: Path) -> None:
    rows = ask(family, "FROM learning_curve WHERE run = 'dddddddddddd' ORDER BY step")
    assert [(row["arm"], row["step"], row["moment"], row["trained"]) for row in rows] == [
        ("longer", 1, "every 1", "executor"),
        ("longer", 2, "end", "executor"),
        ("longer", 3, "every 1", "executor"),
        ("longer", 4, "every 1", "executor"),
        ("longer", 5, "end", "executor"),
    ]
    assert all(row["low"] is None or row["low"] <= row["accuracy"] <= row["high"] for row in rows)  # type: ignore[operator]


def test_an_arm_is_judged_at_its_own_end(family: Path) -> None:
    rows = ask(family, "SELECT arm, step FROM ablation_seeds ORDER BY arm")
    assert [(row["arm"], row["step"]) for row in rows] == [("left", 4), ("longer", 5)]


def test_a_run_that_began_again_from_nothing_forgets_its_parent(tmp_path: Path) -> None:
    record_run(tmp_path, "aaaaaaaaaaaa", {1: [[True]], 2: [[True]]})
    child = RunDir(tmp_path / "bbbbbbbbbbbb")
    Recorder.start(child, from_step=2).lineage(Lineage(child=child.run, parent="a" * 12, step=2, state="s"))
    record_run(tmp_path, child.run, {1: [[False]]})
    rows = ask(tmp_path, f"SELECT recorded_by, step FROM run_evaluations WHERE run = '{child.run}'")
    assert [(row["recorded_by"], row["step"]) for row in rows] == [(child.run, 1)]


def test_arms_made_by_other_code_than_the_baseline_are_marked(tmp_path: Path) -> None:
    for run, code in (("a" * 12, "one"), ("b" * 12, "one"), ("c" * 12, "two")):
        recorder = record_run(tmp_path, run, {2: [[True]]})
        describe_run(recorder.run_dir, code=code)
    members = [ArmRun("base", 0, "a" * 12), ArmRun("same", 0, "b" * 12), ArmRun("other", 0, "c" * 12)]
    record_sweep(tmp_path, members, baseline="base")
    rows = ask(tmp_path, "SELECT arm, mixed_code FROM ablation_detail")
    assert [tuple(row.values()) for row in rows] == [("base", False), ("same", False), ("other", True)]


def test_nodes_are_the_union_of_all_levels(tmp_path: Path) -> None:
    record_run(tmp_path, "aaaaaaaaaaaa", steps=1)
    rows = ask(
        tmp_path, "SELECT level, count(*) AS n, count(parent) AS parents FROM nodes GROUP BY level ORDER BY level"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("call", 3, 3),
        ("design", 1, 1),
        ("execution", 2, 2),
        ("question", 1, 0),
    ]


def test_the_judging_evaluation_is_test_else_final_else_the_last_at_the_end(tmp_path: Path) -> None:
    for run, names, wanted in (
        ("a" * 12, ("final", "watch", "test"), "test"),
        ("b" * 12, ("zeta", "final"), "final"),
        ("c" * 12, ("watch",), "watch"),
    ):
        runs = tmp_path / run
        recorder = Recorder.start(RunDir(runs / run), from_step=0)
        describe_run(recorder.run_dir)
        for name in names:
            recorder.add(evaluation_rows(1, [[True]], moment="end", name=name))
        commit(recorder, 0)
        recorder.finish("done", step=1)
        record_sweep(runs, [ArmRun("main", 0, run)], baseline="main")
        assert [row["evaluation"] for row in ask(runs, "FROM ablation_detail")] == [wanted]


def test_quantiles_are_those_of_published_tables() -> None:
    for df, value in T.items():
        assert t_quantile(0.975, df) == pytest.approx(value, abs=1e-6)
    assert t_quantile(0.95, 5) == pytest.approx(2.0150484, abs=1e-6)
    assert t_quantile(0.995, 10) == pytest.approx(3.1692727, abs=1e-6)
    assert t_cdf(0.0, 7) == 0.5
    table = dict(t_table())
    assert tuple(table) == DEGREES and list(table.values()) == sorted(table.values(), reverse=True)
    assert 1.96 < table[max(DEGREES)] < 1.963
