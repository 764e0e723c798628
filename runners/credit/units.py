"""What counts once in a group's statistics, and the credit that it gets.

A unit is a node of a rollout tree with a reward: a design, a trajectory, and
in other systems a turn or a judgement. Levels are data: a unit names its keys
(`question`, `design`, `agent`, `turn`, ...) and a spec lists the ones whose
equal values form a group. The calls below a unit share its advantage and are
never counted themselves, so a trajectory of ten calls weighs as much as one
of a single call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mxspec.rundir.tables import CreditRow
from runners.credit.advantages import Std, normalise


@dataclass(frozen=True, slots=True)
class Unit:
    """One node with a reward."""

    path: str
    keys: Mapping[str, str]
    """Value of every key that it may be grouped by; of a level, the path of its node there."""
    reward: float
    """NaN: no score (gold or infrastructure fault)."""


@dataclass(frozen=True, slots=True)
class CreditMetrics:
    """One role's credit in a step, in numbers."""

    reward_mean: float
    """Over scored units; NaN where none was scored."""
    reward_std: float
    """Population spread over scored units of all groups."""
    units: int
    excluded_units: int
    groups: int
    zero_spread_groups: int
    groups_of_one: int

    def as_dict(self) -> dict[str, float]:
        """Metric name -> value; a mean over nothing is left out."""
        values = {name: float(getattr(self, name)) for name in self.__dataclass_fields__}
        return {name: value for name, value in values.items() if not np.isnan(value)}


@dataclass(frozen=True, slots=True, eq=False)
class RoleCredit:
    """Credit of all units of one role; the arrays have one value a unit, in the order given."""

    role: str
    unit: str
    paths: tuple[str, ...]
    groups: tuple[str, ...]
    reward: NDArray[np.float64]
    group_size: NDArray[np.int64]
    group_std: NDArray[np.float64]
    advantage: NDArray[np.float64]
    metrics: CreditMetrics

    def advantages(self) -> dict[str, float]:
        """Path of a unit -> advantage. Units without a score are absent: their samples stay out of the batch."""
        scored = ~np.isnan(self.reward)
        return {path: float(a) for path, a, ok in zip(self.paths, self.advantage, scored, strict=True) if ok}

    def rows(self, step: int) -> list[CreditRow]:
        """The rows of the store; a reward of None marks a unit without a score."""
        return [
            CreditRow(
                step=step,
                path=self.paths[i],
                role=self.role,
                unit=self.unit,
                group=self.groups[i],
                group_size=int(self.group_size[i]),
                group_std=float(self.group_std[i]),
                reward=None if np.isnan(self.reward[i]) else float(self.reward[i]),
                advantage=float(self.advantage[i]),
            )
            for i in range(len(self.paths))
        ]


def group_label(unit: Unit, keys: Sequence[str]) -> str:
    """The group that a unit falls in: the values of `keys`, in their order.

    Raises:
        ValueError: The unit has no such key.
    """
    missing = [key for key in keys if key not in unit.keys]
    if missing:
        raise ValueError(f"{unit.path} has no key {missing[0]!r} to group by; it has {', '.join(unit.keys)}")
    return " ".join(unit.keys[key] for key in keys)


def credit_units(
    role: str, units: Sequence[Unit], *, unit: str, group: Sequence[str], std: Std, eps: float
) -> RoleCredit:
    """Normalise the rewards of `units` over the groups that the keys `group` form.

    Args:
        role: The role that the units belong to.
        units: In any order; the result keeps it.
        unit: What a unit is called in the store, e.g. "trajectory".
        group: Keys whose equal values form a group.
        std: As in `normalise`.
        eps: As in `normalise`.

    Raises:
        ValueError: A unit lacks a key, or a reward is infinite.
    """
    labels = tuple(group_label(one, group) for one in units)
    number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    rewards = np.array([one.reward for one in units], dtype=np.float64)
    result = normalise(rewards, np.array([number[label] for label in labels], dtype=np.int64), std=std, eps=eps)
    scored = rewards[~np.isnan(rewards)]
    return RoleCredit(
        role=role,
        unit=unit,
        paths=tuple(one.path for one in units),
        groups=labels,
        reward=rewards,
        group_size=result.group_size,
        group_std=result.group_std,
        advantage=result.advantage,
        metrics=CreditMetrics(
            reward_mean=float(scored.mean()) if scored.size else float("nan"),
            reward_std=float(scored.std()) if scored.size else float("nan"),
            units=len(units),
            excluded_units=len(units) - int(scored.size),
            groups=result.groups,
            zero_spread_groups=result.zero_spread_groups,
            groups_of_one=result.groups_of_one,
        ),
    )
