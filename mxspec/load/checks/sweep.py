"""Sweeps: the baseline is an arm, seeds are distinct."""

from __future__ import annotations

from mxspec.load.checks.where import Checker
from mxspec.load.errors import did_you_mean


def check_sweep(checker: Checker) -> None:
    """Checks `sweep` as a whole; each arm is checked as a spec of its own."""
    sweep = checker.spec.sweep
    if sweep is None:
        return
    if sweep.baseline not in sweep.arms:
        arms = list(sweep.arms)
        hint = did_you_mean(sweep.baseline, arms) or f"arms are {', '.join(arms)}"
        checker.error("baseline", ("sweep", "baseline"), f"no arm {sweep.baseline!r}", hint)
    for index, seed in enumerate(sweep.seeds):
        if seed < 0:
            checker.error("value", ("sweep", "seeds", index), f"{seed} is negative", "seeds are 0 or more")
        if seed in sweep.seeds[:index]:
            checker.error("seeds", ("sweep", "seeds", index), f"the seed {seed} stands twice", "name each seed once")
