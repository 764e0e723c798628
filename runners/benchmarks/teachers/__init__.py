"""Rule-based teachers, by name: demonstrations to imitate before any reward is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from mxspec.spec.stages import Teacher
from runners.benchmarks.load import LoadedBenchmark
from runners.benchmarks.teachers import chain_arithmetic
from runners.benchmarks.teachers.demonstration import Demonstration

__all__ = ["TEACHERS", "Demonstration", "RuleBased", "demonstrations"]


class RuleBased(NamedTuple):
    """A teacher: (declaration, benchmark, seed) -> demonstrations, and the roles that it has some for."""

    demonstrate: Callable[[Teacher, LoadedBenchmark, int], Iterator[Demonstration]]
    roles: tuple[str, ...]


TEACHERS = {"chain_arithmetic": RuleBased(chain_arithmetic.demonstrate, chain_arithmetic.ROLES)}
"""All teachers, by name."""


def demonstrations(spec: Teacher, benchmark: LoadedBenchmark, *, seed: int) -> Iterator[Demonstration]:
    """The demonstrations of one epoch, a function of the arguments.

    Args:
        spec: Which teacher, how many rows per role, how imperfect.
        benchmark: Whose train split it demonstrates; nothing held out ever occurs.
        seed: Seed of the epoch.

    Raises:
        ValueError: No teacher has the name, or it does not know a role or the benchmark.
    """
    if spec.teacher not in TEACHERS:
        raise ValueError(f"no teacher {spec.teacher!r}; known are {', '.join(sorted(TEACHERS))}")
    return TEACHERS[spec.teacher].demonstrate(spec, benchmark, seed)
