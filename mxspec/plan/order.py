"""Maps of a spec in one order, so that equal specs run equally whatever order their keys were written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from mxspec.plan.memo import OncePerObject
from mxspec.spec import Spec
from mxspec.spec.benchmark import Benchmark
from mxspec.spec.evaluate import Evaluation
from mxspec.spec.policy import FromConfig, Policy
from mxspec.spec.roles import Role
from mxspec.spec.rollout import Credit, Reward
from mxspec.spec.stages import SftStage, Stage, Teacher

T = TypeVar("T")


def by_name(items: Mapping[str, T]) -> dict[str, T]:
    """A map in the order of its keys."""
    return dict(sorted(items.items()))


def in_order(spec: Spec) -> Spec:
    """A spec with all its maps ordered by name; a role that plays any agent comes last, so that it is the fallback."""
    return spec.model_copy(
        update={
            "policy": _policy(spec.policy),
            "roles": _roles(spec.roles),
            "credit": _credit(spec.credit),
            "stages": _stages(spec.stages),
            "reward": _reward(spec.reward),
            "benchmarks": _benchmarks(spec.benchmarks),
            "evaluate": _evaluations(spec.evaluate),
            "sweep": None,
        }
    )


def _ordered_roles(roles: dict[str, Role]) -> dict[str, Role]:
    return dict(sorted(roles.items(), key=lambda item: ("*" in (item[1].agents or ()), item[0])))


def _ordered_credit(credit: dict[str, Credit]) -> dict[str, Credit]:
    return {role: one.model_copy(update={"terms": by_name(one.terms)}) for role, one in by_name(credit).items()}


def _ordered_stages(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    return tuple(
        stage.model_copy(update={"data": stage.data.model_copy(update={"rows": by_name(stage.data.rows)})})
        if isinstance(stage, SftStage) and isinstance(stage.data, Teacher)
        else stage
        for stage in stages
    )


def _ordered_policy(policy: Policy) -> Policy:
    model = policy.model
    if not isinstance(model, FromConfig):
        return policy
    return policy.model_copy(update={"model": model.model_copy(update={"config": by_name(model.config)})})


def _ordered_reward(reward: Reward) -> Reward:
    return reward.model_copy(update={"terms": by_name(reward.terms)})


def _ordered_benchmarks(benchmarks: dict[str, Benchmark]) -> dict[str, Benchmark]:
    return by_name(benchmarks)


def _ordered_evaluations(evaluate: dict[str, Evaluation]) -> dict[str, Evaluation]:
    return by_name(evaluate)


_policy = OncePerObject(_ordered_policy)
_roles = OncePerObject(_ordered_roles)
_credit = OncePerObject(_ordered_credit)
_stages = OncePerObject(_ordered_stages)
_reward = OncePerObject(_ordered_reward)
_benchmarks = OncePerObject(_ordered_benchmarks)
_evaluations = OncePerObject(_ordered_evaluations)
