"""Estimators of KL(p || q) from tokens drawn from p (Schulman 2020, "Approximating KL divergence").

With d = log p - log q of the drawn token:

    k1 = d                     unbiased, high variance
    k2 = d^2 / 2               biased, low variance
    k3 = exp(-d) - 1 + d       unbiased, never negative
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor

Estimator = Literal["k1", "k2", "k3"]


def kl(log_p: Tensor, log_q: Tensor, estimator: Estimator) -> Tensor:
    """Per-token estimate, of the shape of its arguments."""
    d = log_p - log_q
    if estimator == "k1":
        return d
    if estimator == "k2":
        return d.square() / 2
    return (-d).expm1() + d
