"""Generators of questions, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from runners.benchmarks.generators import chain_arithmetic, word_problems


@dataclass(frozen=True, slots=True)
class Generator:
    """Questions from a random generator.

    Attributes:
        draw: (random generator, level) -> (text, gold).
        levels: Levels of difficulty that it knows.
    """

    draw: Callable[[Random, int], tuple[str, str]]
    levels: range


GENERATORS: dict[str, Generator] = {
    "chain_arithmetic": Generator(chain_arithmetic.draw, chain_arithmetic.LEVELS),
    "word_problems": Generator(word_problems.draw, word_problems.LEVELS),
}
"""All generators."""
