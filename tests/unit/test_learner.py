"""The learner: who learns, who does not, and what is left behind."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mxspec.spec.learn import AdamW, Constant, Grpo, LearnRl, LearnSft, Update
from runners.learning.learner import Clock, Learner, NonFiniteGradient
from runners.learning.rows import Row, imitation
from tests.support.policies import fabric, parameters, policies, rows

SPLIT = {"designer": "designer", "executor": "executor"}
SHARED = {"designer": "shared", "executor": "shared"}
RL = LearnRl(loss=Grpo(kind="grpo"), optimizer=AdamW(kind="adamw", lr=1e-2, weight_decay=0.1))
NOW = Clock(0, 0)


def learner(of_role: dict[str, str], *, micro_tokens: int = 4096) -> Learner:
    on = fabric()
    return Learner(policies(of_role, on=on), on, micro_tokens=micro_tokens, seed=0)


def test_a_role_that_is_not_trained_stays_bit_identical() -> None:  # L23
    one = learner(SPLIT)
    executor, designer = one.policies.by_name["executor"], one.policies.by_name["designer"]
    one.reinforce({"designer": rows("designer", 6, policy=designer)}, RL, NOW)  # moments exist on both sides
    one.reinforce({"executor": rows("executor", 6, policy=executor)}, RL, NOW)
    before, moved = parameters(designer), parameters(executor)
    for step in range(3):
        one.reinforce({"executor": rows("executor", 6, seed=step, policy=executor)}, RL, Clock(step, step))
    assert parameters(designer) == before
    assert parameters(executor) != moved


def test_steps_without_signal_take_no_optimizer_step() -> None:  # L24
    one = learner(SHARED)
    policy = one.policies.by_name["shared"]
    before = parameters(policy)
    for step in range(10):
        silent = [Row.of(r.prompt, r.response, r.old_logprobs, 0.0, r.role) for r in rows("executor", 4, seed=step)]
        metrics = one.reinforce({"executor": silent}, RL, Clock(step, step))
        assert metrics["executor", "skipped_no_signal"] == 1.0 and metrics["executor", "updates"] == 0.0
    assert parameters(policy) == before and not policy.optimizer.state_dict()["state"] and policy.updates == {}


def test_the_first_real_step_after_masked_ones_is_adams_first() -> None:  # L24
    one = learner(SHARED)
    policy = one.policies.by_name["shared"]
    for step in range(10):
        one.reinforce({"designer": []}, RL, Clock(step, step))
    plain = LearnRl(loss=Grpo(kind="grpo"), optimizer=AdamW(kind="adamw", lr=1e-3, grad_clip=None))
    weights = {name: p.detach().clone() for name, p in policy.model.named_parameters()}
    one.reinforce({"executor": rows("executor", 6, policy=policy)}, plain, NOW)
    # Adam's first step moves every parameter with a gradient by lr, whatever the gradient's size: 1.0 -> 1.0010
    moved = torch.cat([(p.detach() - weights[name]).abs().flatten() for name, p in policy.model.named_parameters()])
    assert moved.max() == pytest.approx(1e-3, rel=1e-3)
    assert moved[moved > 5e-4].median() == pytest.approx(1e-3, rel=1e-2)


def test_masked_tokens_of_a_shared_policy_change_nothing() -> None:  # L24
    with_designer, without = learner(SHARED), learner(SHARED)
    mine = rows("executor", 8, policy=without.policies.by_name["shared"])
    without.reinforce({"executor": mine}, RL, NOW)
    with_designer.reinforce({"designer": [], "executor": mine}, RL, NOW)
    assert parameters(with_designer.policies.by_name["shared"]) == parameters(without.policies.by_name["shared"])


@pytest.mark.parametrize("aggregate", ["token_mean", "sequence_mean", "sequence_sum"])
def test_the_update_does_not_depend_on_the_micro_batches(aggregate: str) -> None:  # L11
    learn = LearnRl(loss=Grpo(kind="grpo", aggregate=aggregate), optimizer=RL.optimizer)
    results = []
    for micro_tokens in (4096, 8, 1):
        one = learner(SPLIT, micro_tokens=micro_tokens)
        policy = one.policies.by_name["executor"]
        found = one.reinforce({"executor": rows("executor", 12, policy=policy)}, learn, NOW)
        results.append(found["executor", "grad_norm"])
    np.testing.assert_allclose(results, results[0], rtol=1e-5)


def test_roles_on_one_policy_learn_together_or_in_turn() -> None:
    for roles, updates in (("together", 1), ("in_turn", 2)):
        one = learner(SHARED)
        policy = one.policies.by_name["shared"]
        batch = {role: rows(role, 4, seed=i, policy=policy) for i, role in enumerate(SHARED)}
        one.reinforce(batch, RL.model_copy(update={"update": Update(roles=roles)}), NOW)
        assert policy.updates == {"rl": updates}


def test_epochs_and_minibatches_count_optimizer_steps() -> None:
    one = learner(SPLIT)
    policy = one.policies.by_name["executor"]
    learn = RL.model_copy(update={"update": Update(epochs=2, minibatches=3)})
    found = one.reinforce({"executor": rows("executor", 9, policy=policy)}, learn, NOW)
    assert policy.updates == {"rl": 6} and found["executor", "updates"] == 6.0


def test_an_advantage_pushes_its_tokens_up_and_down() -> None:
    for sign in (1.0, -1.0):
        one = learner(SPLIT)
        policy = one.policies.by_name["executor"]
        [sample] = rows("executor", 1, policy=policy)
        pushed = Row.of(sample.prompt, sample.response, sample.old_logprobs, sign, "executor")
        for step in range(5):
            one.reinforce({"executor": [pushed]}, RL, Clock(step, step))
        with torch.no_grad():
            scores = torch.log_softmax(policy.model(torch.tensor([[*sample.prompt, *sample.response]])).logits[0], -1)
        now = sum(scores[len(sample.prompt) - 1 + t, x].item() for t, x in enumerate(sample.response))
        assert (now - float(sample.old_logprobs.sum())) * sign > 0


def test_imitation_learns_its_rows_and_counts_updates() -> None:
    one = learner(SPLIT)
    learn = LearnSft(optimizer=AdamW(kind="adamw", lr=2e-2), schedule=Constant(kind="constant"), batch=8)
    shown = {role: [imitation([3, 4], [5 + i, 7, 1], role) for _ in range(16)] for i, role in enumerate(SPLIT)}
    first = one.imitate(shown, learn, NOW)
    for step in range(8):
        last = one.imitate(shown, learn, Clock(step, step))
    for role in SPLIT:
        assert last[role, "loss"] < 0.2 * first[role, "loss"]
        assert one.policies.by_name[role].updates == {"sft": 9 * 4}


def test_a_gradient_that_is_not_finite_fails_the_step_and_touches_nothing() -> None:  # L31
    one = learner(SPLIT)
    policy = one.policies.by_name["executor"]
    [sample] = rows("executor", 1, policy=policy)
    broken = Row.of(sample.prompt, sample.response, sample.old_logprobs, float("inf"), "executor")
    before = parameters(policy)
    with pytest.raises(NonFiniteGradient, match="executor"):
        one.reinforce({"executor": [broken]}, RL, NOW)
    assert parameters(policy) == before and policy.updates == {}


def test_reset_forgets_the_moments_of_the_named_roles_only() -> None:
    one = learner(SPLIT)
    batch = {role: rows(role, 4, policy=one.policies.by_name[role]) for role in SPLIT}
    one.reinforce(batch, RL, NOW)
    one.reset_moments(["designer"])
    assert not one.policies.by_name["designer"].optimizer.state_dict()["state"]
    assert one.policies.by_name["executor"].optimizer.state_dict()["state"]
