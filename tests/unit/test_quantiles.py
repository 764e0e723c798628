"""Student's t: against printed tables, and against its own density."""

from __future__ import annotations

from math import gamma, pi, sqrt

import numpy as np
import pytest

from analysis.quantiles import DEGREES, t_cdf, t_quantile, t_table

PRINTED = {1: 12.7062, 2: 4.30265, 3: 3.18245, 10: 2.22814, 30: 2.04227, 100: 1.98397}


@pytest.mark.parametrize(("df", "printed"), PRINTED.items())
def test_quantiles_are_those_of_printed_tables(df: int, printed: float) -> None:
    assert t_quantile(0.975, df) == pytest.approx(printed, abs=5e-5)


@pytest.mark.parametrize("df", [1, 2, 7, 40])
def test_the_distribution_is_the_integral_of_its_density(df: int) -> None:
    x = np.linspace(0, 2.5, 20001)
    density = gamma((df + 1) / 2) / (sqrt(df * pi) * gamma(df / 2)) * (1 + x * x / df) ** (-(df + 1) / 2)
    assert t_cdf(2.5, df) == pytest.approx(0.5 + np.trapezoid(density, x), abs=1e-9)


def test_the_table_falls_towards_the_normal_quantile() -> None:
    table = dict(t_table())
    assert tuple(table) == DEGREES
    values = list(table.values())
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(1.959964, abs=3e-3)
    assert all(value > 1.959964 for value in values)
