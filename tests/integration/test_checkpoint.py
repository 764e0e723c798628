"""Checkpoints: everything comes back, for split and shared policies."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from mxspec.spec.learn import AdamW, Grpo, LearnRl
from runners.learning.learner import Clock, Learner
from runners.policies.checkpoint import load_policies, save_policies
from runners.policies.policy import Policies
from tests.support.policies import fabric, parameters, policies, rows

RL = LearnRl(loss=Grpo(kind="grpo"), optimizer=AdamW(kind="adamw", lr=1e-2))
SPLIT = {"designer": "designer", "executor": "executor"}
SHARED = {"designer": "shared", "executor": "shared"}


def train(of_role: dict[str, str], mine: Policies, steps: range) -> None:
    learner = Learner(mine, fabric(), micro_tokens=4096, seed=0)
    for step in steps:
        for i, role in enumerate(of_role):
            learner.reinforce({role: rows(role, 5, seed=10 * step + i)}, RL, Clock(step, step))


@pytest.mark.parametrize("of_role", [SPLIT, SHARED])
def test_stopped_and_resumed_equals_never_stopped(of_role: dict[str, str], tmp_path: Path) -> None:  # L25
    whole = policies(of_role)
    train(of_role, whole, range(6))

    first = policies(of_role)
    train(of_role, first, range(3))
    for policy in first.by_name.values():
        policy.sync("after three")
    save_policies(tmp_path, first, fabric(), {"0:chain:train": 96})

    second = policies(of_role, seed=50)
    assert load_policies(tmp_path, second, fabric()) == {"0:chain:train": 96}
    assert all(policy.version == "after three" for policy in second.by_name.values())
    train(of_role, second, range(3, 6))
    for name, policy in whole.by_name.items():
        assert parameters(second.by_name[name]) == parameters(policy)
        assert second.by_name[name].updates == policy.updates


def test_anyone_can_load_the_weights(tmp_path: Path) -> None:
    saved = policies(SPLIT)
    save_policies(tmp_path, saved, fabric(), {})
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "executor")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "executor")
    ids = torch.tensor([[3, 4, 5]])
    with torch.no_grad():
        assert torch.equal(model(ids).logits, saved.by_name["executor"].model.eval()(ids).logits)
    assert tokenizer.eos_token_id == 1 and tokenizer.pad_token_id == 0


def test_weights_alone_leave_the_moments(tmp_path: Path) -> None:
    saved = policies(SPLIT)
    train(SPLIT, saved, range(2))
    save_policies(tmp_path, saved, fabric(), {})
    fresh = policies(SPLIT, seed=7)
    load_policies(tmp_path, fresh, fabric(), take=("weights",))
    for name, policy in fresh.by_name.items():
        assert not policy.optimizer.state_dict()["state"]
        for mine, theirs in zip(policy.model.parameters(), saved.by_name[name].model.parameters(), strict=True):
            assert torch.equal(mine, theirs)
