"""The exact merge and the invariance to micro-batches, against the definition in float64."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from mxspec.spec.learn import Grpo
from runners.learning.batch import collate, micro_batches, shard
from runners.learning.loss.grpo import GrpoSums, grpo_loss
from runners.learning.loss.logprobs import token_logprobs
from runners.learning.loss.sft import sft_loss
from runners.learning.merge import merge, merge_imitation
from runners.learning.rows import Row, imitation, split

VOCABULARY = 7
AGGREGATES = ("token_mean", "sequence_mean", "sequence_sum")


class Output:
    def __init__(self, logits):
        self.logits = logits


class TinyLM(nn.Module):
    """A causal recurrent model with the call of a transformers model; no dropout, float32."""

    def __init__(self, seed=0):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.embed = nn.Embedding(VOCABULARY, 8)
            self.core = nn.GRU(8, 8, batch_first=True)
            self.head = nn.Linear(8, VOCABULARY)

    def forward(self, *, input_ids, logits_to_keep, use_cache):
        hidden, _ = self.core(self.embed(input_ids))
        return Output(self.head(hidden[:, logits_to_keep]))


def gradient(model, loss):
    model.zero_grad()
    loss.backward()
    return torch.cat([p.grad.flatten() for p in model.parameters()])


@st.composite
def batches(draw, max_rows=10):
    """Rows over few tokens, so that many are identical; off-policy log-probs; observations between actions."""
    kinds = draw(st.integers(1, 4))
    ids = st.integers(0, VOCABULARY - 1)
    templates = []
    for _ in range(kinds):
        prompt = draw(st.lists(ids, min_size=1, max_size=4))
        response = draw(st.lists(ids, min_size=1, max_size=6))
        action = draw(st.none() | st.lists(st.booleans(), min_size=len(response), max_size=len(response)))
        old = draw(st.lists(st.floats(-4, -0.5, width=32), min_size=len(response), max_size=len(response)))
        templates.append((prompt, response, old, action, draw(st.sampled_from([1.0, 0.6]))))
    rows = []
    for _ in range(draw(st.integers(1, max_rows))):
        prompt, response, old, action, temperature = templates[draw(st.integers(0, kinds - 1))]
        advantage = draw(st.sampled_from([0.0, 1.5, -0.5, 0.25, -2.0]) | st.floats(-2, 2))
        rows.append(Row.of(prompt, response, old, advantage, "executor", temperature=temperature, action=action))
    return rows


def naive_loss(model, rows, spec):
    """min(r A, clip(r) A), row by row and unmerged, in float64."""
    sums, lengths = [], []
    for row in rows:
        ids = torch.tensor([[*row.prompt.tolist(), *row.response.tolist()]])
        hidden, _ = model.core(model.embed(ids))
        logits = model.head(hidden)[0] / row.temperature
        start = len(row.prompt)
        action = range(len(row.response)) if row.action is None else np.flatnonzero(row.action)
        total = torch.zeros((), dtype=torch.float64)
        for k in action:
            logp = logits[start + k - 1].log_softmax(0)[row.response[k]]
            r = (logp - float(row.old_logprobs[k])).exp()
            clipped = r.clamp(1 - spec.clip_low, 1 + spec.clip_high)
            total = total - torch.minimum(r * row.advantage, clipped * row.advantage)
        sums.append(total)
        lengths.append(len(action))
    if spec.aggregate == "token_mean":
        return sum(sums) / max(sum(lengths), 1)
    if spec.aggregate == "sequence_mean":
        return sum(s / max(n, 1) for s, n in zip(sums, lengths, strict=True)) / len(rows)
    return sum(sums) / len(rows)


def total_loss(model, parts, totals, spec):
    loss, sums = torch.zeros(()), GrpoSums()
    for part in parts:
        one, more = grpo_loss(token_logprobs(model, part), part, totals, spec)
        loss, sums = loss + one, sums + more
    return loss, sums


@settings(max_examples=60, deadline=None)
@given(batches(), st.sampled_from(AGGREGATES), st.sampled_from([(0.2, 0.2), (0.2, 0.28), (0.0, 0.0)]))
def test_merged_loss_and_gradient_are_those_of_the_definition(rows, aggregate, clips):
    spec = Grpo(kind="grpo", clip_low=clips[0], clip_high=clips[1], aggregate=aggregate)
    model = TinyLM().double()
    expected = naive_loss(model, rows, spec)
    wanted = gradient(model, expected) if expected.requires_grad else None

    merged = merge(rows, tolerance=0.0)
    small = TinyLM()
    loss, _ = total_loss(small, micro_batches(merged.rows, 1000) or [collate([])], merged.totals, spec)
    assert loss.item() == pytest.approx(expected.item(), rel=2e-5, abs=2e-6)
    got = gradient(small, loss)
    if wanted is not None:
        scale = max(1.0, float(wanted.abs().max()))
        torch.testing.assert_close(got.double() / scale, wanted / scale, rtol=0, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(batches(), st.integers(1, 40), st.integers(1, 3), st.sampled_from(AGGREGATES))
def test_any_split_over_micro_batches_and_devices_gives_one_gradient(rows, max_tokens, world, aggregate):
    """L11."""
    spec = Grpo(kind="grpo", aggregate=aggregate)
    merged = merge(rows)
    model = TinyLM()
    whole = [collate(merged.rows)]
    loss, sums = total_loss(model, whole, merged.totals, spec)
    wanted = gradient(model, loss)

    parts = micro_batches(merged.rows, max_tokens)
    devices = [shard(parts, rank, world) for rank in range(world)]
    assert len({len(device) for device in devices}) == 1
    got = torch.zeros_like(wanted)
    again = GrpoSums()
    for device in devices:
        for part in device:
            one, more = grpo_loss(token_logprobs(model, part), part, merged.totals, spec)
            got += gradient(model, one)
            again = again + more
    scale = max(1.0, float(wanted.abs().max()))
    torch.testing.assert_close(got / scale, wanted / scale, rtol=0, atol=1e-6)
    assert again.run_tokens == sums.run_tokens
    assert (again.clipped_high, again.clipped_low) == (sums.clipped_high, sums.clipped_low)


@settings(max_examples=60, deadline=None)
@given(batches())
def test_merge_keeps_sums_and_totals(rows):
    merged = merge(rows, tolerance=0.0)
    assert sum(one.count for one in merged.rows) + merged.dropped == len(rows)
    assert merged.totals.sequences == len(rows)
    assert merged.totals.tokens == sum(row.tokens for row in rows)
    kept = [row for row in rows if row.tokens]
    assert sum(one.positive for one in merged.rows) == pytest.approx(sum(max(row.advantage, 0) for row in kept))
    assert sum(one.negative for one in merged.rows) == pytest.approx(sum(min(row.advantage, 0) for row in kept))
    marks = [
        (one.temperature, one.prompt.tobytes(), one.response.tobytes(), str(one.action), one.old_logprobs.tobytes())
        for one in merged.rows
    ]
    assert len(set(marks)) == len(marks)


@settings(max_examples=40, deadline=None)
@given(batches(), st.integers(1, 60))
def test_batches_hold_every_row_within_the_budget(rows, max_tokens):
    merged = merge(rows).rows
    parts = micro_batches(merged, max_tokens, pad=VOCABULARY - 1)
    assert sum(int((part.count > 0).sum()) for part in parts) == len(merged)
    for part in parts:
        assert part.ids.numel() <= max_tokens or part.ids.shape[0] == 1
    targets = sorted(t for part in parts for t in part.target.tolist())
    assert targets == sorted(
        int(t) for one in merged for t in (one.response if one.action is None else one.response[one.action])
    )


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 2), min_size=1, max_size=2),
            st.lists(st.integers(0, 2), min_size=1, max_size=3),
            st.sampled_from([1.0, 0.5, 2.0]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_sft_is_a_weighted_mean_over_tokens(samples):
    model = TinyLM()
    merged = merge_imitation([imitation(p, r, "designer", weight=w) for p, r, w in samples])
    loss = sum(sft_loss(token_logprobs(model, part), part, merged.totals) for part in micro_batches(merged.rows, 12))
    total, weight = 0.0, 0.0
    for prompt, response, w in samples:
        hidden, _ = model.core(model.embed(torch.tensor([prompt + response])))
        logp = model.head(hidden)[0, len(prompt) - 1 : -1].log_softmax(-1)
        total -= w * float(logp.gather(1, torch.tensor(response)[:, None]).sum().detach())
        weight += w * len(response)
    assert loss.item() == pytest.approx(total / weight, rel=1e-5)


@settings(max_examples=30, deadline=None)
@given(batches(max_rows=20), st.integers(1, 5), st.integers(0, 2**32))
def test_minibatches_part_the_rows(rows, parts, seed):
    first = split(rows, parts, np.random.default_rng(seed))
    again = split(rows, parts, np.random.default_rng(seed))
    assert [[id(r) for r in part] for part in first] == [[id(r) for r in part] for part in again]
    assert sorted(id(r) for part in first for r in part) == sorted(map(id, rows))
    assert max(map(len, first)) - min(map(len, first)) <= 1
