"""Outcomes of a rollout tree of designs and executions -> credit of every role.

An execution's reward is the weighted sum of its terms. A design earns the
mean over its executions, a trajectory its own (MetaAgent-X, section 3.2).
Where there is nothing to judge, the spec says what stands in its place:

    invalid design    `reward.invalid_design`, whatever the weights
    failed execution  `reward.failed_execution` instead of its execution's terms

Both stay in their group. Only a term of None (gold unusable, infrastructure
fault) takes an execution out, and a design with it once no execution is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from mxspec.spec.rollout import Credit, DesignOk, Reward
from runners.credit.units import RoleCredit, Unit, credit_units


@dataclass(frozen=True, slots=True)
class DesignOutcome:
    """What became of one design."""

    path: str
    question: str
    """Path of its question."""
    ok: bool
    """Its verdict is ok. Terms of kind `design_ok` are read from here."""
    terms: Mapping[str, float | None] = field(default_factory=dict)
    """Further terms that are judged per design."""


@dataclass(frozen=True, slots=True)
class ExecutionOutcome:
    """What became of one execution."""

    path: str
    design: int
    """Position of its design in the batch."""
    terms: Mapping[str, float | None]
    """Terms judged per execution; None: a gold or infrastructure fault left nothing to score."""
    failed: bool = False
    """It crashed or broke a limit: scores the declared failure reward, whatever its terms."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """One rollout batch, scored but not yet credited."""

    designs: tuple[DesignOutcome, ...]
    executions: tuple[ExecutionOutcome, ...]

    def __post_init__(self) -> None:
        for execution in self.executions:
            assert 0 <= execution.design < len(self.designs), f"{execution.path} belongs to no design of this batch"


def assign(outcomes: Outcomes, reward: Reward, credit: Mapping[str, Credit]) -> dict[str, RoleCredit]:
    """Credit of each role in `credit`.

    Args:
        outcomes: The scored tree.
        reward: What stands in for the reward where nothing can be judged.
        credit: One declaration a role: weights, reduction, group, spread.

    Returns:
        Role -> credit, of one unit a design (`mean_of_executions`) or one a trajectory (`outcome`).

    Raises:
        ValueError: A weighted term was given for neither level, a group key does
            not exist on the unit's level, or `unit` contradicts `reduce`.
    """
    return {role: _role(role, outcomes, reward, one) for role, one in credit.items()}


def _role(role: str, outcomes: Outcomes, reward: Reward, credit: Credit) -> RoleCredit:
    wanted = "sample" if credit.reduce == "mean_of_executions" else "trajectory"
    if credit.unit != wanted:
        raise ValueError(f"credit.{role}.unit: {credit.reduce} makes one reward a {wanted}, not a {credit.unit}")
    rewards = _execution_rewards(outcomes, reward, credit)
    units = (
        _design_units(outcomes, reward, rewards)
        if credit.reduce == "mean_of_executions"
        else _trajectory_units(outcomes, rewards)
    )
    return credit_units(role, units, unit=credit.unit, group=credit.group, std=credit.std, eps=credit.eps)


def _execution_rewards(outcomes: Outcomes, reward: Reward, credit: Credit) -> list[float]:
    """Weighted terms of every execution, NaN where one of them has no value."""
    by_design = [_design_terms(design, reward) for design in outcomes.designs]
    values = []
    for execution in outcomes.executions:
        design_terms = by_design[execution.design]
        shared = {name: weight for name, weight in credit.terms.items() if name in design_terms}
        own = {name: weight for name, weight in credit.terms.items() if name not in design_terms}
        total = _weighted(design_terms, shared, execution.path)
        total += reward.failed_execution if execution.failed else _weighted(execution.terms, own, execution.path)
        values.append(total)
    return values


def _design_terms(design: DesignOutcome, reward: Reward) -> dict[str, float | None]:
    ok = {name: float(design.ok) for name, term in reward.terms.items() if isinstance(term, DesignOk)}
    return {**design.terms, **ok}


def _weighted(terms: Mapping[str, float | None], weights: Mapping[str, float], path: str) -> float:
    total = 0.0
    for name, weight in weights.items():
        if name not in terms:
            raise ValueError(f"{path}: no value for the reward term {name!r}; it has {', '.join(terms) or 'none'}")
        value = terms[name]
        total += float("nan") if value is None else weight * value
    return total


def _design_units(outcomes: Outcomes, reward: Reward, rewards: Sequence[float]) -> list[Unit]:
    scored: list[list[float]] = [[] for _ in outcomes.designs]
    for execution, value in zip(outcomes.executions, rewards, strict=True):
        if not np.isnan(value):
            scored[execution.design].append(value)
    units = []
    for design, values in zip(outcomes.designs, scored, strict=True):
        if not design.ok:
            earned = reward.invalid_design
        else:
            earned = float(np.mean(values)) if values else float("nan")
        units.append(Unit(design.path, {"question": design.question, "design": design.path}, earned))
    return units


def _trajectory_units(outcomes: Outcomes, rewards: Sequence[float]) -> list[Unit]:
    units = []
    for execution, value in zip(outcomes.executions, rewards, strict=True):
        design = outcomes.designs[execution.design]
        keys = {"question": design.question, "design": design.path, "execution": execution.path}
        units.append(Unit(execution.path, keys, value))
    return units
