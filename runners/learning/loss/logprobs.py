"""Log-probs of chosen tokens, under the distribution that they were sampled from.

A sampler at temperature tau draws from softmax(x / tau), so that

    log p(t) = x_t / tau - logsumexp(x / tau)

is the log-prob on the learner's side too; the raw softmax(x) would be another
policy's. Computed in float32 whatever the model's precision. Cutting the
distribution to its top (top-p, top-k) is not corrected for.
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from runners.learning.batch import Batch


class Output(Protocol):
    """What a causal LM returns."""

    @property
    def logits(self) -> Tensor:
        """(B, C, V)."""


class CausalLM(Protocol):
    """The call of a transformers causal LM, which computes logits at given columns only."""

    def __call__(self, *, input_ids: Tensor, logits_to_keep: Tensor, use_cache: bool) -> Output:
        """Logits (B, C, V) at the C columns of `logits_to_keep`."""


def logprobs_of(logits: Tensor, targets: Tensor, temperature: Tensor) -> Tensor:
    """Log-probs (K,) of `targets` (K,) under `logits` (K, V) at `temperature` (K,)."""
    scaled = logits.float() / temperature[:, None]
    chosen = scaled.gather(1, targets[:, None])[:, 0]
    return chosen - scaled.logsumexp(dim=1)


def token_logprobs(model: CausalLM, batch: Batch) -> Tensor:
    """Log-probs (K,) of the batch's action tokens, with gradient.

    No attention mask is passed: rows are padded on the right, so that a causal model's token
    sees nothing of the padding after it, and attention runs its faster causal kernel.
    """
    output = model(input_ids=batch.ids, logits_to_keep=batch.columns, use_cache=False)
    logits = output.logits[batch.row, batch.column]
    return logprobs_of(logits, batch.target, batch.temperature[batch.row])
