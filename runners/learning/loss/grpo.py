"""The clipped surrogate of PPO and GRPO, on merged rows.

With r = exp(log p_new - log p_old) at a token and A the advantage of its row,
the loss is the weighted sum over tokens of -min(r A, clip(r, 1 - low, 1 + high) A)
(Schulman et al. 2017, eq. 7; Shao et al. 2024, eq. 3). Over identical rows with
positive advantages summed to A+ and negative ones to A- this is

    -(A+ min(r, 1 + high) + A- max(r, 1 - low))

(see `runners.learning.merge`). Both clips are taken on log r: the same values
and gradients, and a large ratio that is clipped anyway cannot overflow into a
gradient of 0 * inf.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from mxspec.spec.learn import Grpo
from runners.learning.batch import Batch
from runners.learning.loss.aggregate import token_weights
from runners.learning.loss.kl import kl
from runners.learning.merge import Totals


@dataclass(frozen=True, slots=True)
class GrpoSums:
    """Sums over a micro-batch, weighted by the rows that were merged; they add up."""

    clipped_high: float = 0.0
    """Tokens of positive advantage above 1 + high: no gradient."""
    clipped_low: float = 0.0
    """Tokens of negative advantage below 1 - low: no gradient."""
    kl: float = 0.0
    """k3 estimate of KL(old || new)."""
    old_logprobs: float = 0.0
    run_tokens: float = 0.0
    """Tokens of rows that were run; rows of advantage 0 are not."""

    def __add__(self, other: GrpoSums) -> GrpoSums:
        return GrpoSums(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def metrics(self, tokens: float) -> dict[str, float]:
        """Means: clip fractions over all tokens of the step, KL and sampled entropy over the tokens run.

        Args:
            tokens: Action tokens of the step, those of rows that were not run included.
        """
        run = max(self.run_tokens, 1.0)
        tokens = max(tokens, 1.0)
        return {
            "clip_high": self.clipped_high / tokens,
            "clip_low": self.clipped_low / tokens,
            "approx_kl": self.kl / run,
            "sampled_entropy": -self.old_logprobs / run,
        }


def grpo_loss(logprobs: Tensor, batch: Batch, totals: Totals, spec: Grpo) -> tuple[Tensor, GrpoSums]:
    """The share of one micro-batch in the loss of its optimizer step.

    Args:
        logprobs: (K,) under the current policy, with gradient.
        batch: The micro-batch that they belong to.
        totals: Denominators of the whole optimizer step.
        spec: Clips and aggregate.

    Returns:
        A scalar; the sum over micro-batches is the loss. And sums for metrics.
    """
    weight = token_weights(batch.tokens, totals, spec.aggregate)
    positive, negative = (weight * batch.positive)[batch.row], (weight * batch.negative)[batch.row]
    log_ratio = logprobs - batch.old_logprobs
    highest, lowest = math.log1p(spec.clip_high), math.log1p(-spec.clip_low)
    # Without a negative row max(r, ..) is not evaluated: 0 * exp(large) would be NaN.
    lower = torch.where(negative < 0.0, log_ratio, torch.zeros_like(log_ratio))
    gain = positive * log_ratio.clamp(max=highest).exp() + negative * lower.clamp(min=lowest).exp()
    return -gain.sum(), _sums(log_ratio.detach(), batch, highest, lowest)


def _sums(log_ratio: Tensor, batch: Batch, highest: float, lowest: float) -> GrpoSums:
    count = batch.count[batch.row]
    divergence = kl(torch.zeros_like(log_ratio), log_ratio, "k3")
    values = torch.stack(
        [
            (batch.positives[batch.row] * (log_ratio > highest)).sum(),
            (batch.negatives[batch.row] * (log_ratio < lowest)).sum(),
            (count * divergence).sum(),
            (count * batch.old_logprobs).sum(),
            count.sum(),
        ]
    )
    return GrpoSums(*values.tolist())
