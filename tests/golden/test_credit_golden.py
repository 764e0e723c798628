"""Published values of grouping and advantage."""

import numpy as np
import pytest

from mxspec.spec.rollout import Calls, Credit, DesignOk, Grade, Reward
from runners.credit.advantages import leave_one_out, normalise
from runners.credit.tree import DesignOutcome, ExecutionOutcome, Outcomes, assign

REWARD = Reward(terms={"correct": Grade(kind="grade")}, invalid_design=0.0, failed_execution=0.0)


def designer(std="sample", eps=1e-6, **terms):
    return Credit(
        terms=terms or {"correct": 1.0},
        reduce="mean_of_executions",
        group=("question",),
        unit="sample",
        std=std,
        eps=eps,
    )


def executor(std="sample", eps=1e-6, group=("question",)):
    return Credit(terms={"correct": 1.0}, reduce="outcome", group=group, unit="trajectory", std=std, eps=eps)


def tree(rewards, question="q000"):
    """One question: a row of rewards a design; None: no score, "crash": failed."""
    designs = tuple(DesignOutcome(f"{question}/d{d}", question, True) for d in range(len(rewards)))
    executions = tuple(
        ExecutionOutcome(
            f"{question}/d{d}/e{e}", d, {"correct": None if value == "crash" else value}, failed=value == "crash"
        )
        for d, row in enumerate(rewards)
        for e, value in enumerate(row)
    )
    return Outcomes(designs, executions)


def both(rewards, designer_credit=None, executor_credit=None):
    credit = {"designer": designer_credit or designer(), "executor": executor_credit or executor()}
    result = assign(tree(rewards), REWARD, credit)
    return result["designer"], result["executor"]


@pytest.mark.parametrize(
    ("std", "eps", "expected"),
    [
        ("sample", 1e-6, [-0.707105, 0.707105]),
        ("sample", 1e-4, [-0.706907, 0.706907]),
        ("population", 1e-6, [-1, 1]),
    ],
)
def test_designer_of_two_by_two(std, eps, expected):
    """L01."""
    credit, _ = both([[1, 0], [1, 1]], designer_credit=designer(std, eps))
    assert credit.reward.tolist() == [0.5, 1.0]
    np.testing.assert_allclose(credit.advantage, expected, atol=5e-6 if std == "population" else 5e-7)


@pytest.mark.parametrize(
    ("std", "group", "expected"),
    [
        ("sample", ("question",), [0.5, -1.5, 0.5, 0.5]),
        ("population", ("question",), [0.5774, -1.7321, 0.5774, 0.5774]),
        ("none", ("question",), [0.25, -0.75, 0.25, 0.25]),
        ("sample", ("design",), [0.7071, -0.7071, 0, 0]),
        ("sample", ("question", "design"), [0.7071, -0.7071, 0, 0]),
    ],
)
def test_executor_of_two_by_two(std, group, expected):
    """L01."""
    _, credit = both([[1, 0], [1, 1]], executor_credit=executor(std, group=group))
    np.testing.assert_allclose(credit.advantage, expected, atol=1e-4)
    assert credit.metrics.zero_spread_groups == (1 if "design" in group else 0)


def test_a_trajectory_counts_once_however_many_calls_it_made():
    """L02: the outcome carries the number of calls as a term, yet nothing repeats a unit per call."""
    reward = Reward(terms={"correct": Grade(kind="grade"), "calls": Calls(kind="calls")})
    executions = tuple(
        ExecutionOutcome(f"q0/d0/e{e}", 0, {"correct": r, "calls": float(calls)})
        for e, (r, calls) in enumerate(zip([1, 0, 1, 1], [1, 3, 1, 1], strict=True))
    )
    outcomes = Outcomes((DesignOutcome("q0/d0", "q0", True),), executions)
    credit = assign(outcomes, reward, {"executor": executor()})["executor"]
    np.testing.assert_allclose(credit.advantage, [0.5, -1.5, 0.5, 0.5], atol=5e-6)
    assert credit.advantages() == {f"q0/d0/e{e}": credit.advantage[e] for e in range(4)}


def test_one_group_of_four():
    """L03."""
    result = normalise(np.array([1.0, 0, 1, 0]), np.zeros(4, np.int64))
    np.testing.assert_allclose(result.advantage, [0.866, -0.866, 0.866, -0.866], atol=5e-5)


def test_group_of_one_is_zero_and_counted():
    """L03."""
    _, credit = both([[1]])
    assert credit.advantage.tolist() == [0.0]
    assert (credit.metrics.groups_of_one, credit.metrics.zero_spread_groups) == (1, 0)


def test_equal_rewards_are_exactly_zero():
    """L04: the mean of three tenths rounds, the advantage must not."""
    result = normalise(np.full(3, 0.1), np.zeros(3, np.int64), eps=0.0)
    assert result.advantage.tolist() == [0.0, 0.0, 0.0]
    assert result.group_std.tolist() == [0.0, 0.0, 0.0]
    assert (result.zero_spread_groups, result.groups_of_one) == (1, 0)


def test_padding_enters_no_statistic():
    """L05: five rewards padded to eight rows."""
    result = normalise(np.array([1.0, 1, 0, 0, 1, np.nan, np.nan, np.nan]), np.zeros(8, np.int64))
    assert result.group_mean[0] == pytest.approx(0.6)
    assert result.group_size[0] == 5
    assert result.advantage[5:].tolist() == [0.0, 0.0, 0.0]


def test_gold_fault_leaves_the_group():
    """L06."""
    _, credit = both([[1, None, 0]])
    np.testing.assert_allclose(credit.advantage, [0.7071, 0, -0.7071], atol=5e-5)
    assert credit.metrics.reward_mean == 0.5
    assert credit.metrics.excluded_units == 1
    assert [row.reward for row in credit.rows(3)] == [1.0, None, 0.0]
    assert set(credit.advantages()) == {"q000/d0/e0", "q000/d0/e2"}


def test_failed_execution_scores_and_stays():
    """L06, L07."""
    rewards = [[1, "crash", 0, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]]
    of_designs, of_trajectories = both(rewards)
    assert of_designs.reward[0] == 0.25
    assert len(of_trajectories.rows(0)) == 16
    assert of_trajectories.group_size.tolist() == [16] * 16
    assert of_trajectories.advantage[1] == of_trajectories.advantage[2]


def test_declared_failure_reward():
    """L06: the declared value, not a constant 0."""
    reward = REWARD.model_copy(update={"failed_execution": -1.0})
    credit = assign(tree([[1, "crash"]]), reward, {"executor": executor(), "designer": designer()})
    assert credit["executor"].reward.tolist() == [1.0, -1.0]
    assert credit["designer"].reward.tolist() == [0.0]


def test_variants_on_one_group():
    """L08."""
    rewards, groups = np.array([1.0, 0, 0, 0]), np.zeros(4, np.int64)
    np.testing.assert_allclose(normalise(rewards, groups).advantage, [1.5, -0.5, -0.5, -0.5], atol=5e-6)
    assert normalise(rewards, groups, std="none").advantage.tolist() == [0.75, -0.25, -0.25, -0.25]
    np.testing.assert_allclose(leave_one_out(rewards, groups).advantage, [1, -1 / 3, -1 / 3, -1 / 3], rtol=1e-12)


def test_three_designs_of_two():
    """L09."""
    of_designs, of_trajectories = both([[1, 1], [0, 1], [0, 0]], executor_credit=executor("population"))
    assert of_designs.reward.tolist() == [1.0, 0.5, 0.0]
    np.testing.assert_allclose(of_designs.advantage, [1, 0, -1], atol=5e-6)
    np.testing.assert_allclose(of_trajectories.advantage, [1, 1, -1, 1, -1, -1], atol=5e-6)


def test_invalid_design_and_costs():
    """An invalid design earns the declared reward; a valid one its weighted terms."""
    reward = Reward(
        terms={"correct": Grade(kind="grade"), "valid": DesignOk(kind="design_ok"), "calls": Calls(kind="calls")},
        invalid_design=-0.5,
    )
    outcomes = Outcomes(
        (DesignOutcome("q0/d0", "q0", True), DesignOutcome("q0/d1", "q0", False)),
        (
            ExecutionOutcome("q0/d0/e0", 0, {"correct": 1.0, "calls": 4.0}),
            ExecutionOutcome("q0/d0/e1", 0, {"correct": 0.0, "calls": 2.0}),
        ),
    )
    credit = assign(outcomes, reward, {"designer": designer(correct=1.0, valid=0.1, calls=-0.01)})["designer"]
    np.testing.assert_allclose(credit.reward, [0.57, -0.5], rtol=1e-12)
    assert [row.group for row in credit.rows(0)] == ["q0", "q0"]
    assert [row.unit for row in credit.rows(0)] == ["sample", "sample"]
