"""Left-to-right digit chains modulo 5, e.g. `3+4-2+1`.

Operands are the digits 0 to 4, every operation is taken modulo 5, so that what is
left after the first operation is a chain again: `3+4-2+1`, `2-2+1`, `0+1`, `1`.
The level is the number of operations.
"""

from __future__ import annotations

from random import Random

BASE = 5
LEVELS = range(1, 10)


def draw(rng: Random, level: int) -> tuple[str, str]:
    """A chain of `level` operations, each digit and operator drawn uniformly, and its value."""
    text = chain(rng, level)
    return text, str(value(text))


def chain(rng: Random, level: int) -> str:
    """A chain of `level` operations."""
    parts = [str(rng.randrange(BASE))]
    for _ in range(level):
        parts += (rng.choice("+-"), str(rng.randrange(BASE)))
    return "".join(parts)


def apply(left: int, operator: str, right: int) -> int:
    """One operation, modulo 5."""
    return (left + right if operator == "+" else left - right) % BASE


def value(text: str) -> int:
    """The value of a chain, 0 to 4."""
    total = int(text[0])
    for i in range(1, len(text), 2):
        total = apply(total, text[i], int(text[i + 1]))
    return total


def reduced(text: str) -> str:
    """A chain after its first operation; a bare digit is left as it is."""
    return text if len(text) == 1 else f"{apply(int(text[0]), text[1], int(text[2]))}{text[3:]}"
