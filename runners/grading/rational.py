r"""Exact rational numbers from answers: `1000`, `.4`, `10/9`, `\frac{10}{9}`, `1.5\times 10^{3}`, `1.5e3`, `2^{10}`.

Two answers that are rational are compared here and nowhere else: there is no tolerance, so `33.3` is not
`100/3`, and `1/2^{99}` is not `1/2^{98}`.
"""

from __future__ import annotations

import re
from fractions import Fraction

MOST_DIGITS = 2000
"""Digits of a number that is read; more is left to algebra, which has a deadline."""
MOST_BITS = 20_000
"""Bits of a power that is taken."""

_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?")
_POWER_OF_TEN = re.compile(
    r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(?:\*|\\times|\\cdot)\s*10\s*\^\s*(?:\{([+-]?\d{1,4})\}|(\d))"
)
_FRACTION = re.compile(
    r"([+-]?)\s*(?:(\d+)\s*)?\\frac\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"
)
_REPEATING = re.compile(r"([+-]?)(\d*)\.(\d*)\\(?:overline|bar|dot)\s*\{?(\d+)\}?")
_POWER = re.compile(r"([+-]?)\s*(\d+)\s*\^\s*(?:\{([+-]?\d{1,6})\}|(\d))")


def rational(text: str) -> Fraction | None:
    """The number that a text is, exactly; None where it is none, or one that only algebra can tell.

    Args:
        text: An answer as `spelled`.
    """
    text = text.strip()
    if not text or len(text) > MOST_DIGITS:
        return None
    if _DECIMAL.fullmatch(text):
        return Fraction(text)
    if repeating := _REPEATING.fullmatch(text):
        whole, part, period = repeating[2] or "0", repeating[3], repeating[4]
        nines = (10 ** len(period) - 1) * 10 ** len(part)
        value = Fraction(int(whole + part), 10 ** len(part)) + Fraction(int(period), nines)
        return -value if repeating[1] == "-" else value
    if scientific := _POWER_OF_TEN.fullmatch(text):
        return Fraction(scientific[1]) * Fraction(10) ** int(scientific[2] or scientific[3])
    if power := _POWER.fullmatch(text):
        base, exponent = int(power[2]), int(power[3] or power[4])
        if base.bit_length() * abs(exponent) > MOST_BITS or (base == 0 and exponent < 0):
            return None
        value = Fraction(base) ** exponent
        return -value if power[1] == "-" else value
    if fraction := _FRACTION.fullmatch(text):
        above, below = rational(fraction[3]), rational(fraction[4])
        if above is None or not below:
            return None
        value = Fraction(int(fraction[2] or 0)) + above / below
        return -value if fraction[1] == "-" else value
    left, slash, right = text.partition("/")
    if slash and "/" not in right:
        above, below = rational(_unwrapped(left)), rational(_unwrapped(right))
        return above / below if above is not None and below else None
    return None


def _unwrapped(text: str) -> str:
    text = text.strip()
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
