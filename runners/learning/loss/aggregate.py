"""How token losses become one number.

With l the token losses of S sequences of lengths L:

    token_mean     sum of all l / sum of all L                     (DAPO, Yu et al. 2025, eq. 8)
    sequence_mean  mean over sequences of (sum l / L)              (GRPO, Shao et al. 2024, eq. 3)
    sequence_sum   mean over sequences of sum l, or of (sum l / C)
                   with a constant C in place of L                 (Dr. GRPO, Liu et al. 2025)

Each is a weight per token that knows its own sequence's length and the totals
of the whole optimizer step. The gradients of micro-batches therefore add up to
the same sum however the batch was cut, and over however many devices.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from runners.learning.merge import Totals

Aggregate = Literal["token_mean", "sequence_mean", "sequence_sum"]


def token_weights(lengths: Tensor, totals: Totals, aggregate: Aggregate, *, constant: float = 1.0) -> Tensor:
    """Weight (B,) of every token of a sequence of `lengths` (B,) tokens.

    Args:
        lengths: Action tokens of each sequence; 0 for padding rows.
        totals: Of the optimizer step, not of the micro-batch.
        aggregate: See above.
        constant: The C of `sequence_sum`.
    """
    if aggregate == "token_mean":
        return torch.full_like(lengths, 1.0 / max(totals.tokens, 1e-30))
    sequences = max(totals.sequences, 1e-30)
    if aggregate == "sequence_mean":
        return 1.0 / (lengths.clamp(min=1.0) * sequences)
    return torch.full_like(lengths, 1.0 / (sequences * constant))
