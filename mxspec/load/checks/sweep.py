"""Sweeps: seeds are distinct."""

from __future__ import annotations

from mxspec.load.checks.where import Checker


def check_sweep(checker: Checker) -> None:
    """Checks `sweep` as a whole; each arm is checked as a spec of its own."""
    sweep = checker.spec.sweep
    if sweep is None:
        return
    seeds = sweep.seeds or ()
    for index, seed in enumerate(seeds):
        if not 0 <= seed < 2**63:
            checker.error("value", ("sweep", "seeds", index), f"{seed} is no seed", "seeds are 0 or more, below 2**63")
        if seed in seeds[:index]:
            checker.error("seeds", ("sweep", "seeds", index), f"the seed {seed} stands twice", "name each seed once")
