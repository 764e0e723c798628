"""Merged rows -> padded micro-batches of tensors.

Rows of like length go together, padded on the right. Every mask comes from
lengths, never from the values of tokens: the padding id may be the
end-of-text id. Losses work on the flat list of the K action tokens, so
padding and observations appear in none of their sums, and logits are asked
for only at the columns that predict an action.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from runners.learning.merge import MergedRow


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """B rows of T tokens with K action tokens among them, C columns of which predict one."""

    ids: Tensor
    """(B, T) int64, padded on the right."""
    columns: Tensor
    """(C,) int64, ascending: positions whose logits are needed."""
    row: Tensor
    """(K,) int64: row of each action token."""
    column: Tensor
    """(K,) int64: index into `columns` of the position before it."""
    target: Tensor
    """(K,) int64: its id."""
    old_logprobs: Tensor
    """(K,) float32."""
    tokens: Tensor
    """(B,) float32: action tokens of each row."""
    positive: Tensor
    """(B,) float32: sum of positive advantages."""
    negative: Tensor
    """(B,) float32: sum of negative advantages."""
    count: Tensor
    """(B,) float32: rows merged into each."""
    positives: Tensor
    """(B,) float32: of those, rows of positive advantage."""
    negatives: Tensor
    """(B,) float32: of those, rows of negative advantage."""
    temperature: Tensor
    """(B,) float32."""

    def to(self, device: torch.device | str) -> Batch:
        """The batch on a device."""
        return Batch(**{field.name: getattr(self, field.name).to(device) for field in fields(self)})

    def with_old_logprobs(self, values: Tensor) -> Batch:
        """The batch with log-probs (K,) that the learner recomputed before its first step."""
        assert values.shape == self.old_logprobs.shape, f"{values.shape} is not one log-prob an action token"
        return replace(self, old_logprobs=values.detach().float())

    def mask(self) -> Tensor:
        """(B, T) bool: action tokens."""
        mask = torch.zeros_like(self.ids, dtype=torch.bool)
        mask[self.row, self.columns[self.column] + 1] = True
        return mask


def micro_batches(rows: Sequence[MergedRow], max_tokens: int, *, pad: int = 0) -> list[Batch]:
    """Pack rows into batches of at most `max_tokens` padded tokens, longest rows first.

    Rows of one length keep their order, so the split depends on nothing but the
    rows. A row longer than the budget gets a batch of its own.

    Args:
        rows: Merged rows; each has an action token.
        max_tokens: Budget of B * T.
        pad: Any token id.
    """
    order = sorted(range(len(rows)), key=lambda i: (-rows[i].length, i))
    batches: list[list[MergedRow]] = []
    for i in order:
        # Sorted, so the first row of a batch is its longest.
        if not batches or batches[-1][0].length * (len(batches[-1]) + 1) > max_tokens:
            batches.append([])
        batches[-1].append(rows[i])
    return [collate(batch, pad=pad) for batch in batches]


def shard(batches: Sequence[Batch], rank: int, world: int, *, pad: int = 0) -> list[Batch]:
    """The micro-batches of one device, filled up with empty ones: every device runs equally many.

    Gradients of devices are to be *summed*; where they are averaged, multiply the loss by `world`.
    """
    mine = list(batches[rank::world])
    most = -(-len(batches) // world)
    return mine + [collate([], pad=pad)] * (most - len(mine))


def collate(rows: Sequence[MergedRow], *, pad: int = 0) -> Batch:
    """One batch of rows. No rows make a batch of one token without action: loss 0, gradient 0."""
    size, width = max(1, len(rows)), max((row.length for row in rows), default=1)
    ids = np.full((size, width), pad, dtype=np.int64)
    action = np.zeros((size, width), dtype=np.bool_)
    old = np.zeros((size, width), dtype=np.float32)
    for i, row in enumerate(rows):
        start, end = row.prompt.size, row.length
        ids[i, :start] = row.prompt
        ids[i, start:end] = row.response
        action[i, start:end] = True if row.action is None else row.action
        old[i, start:end] = row.old_logprobs
    at_row, at_token = np.nonzero(action)
    columns, column = np.unique(at_token - 1, return_inverse=True)
    if not columns.size:
        columns = np.zeros(1, dtype=np.int64)

    def per_row(values: Sequence[float]) -> Tensor:
        return torch.tensor([*values] or [0.0], dtype=torch.float32)

    return Batch(
        ids=torch.from_numpy(ids),
        columns=torch.from_numpy(columns),
        row=torch.from_numpy(at_row),
        column=torch.from_numpy(column),
        target=torch.from_numpy(ids[at_row, at_token]),
        old_logprobs=torch.from_numpy(old[at_row, at_token]),
        tokens=torch.from_numpy(action.sum(axis=1).astype(np.float32)),
        positive=per_row([row.positive for row in rows]),
        negative=per_row([row.negative for row in rows]),
        count=per_row([float(row.count) for row in rows]),
        positives=per_row([float(row.positives) for row in rows]),
        negatives=per_row([float(row.negatives) for row in rows]),
        temperature=per_row([row.temperature for row in rows]) if rows else torch.ones(1),
    )
