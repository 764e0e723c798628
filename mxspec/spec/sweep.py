"""Sweeps: arms and seeds."""

from typing import Any

from mxspec.spec.base import SpecModel, leaf


class Sweep(SpecModel):
    """Named deviations from one spec, each with the same seeds."""

    baseline: str = leaf("Arm that the others are compared with.")
    arms: dict[str, dict[str, Any]] = leaf("Path -> value, by arm.", min_length=1)
    seeds: tuple[int, ...] = leaf("Replicates.", min_length=1)
