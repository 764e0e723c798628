"""Laws that advantages obey for any rewards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mxspec.spec.rollout import Credit, Grade, Reward
from runners.credit.advantages import leave_one_out, normalise
from runners.credit.tree import DesignOutcome, ExecutionOutcome, Outcomes, assign
from runners.credit.units import Unit, credit_units

reward_values = st.one_of(st.sampled_from([0.0, 1.0, 0.1]), st.floats(-100, 100), st.just(float("nan")))
batches = st.lists(st.tuples(reward_values, st.integers(-3, 3)), min_size=1, max_size=40).map(
    lambda rows: (np.array([r for r, _ in rows]), np.array([g for _, g in rows], np.int64))
)
stds = st.sampled_from(["sample", "population", "none"])


def naive(rewards, groups, std, eps):
    """The definition, one reward at a time."""
    out = []
    for reward, group in zip(rewards, groups, strict=True):
        peers = [r for r, g in zip(rewards, groups, strict=True) if g == group and not np.isnan(r)]
        if np.isnan(reward) or len(set(peers)) < 2:
            out.append(0.0)
            continue
        spread = 1.0 if std == "none" else np.std(peers, ddof=1 if std == "sample" else 0) + eps
        out.append((reward - np.mean(peers)) / spread)
    return np.array(out)


@settings(max_examples=200, deadline=None)
@given(batches, stds)
def test_equals_the_definition(batch, std):
    result = normalise(*batch, std=std, eps=1e-6)
    np.testing.assert_allclose(result.advantage, naive(*batch, std, 1e-6), rtol=1e-6, atol=1e-6)
    assert np.isfinite(result.advantage).all()


@settings(max_examples=100, deadline=None)
@given(batches, stds)
def test_advantages_of_a_group_sum_to_zero(batch, std):
    rewards, groups = batch
    for result in (normalise(rewards, groups, std=std), leave_one_out(rewards, groups)):
        for group in set(groups.tolist()):
            assert result.advantage[groups == group].sum() == pytest.approx(0.0, abs=1e-7)


@settings(max_examples=100, deadline=None)
@given(batches, stds, st.randoms(use_true_random=False))
def test_order_of_rewards_does_not_matter(batch, std, random):
    rewards, groups = batch
    order = np.array(random.sample(range(len(rewards)), len(rewards)))
    straight = normalise(rewards, groups, std=std)
    shuffled = normalise(rewards[order], groups[order], std=std)
    np.testing.assert_allclose(shuffled.advantage, straight.advantage[order], rtol=1e-6, atol=1e-7)
    assert shuffled.zero_spread_groups == straight.zero_spread_groups
    assert shuffled.groups_of_one == straight.groups_of_one


@settings(max_examples=100, deadline=None)
@given(batches)
def test_a_reward_without_score_changes_nothing(batch):
    rewards, groups = batch
    more = normalise(np.append(rewards, np.nan), np.append(groups, groups[0]))
    np.testing.assert_array_equal(more.advantage[:-1], normalise(rewards, groups).advantage)
    assert more.advantage[-1] == 0.0


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, None, "crash"]), min_size=1, max_size=4), min_size=1, max_size=4))
def test_designs_earn_the_mean_of_their_scored_executions(rewards):
    designs = tuple(DesignOutcome(f"q/d{d}", "q", True) for d in range(len(rewards)))
    executions = tuple(
        ExecutionOutcome(f"q/d{d}/e{e}", d, {"x": None if r == "crash" else r}, failed=r == "crash")
        for d, row in enumerate(rewards)
        for e, r in enumerate(row)
    )
    credit = Credit(terms={"x": 1.0}, reduce="mean_of_executions", group=("question",), unit="sample")
    reward = Reward(terms={"x": Grade(kind="grade")}, failed_execution=-1.0)
    result = assign(Outcomes(designs, executions), reward, {"designer": credit})["designer"]
    for value, row in zip(result.reward, rewards, strict=True):
        scored = [-1.0 if r == "crash" else r for r in row if r is not None]
        assert value == pytest.approx(np.mean(scored)) if scored else np.isnan(value)


def test_any_keys_form_groups():
    """Turns of agents: keys are data, no level is built in."""
    units = [
        Unit(f"q0/e{e}/{agent}/t{t}", {"question": "q0", "agent": agent, "turn": str(t)}, float(e * (agent == "a") + t))
        for e in range(2)
        for agent in ("a", "b")
        for t in range(2)
    ]
    credit = credit_units("solver", units, unit="turn", group=["question", "agent", "turn"], std="none", eps=0.0)
    assert credit.metrics.groups == 4
    assert credit.metrics.zero_spread_groups == 2  # agent b earns the same in both executions
    assert set(credit.advantage.tolist()) == {-0.5, 0.0, 0.5}
    assert credit.groups[0] == "q0 a 0"


def test_faults_of_the_caller_are_named():
    unit = Unit("q0/d0", {"question": "q0"}, 1.0)
    with pytest.raises(ValueError, match="q0/d0 has no key 'design'"):
        credit_units("x", [unit], unit="sample", group=["design"], std="sample", eps=0.0)
    with pytest.raises(ValueError, match="reward 1 is infinite"):
        normalise(np.array([0.0, np.inf]), np.zeros(2, np.int64))
    outcomes = Outcomes((DesignOutcome("q/d", "q", True),), (ExecutionOutcome("q/d/e", 0, {"y": 1.0}),))
    reward = Reward(terms={"x": Grade(kind="grade")})
    credit = Credit(terms={"x": 1.0}, reduce="outcome", group=("question",), unit="trajectory")
    with pytest.raises(ValueError, match="no value for the reward term 'x'"):
        assign(outcomes, reward, {"executor": credit})
    with pytest.raises(ValueError, match=r"credit\.executor\.unit"):
        assign(outcomes, reward, {"executor": credit.model_copy(update={"unit": "sample"})})


def test_an_empty_batch_is_no_error():
    credit = Credit(terms={"x": 1.0}, reduce="outcome", group=("question",), unit="trajectory")
    result = assign(Outcomes((), ()), Reward(terms={"x": Grade(kind="grade")}), {"executor": credit})["executor"]
    assert result.metrics.as_dict() == {
        "units": 0,
        "excluded_units": 0,
        "groups": 0,
        "zero_spread_groups": 0,
        "groups_of_one": 0,
    }
