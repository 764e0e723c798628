"""Identical (prompt, response) rows become one, exactly.

Small policies repeat themselves: many rows of a batch are the same tokens
with different advantages. All of them have the same ratio r at every token,
and with A+ the sum of their positive and A- of their negative advantages

    sum_i min(r A_i, clip(r) A_i) = A+ min(r, 1 + high) + A- max(r, 1 - low)

because for A > 0 the lower clip never binds and for A < 0 the upper one never
does. One forward pass serves all, and value and gradient are those of the
unmerged batch; A+ and A- must stay apart, since they are clipped on different
sides. A row of advantage 0 contributes nothing and is not run at all.

Denominators (`Totals`) count the batch as it came: unmerged and undropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from runners.learning.rows import Ids, LogProbs, Mask, Row


@dataclass(frozen=True, slots=True)
class Totals:
    """What the losses of one optimizer step are divided by."""

    tokens: float
    """Action tokens."""
    sequences: float
    """Rows."""


@dataclass(frozen=True, slots=True, eq=False)
class MergedRow:
    """`count` identical rows. Shapes: prompt (p,), response, old_logprobs and action (r,)."""

    prompt: Ids
    response: Ids
    old_logprobs: LogProbs
    action: Mask | None
    role: str
    temperature: float
    positive: float
    """Sum of the positive advantages."""
    negative: float
    """Sum of the negative advantages, at most 0."""
    count: int
    positives: int
    """Rows of positive advantage."""
    negatives: int
    """Rows of negative advantage."""

    @property
    def length(self) -> int:
        """Tokens of the whole sequence."""
        return self.prompt.size + self.response.size

    @property
    def tokens(self) -> int:
        """Action tokens of one of the rows."""
        return self.response.size if self.action is None else int(self.action.sum())


@dataclass(frozen=True, slots=True)
class Merged:
    """The rows to run, and the denominators of the batch that they stand for."""

    rows: tuple[MergedRow, ...]
    totals: Totals
    dropped: int
    """Rows left out because their advantage, and that of every row like them, is 0."""


def totals(rows: Iterable[Row]) -> Totals:
    """Denominators of a reinforcement batch: every row counts once."""
    tokens = [row.tokens for row in rows]
    return Totals(tokens=float(sum(tokens)), sequences=float(len(tokens)))


def merge(rows: Sequence[Row], *, tolerance: float = 1e-5) -> Merged:
    """Merge identical rows and drop those without gradient.

    Rows are identical in role, temperature, prompt, response and action mask.
    Their old log-probs agree up to the noise of the engine's batching; the
    first row's are kept. Rows whose old log-probs differ by more than
    `tolerance` at an action token (other policy, other batch) stay apart.

    Args:
        rows: One optimizer step's samples. Leave out units without a score.
        tolerance: Largest difference of old log-probs, in nats; 0 merges equal bits only.

    Returns:
        Merged rows in the order of their first appearance.
    """
    groups: dict[tuple[str, float, bytes, bytes, bytes], list[list[Row]]] = {}
    for row in rows:
        action = b"" if row.action is None else row.action.tobytes()
        key = (row.role, row.temperature, row.prompt.tobytes(), row.response.tobytes(), action)
        versions = groups.setdefault(key, [])
        for version in versions:
            if _same_logprobs(version[0], row, tolerance):
                version.append(row)
                break
        else:
            versions.append([row])
    merged = tuple(_one(version) for versions in groups.values() for version in versions)
    kept = tuple(one for one in merged if one.tokens and (one.positives or one.negatives))
    return Merged(kept, totals(rows), dropped=len(rows) - sum(one.count for one in kept))


def merge_imitation(rows: Sequence[Row]) -> Merged:
    """Merge rows to imitate; their weights add up, in the rows and in the denominators alike.

    Raises:
        ValueError: The weights sum to zero.
    """
    merged = merge(rows)
    tokens = float(sum(row.advantage * row.tokens for row in rows))
    if tokens <= 0.0:
        raise ValueError("no row to imitate has a weight and a response token")
    return Merged(merged.rows, Totals(tokens, float(sum(row.advantage for row in rows))), merged.dropped)


def _same_logprobs(one: Row, other: Row, tolerance: float) -> bool:
    if one.old_logprobs.tobytes() == other.old_logprobs.tobytes():
        return True
    distance = np.abs(one.old_logprobs - other.old_logprobs)
    return bool((distance if one.action is None else distance[one.action]).max(initial=0.0) <= tolerance)


def _one(rows: Sequence[Row]) -> MergedRow:
    first = rows[0]
    advantages = [row.advantage for row in rows]
    return MergedRow(
        prompt=first.prompt,
        response=first.response,
        old_logprobs=first.old_logprobs,
        action=first.action,
        role=first.role,
        temperature=first.temperature,
        positive=sum((a for a in advantages if a > 0.0), 0.0),
        negative=sum((a for a in advantages if a < 0.0), 0.0),
        count=len(rows),
        positives=sum(a > 0.0 for a in advantages),
        negatives=sum(a < 0.0 for a in advantages),
    )
