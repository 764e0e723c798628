"""Per-call random draws: a uniform number as a function of (seed, position) alone.

A call's tokens must not depend on which other calls share its batch, so no
generator state is shared: the number for token t of a call is SplitMix64
(Steele, Lea and Flood 2014) of the call's seed advanced by t.
"""

from __future__ import annotations

import hashlib

import numpy as np
import torch
from numpy.typing import NDArray

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


def seed_of(*parts: str | int) -> int:
    """A 64-bit seed from names and numbers, the same on every machine and in every process."""
    return _hashed("\x1f".join([f"{type(part).__name__}:{part}" for part in parts]))


class Seeds:
    """Seeds that have their first parts in common: `Seeds(a)(b)` is `seed_of(a, b)`, for less."""

    def __init__(self, *parts: str | int) -> None:
        self._start = "".join([f"{type(part).__name__}:{part}\x1f" for part in parts])

    def __call__(self, *names: str) -> int:
        """The seed of the parts and these names."""
        return _hashed(self._start + "str:" + "\x1fstr:".join(names))


def _hashed(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def uniforms(seeds: NDArray[np.uint64], position: int) -> NDArray[np.float64]:
    """Uniform numbers in [0, 1), shape (C,), for token `position` of calls with `seeds`, shape (C,)."""
    with np.errstate(over="ignore"):
        z = seeds + _GAMMA * np.uint64(position + 1)
        z = (z ^ (z >> np.uint64(30))) * _MIX1
        z = (z ^ (z >> np.uint64(27))) * _MIX2
        z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


def draw(
    logits: torch.Tensor, temperature: torch.Tensor, top_p: torch.Tensor, rows: torch.Tensor, uniform: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Draws one token per call by inverting the cumulative distribution of its row.

    Args:
        logits: Shape (R, V).
        temperature: Shape (R,); 0 is greedy, scored at temperature 1.
        top_p: Shape (R,); the nucleus that tokens are drawn from.
        rows: Shape (C,); the row that each call draws from.
        uniform: Shape (C,), float64 in [0, 1).

    Returns:
        Token ids, shape (C,), and their log-probabilities under the temperature
        (before the nucleus is cut), shape (C,), float32.
    """
    greedy = temperature == 0
    scale = torch.where(greedy, torch.ones_like(temperature), temperature)
    logprobs = torch.log_softmax(logits.float() / scale[:, None], dim=-1)  # (R, V)
    probs = logprobs.double().exp()
    if bool((top_p < 1).any()):
        ordered, order = probs.sort(dim=-1, descending=True, stable=True)
        beyond = ordered.cumsum(-1) - ordered >= top_p[:, None].double()
        probs = probs.scatter(-1, order, ordered.masked_fill(beyond, 0.0))
    cumulative = probs.cumsum(-1)[rows]  # (C, V)
    target = uniform[:, None] * cumulative[:, -1:]
    tokens = torch.searchsorted(cumulative, target, right=True).squeeze(-1).clamp_(max=logits.shape[-1] - 1)
    massless = probs[rows, tokens] == 0  # rounding at the very end of the mass
    best = greedy[rows] | massless
    if bool(best.any()):
        tokens = torch.where(best, logprobs.argmax(-1)[rows], tokens)
    return tokens, logprobs[rows, tokens]
