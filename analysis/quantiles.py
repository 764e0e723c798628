"""Quantiles of Student's t distribution, for intervals of means over few seeds or questions.

The distribution function is a regularised incomplete beta function, here by
its continued fraction (Abramowitz and Stegun 26.5.8, evaluated with Lentz's
method); the quantile is found by bisection. The store holds the results as a
table, so that views stay plain SQL.
"""

from __future__ import annotations

from functools import cache
from math import exp, inf, lgamma, log

DEGREES = (*range(1, 61), *range(65, 101, 5), *range(120, 201, 20), 300, 500, 1000)
"""Degrees of freedom in the store; between two, the smaller one is taken, which errs to the wide side."""


def t_quantile(probability: float, df: float) -> float:
    """The value that a t-distributed variable stays below with a probability.

    Args:
        probability: Between 0.5 and 1.
        df: Degrees of freedom, positive.

    Returns:
        The quantile, within 1e-9.
    """
    assert 0.5 < probability < 1 and df > 0
    low, high = 0.0, 1.0
    while t_cdf(high, df) < probability:
        low, high = high, high * 2
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, df) < probability else (low, middle)
    return (low + high) / 2


def t_cdf(t: float, df: float) -> float:
    """The probability that a t-distributed variable is at most `t`, for t >= 0."""
    assert t >= 0
    return 1 - 0.5 * _beta(df / 2, 0.5, df / (df + t * t))


@cache
def t_table() -> tuple[tuple[int, float], ...]:
    """(degrees of freedom, 97.5 % quantile) for intervals of 95 %."""
    return tuple((df, t_quantile(0.975, df)) for df in DEGREES)


def _beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x in (0.0, 1.0):
        return x
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1), tiny)
    value, before = d, inf
    m = 0
    while abs(value - before) > 1e-15 * abs(value):
        before, m = value, m + 1
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + term * d, tiny)
            c = _away_from_zero(1 + term / c, tiny)
            value *= c * d
    return value


def _away_from_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny
