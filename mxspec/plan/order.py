"""Maps of a spec in one order, so that equal specs run equally whatever order their keys were written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from mxspec.spec import Spec
from mxspec.spec.policy import FromConfig
from mxspec.spec.roles import Role
from mxspec.spec.stages import SftStage, Teacher

T = TypeVar("T")


def by_name(items: Mapping[str, T]) -> dict[str, T]:
    """A map in the order of its keys."""
    return dict(sorted(items.items()))


def in_order(spec: Spec) -> Spec:
    """A spec with all its maps ordered by name; a role that plays any agent comes last, so that it is the fallback."""
    roles: dict[str, Role] = dict(sorted(spec.roles.items(), key=lambda item: ("*" in (item[1].agents or ()), item[0])))
    credit = {role: one.model_copy(update={"terms": by_name(one.terms)}) for role, one in by_name(spec.credit).items()}
    stages = tuple(
        stage.model_copy(update={"data": stage.data.model_copy(update={"rows": by_name(stage.data.rows)})})
        if isinstance(stage, SftStage) and isinstance(stage.data, Teacher)
        else stage
        for stage in spec.stages
    )
    policy, model = spec.policy, spec.policy.model
    if isinstance(model, FromConfig):
        policy = policy.model_copy(update={"model": model.model_copy(update={"config": by_name(model.config)})})
    return spec.model_copy(
        update={
            "policy": policy,
            "roles": roles,
            "credit": credit,
            "stages": stages,
            "reward": spec.reward.model_copy(update={"terms": by_name(spec.reward.terms)}),
            "benchmarks": by_name(spec.benchmarks),
            "evaluate": by_name(spec.evaluate),
            "sweep": None,
        }
    )
