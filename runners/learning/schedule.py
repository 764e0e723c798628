"""The learning rate as a function of a count, and of nothing else.

A schedule that keeps no state cannot be resumed wrongly: whoever knows the
count t (of run steps, stage steps or updates of the role: the spec's `clock`)
knows the rate.

    warm-up   lr (t + 1) / warmup                                   t < warmup
    constant  lr                                                    after it
    cosine    lr (floor + (1 - floor) (1 + cos(pi x)) / 2),         after it
              x = (t - warmup) / (decay - warmup), at most 1        (Loshchilov and Hutter 2017, eq. 5)
"""

from __future__ import annotations

import math

from mxspec.spec.learn import Constant, Cosine


def learning_rate(schedule: Constant | Cosine, base: float, t: int) -> float:
    """Rate of the update that follows `t` earlier ones.

    Args:
        schedule: From the spec.
        base: Peak rate.
        t: The schedule's clock, from 0.
    """
    assert t >= 0, "a clock starts at 0"
    if t < schedule.warmup:
        return base * (t + 1) / schedule.warmup
    if isinstance(schedule, Constant):
        return base
    if t >= schedule.decay:
        return base * schedule.floor
    x = (t - schedule.warmup) / (schedule.decay - schedule.warmup)
    return base * (schedule.floor + (1.0 - schedule.floor) * (1.0 + math.cos(math.pi * x)) / 2.0)
