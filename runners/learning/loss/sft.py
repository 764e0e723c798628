"""Supervised fine-tuning: cross entropy of the response tokens, as a weighted mean over tokens.

With w the weight of a row and p its tokens' probabilities:

    - sum_rows w sum_tokens log p / sum_rows w L
"""

from __future__ import annotations

from torch import Tensor

from runners.learning.batch import Batch
from runners.learning.merge import Totals


def sft_loss(logprobs: Tensor, batch: Batch, totals: Totals) -> Tensor:
    """The share of one micro-batch in the loss of its optimizer step.

    Args:
        logprobs: (K,) under the current policy, with gradient.
        batch: Rows of `merge_imitation`: `positive` is their summed weight.
        totals: Weighted denominators of the whole optimizer step.
    """
    return -(batch.positive[batch.row] * logprobs).sum() / totals.tokens
