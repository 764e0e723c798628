"""Rewards of groups -> advantages: GRPO, Dr. GRPO and leave-one-out.

With r the rewards of one group, n of them scored:

    GRPO      (r - mean(r)) / (std(r) + eps)      Shao et al. 2024, section 4.1.2
    Dr. GRPO  r - mean(r)          (`std="none"`) Liu et al. 2025, section 3.2
    RLOO      r - mean of the others              Ahmadian et al. 2024, eq. 8

A reward of NaN is no score: a gold or infrastructure fault left nothing to
judge. It enters no statistic and its advantage is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Std = Literal["sample", "population", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class NormalisedGroups:
    """Advantages and the statistics that they came from, one value a reward (shape (n,))."""

    advantage: NDArray[np.float64]
    group_size: NDArray[np.int64]
    """Scored rewards in the group."""
    group_mean: NDArray[np.float64]
    """NaN where nothing in the group was scored."""
    group_std: NDArray[np.float64]
    """The spread by the declared definition (the sample's under "none"); 0 for fewer than two rewards."""
    groups: int
    """Groups with at least one scored reward."""
    zero_spread_groups: int
    """Groups of two or more whose rewards are all equal: no signal."""
    groups_of_one: int
    """Groups with a single scored reward: nothing to compare with."""


def normalise(
    rewards: NDArray[np.float64], groups: NDArray[np.int64], *, std: Std = "sample", eps: float = 1e-6
) -> NormalisedGroups:
    """Centre every reward on its group and divide by the group's spread.

    Groups whose rewards are all equal, and groups of one, get exactly 0.

    Args:
        rewards: Shape (n,); NaN where there is no score.
        groups: Shape (n,); equal labels form a group. Any order, any integers.
        std: "sample" (n - 1 below the root), "population" (n), or "none" (centre only).
        eps: Added to the spread; not used under "none".

    Raises:
        ValueError: Shapes differ, or a reward is infinite.
    """
    stats = _statistics(rewards, groups, ddof=0 if std == "population" else 1)
    divisor = np.ones_like(stats.group_std) if std == "none" else stats.group_std + eps
    varied = (stats.advantage != 0.0) & (divisor > 0.0)  # a spread below the smallest float, with eps 0, is none
    advantage = np.divide(stats.advantage, divisor, out=np.zeros_like(stats.advantage), where=varied)
    return _with_advantage(stats, advantage)


def leave_one_out(rewards: NDArray[np.float64], groups: NDArray[np.int64]) -> NormalisedGroups:
    """Each reward minus the mean of the others in its group: n / (n - 1) * (r - mean(r)).

    Args:
        rewards: Shape (n,); NaN where there is no score.
        groups: Shape (n,); equal labels form a group.

    Raises:
        ValueError: Shapes differ, or a reward is infinite.
    """
    stats = _statistics(rewards, groups, ddof=1)
    size = stats.group_size.astype(np.float64)
    return _with_advantage(stats, stats.advantage * size / np.maximum(size - 1.0, 1.0))


def _statistics(rewards: NDArray[np.float64], groups: NDArray[np.int64], *, ddof: int) -> NormalisedGroups:
    """Group statistics, with the centred rewards in the place of the advantage."""
    if rewards.ndim != 1 or rewards.shape != groups.shape:
        raise ValueError(f"rewards {rewards.shape} and groups {groups.shape} must be two vectors of one length")
    if np.isinf(rewards).any():
        raise ValueError(f"reward {int(np.flatnonzero(np.isinf(rewards))[0])} is infinite")
    labels, index = np.unique(groups, return_inverse=True)
    scored = ~np.isnan(rewards)
    at, values, count = index[scored], rewards[scored].astype(np.float64), len(labels)

    size = np.bincount(at, minlength=count)
    total = np.bincount(at, weights=values, minlength=count)
    mean = np.divide(total, size, out=np.full(count, np.nan), where=size > 0)
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, at, values)
    np.maximum.at(high, at, values)
    flat = low >= high  # all equal: decided on the values, so that rounding of the mean leaves no trace

    centred = np.zeros_like(rewards, dtype=np.float64)
    centred[scored] = np.where(flat[at], 0.0, values - mean[at])
    squares = np.bincount(at, weights=centred[scored] ** 2, minlength=count)
    spread = np.sqrt(squares / np.maximum(size - ddof, 1))
    return NormalisedGroups(
        advantage=centred,
        group_size=size[index],
        group_mean=mean[index],
        group_std=spread[index],
        groups=int((size > 0).sum()),
        zero_spread_groups=int((flat & (size > 1)).sum()),
        groups_of_one=int((size == 1).sum()),
    )


def _with_advantage(stats: NormalisedGroups, advantage: NDArray[np.float64]) -> NormalisedGroups:
    return NormalisedGroups(
        advantage=advantage,
        group_size=stats.group_size,
        group_mean=stats.group_mean,
        group_std=stats.group_std,
        groups=stats.groups,
        zero_spread_groups=stats.zero_spread_groups,
        groups_of_one=stats.groups_of_one,
    )
