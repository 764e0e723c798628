"""One training sample: the token ids that went in, the ids that came out, what they earned.

Ids travel from the engine to the loss as they were sampled; text is never
tokenised again, so two spellings of one word stay two different samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]
LogProbs = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """One sample of one role's policy. Shapes: prompt (p,), the others (r,)."""

    prompt: Ids
    response: Ids
    old_logprobs: LogProbs
    """Under the policy that sampled, at `temperature`; unread where `action` is false."""
    advantage: float
    role: str
    temperature: float = 1.0
    """Sampling temperature of the role: its loss is taken under the distribution that was sampled from."""
    action: Mask | None = None
    """Which response tokens the policy chose; None: all. Observations between actions (tool output, the
    words of other agents) are false: context of later tokens, never an action."""

    def __post_init__(self) -> None:
        assert self.prompt.dtype == np.int64 and self.response.dtype == np.int64, "token ids are int64"
        assert self.old_logprobs.dtype == np.float32, "log-probs are float32"
        assert self.prompt.size > 0, "a prompt has at least one token: the first response token follows something"
        assert self.old_logprobs.shape == self.response.shape, "one log-prob a response token"
        assert self.action is None or self.action.shape == self.response.shape, "one mark a response token"
        assert self.temperature > 0.0, "a greedy sample has no log-prob to learn from"

    @classmethod
    def of(
        cls,
        prompt: Sequence[int] | Ids,
        response: Sequence[int] | Ids,
        old_logprobs: Sequence[float] | LogProbs,
        advantage: float,
        role: str,
        *,
        temperature: float = 1.0,
        action: Sequence[bool] | Mask | None = None,
    ) -> Row:
        """A row of plain sequences."""
        return cls(
            prompt=np.asarray(prompt, dtype=np.int64),
            response=np.asarray(response, dtype=np.int64),
            old_logprobs=np.asarray(old_logprobs, dtype=np.float32),
            advantage=float(advantage),
            role=role,
            temperature=float(temperature),
            action=None if action is None else np.asarray(action, dtype=np.bool_),
        )

    @property
    def tokens(self) -> int:
        """Action tokens: those that carry loss."""
        return self.response.size if self.action is None else int(self.action.sum())


def imitation(prompt: Sequence[int] | Ids, response: Sequence[int] | Ids, role: str, *, weight: float = 1.0) -> Row:
    """A row to imitate (supervised fine-tuning): its advantage is its weight, and nothing sampled it.

    Raises:
        ValueError: The weight is negative.
    """
    if weight < 0.0:
        raise ValueError(f"weight {weight} of a row to imitate is negative")
    return Row.of(prompt, response, np.zeros(len(response), np.float32), weight, role)


def split(rows: Sequence[Row], parts: int, rng: np.random.Generator) -> list[list[Row]]:
    """Shuffled minibatches, one optimizer step each, whose sizes differ by one at most.

    Splitting comes before merging, so that each minibatch has denominators of its own.

    Args:
        rows: The rollout batch.
        parts: Number of minibatches; empty ones are left out.
        rng: Seeded by the caller from (run seed, stage, step, epoch).
    """
    if parts == 1:
        return [list(rows)] if rows else []
    order = rng.permutation(len(rows))
    return [[rows[i] for i in part] for part in np.array_split(order, parts) if len(part)]
