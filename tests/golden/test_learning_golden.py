"""Published values of losses, tokens and schedules."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from mxspec.spec.learn import Constant, Cosine, Grpo
from runners.learning.batch import collate, micro_batches
from runners.learning.loss.aggregate import token_weights
from runners.learning.loss.grpo import GrpoSums, grpo_loss
from runners.learning.loss.kl import kl
from runners.learning.loss.logprobs import logprobs_of, token_logprobs
from runners.learning.loss.sft import sft_loss
from runners.learning.merge import Totals, merge, merge_imitation
from runners.learning.rows import Row, imitation
from runners.learning.schedule import learning_rate

GRPO = Grpo(kind="grpo")


def row(response, advantage=1.0, *, prompt=(1, 2), old=None, **rest):
    return Row.of(prompt, response, old if old is not None else [-1.0] * len(response), advantage, "executor", **rest)


class Unigram(torch.nn.Module):
    """Logits that depend on no context: a token has one log-prob wherever it stands."""

    def __init__(self, logits):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.tensor(logits))

    def forward(self, *, input_ids, logits_to_keep, use_cache):
        return SimpleNamespace(logits=self.logits.expand(input_ids.shape[0], len(logits_to_keep), -1))


@pytest.mark.parametrize(
    ("aggregate", "constant", "expected"),
    [("token_mean", 1, 1.75), ("sequence_mean", 1, 1.5), ("sequence_sum", 1, 3.5), ("sequence_sum", 4, 0.875)],
)
@pytest.mark.parametrize("split", [False, True])
def test_aggregates(aggregate, constant, expected, split):
    """L10, and L11: two micro-batches of one row each add up to the same."""
    totals = Totals(tokens=4, sequences=2)
    losses = torch.tensor([1.0, 2, 2, 2])
    rows, lengths = torch.tensor([0, 1, 1, 1]), torch.tensor([1.0, 3.0])

    def share(tokens):
        return (token_weights(lengths, totals, aggregate, constant=constant)[rows] * losses)[tokens].sum()

    parts = [share(slice(0, 1)), share(slice(1, 4))] if split else [share(slice(0, 4))]
    assert sum(parts).item() == pytest.approx(expected)


@pytest.mark.parametrize("max_tokens", [3, 100])
@pytest.mark.parametrize(
    ("aggregate", "expected"), [("token_mean", 1.75), ("sequence_mean", 1.5), ("sequence_sum", 3.5)]
)
def test_aggregates_through_batches(max_tokens, aggregate, expected):
    """L10, L11: on policy the loss of a token is minus its advantage."""
    rows = [row([0], -1.0, old=[0.0]), row([0, 0, 0], -2.0, old=[0.0] * 3)]
    merged = merge(rows)
    spec = Grpo(kind="grpo", aggregate=aggregate)
    parts = micro_batches(merged.rows, max_tokens)
    assert len(parts) == (2 if max_tokens == 3 else 1)
    loss = sum(grpo_loss(torch.zeros(len(p.target)), p, merged.totals, spec)[0].item() for p in parts)
    assert loss == pytest.approx(expected)


def test_observations_between_actions_change_no_loss():
    """L12."""
    model = Unigram([0.3, -0.2, 0.1, 0.0, 0.5, -0.7])
    plain = [row([3, 4], 1.0, old=[-2.0, -1.0])]
    watched = [
        row(
            [3, 0, 1, 2, 0, 5, 4],
            1.0,
            old=[-2.0, *[math.nan] * 5, -1.0],
            action=[True, False, False, False, False, False, True],
        )
    ]
    results = []
    for rows in (plain, watched):
        merged = merge(rows)
        batch = collate(merged.rows)
        loss, sums = grpo_loss(token_logprobs(model, batch), batch, merged.totals, GRPO)
        model.zero_grad()
        loss.backward()
        results.append((loss.item(), sums, model.logits.grad.tolist()))
    assert results[0][0] == results[1][0]
    assert results[0][1] == results[1][1]
    np.testing.assert_allclose(results[0][2], results[1][2], atol=1e-7)


def test_kl_estimators():
    """L13."""
    p, q = torch.tensor(-1.0), torch.tensor(-2.0)
    assert kl(p, q, "k1").item() == 1.0
    assert kl(p, q, "k2").item() == 0.5
    assert kl(p, q, "k3").item() == pytest.approx(0.36788, abs=5e-6)


def test_temperature_of_log_probs():
    """L16."""
    logits = torch.tensor([[2.0, 0.0], [2.0, 0.0]])
    got = logprobs_of(logits, torch.tensor([0, 0]), torch.tensor([0.5, 1.0]))
    np.testing.assert_allclose(got, [-0.01815, -0.12693], atol=5e-6)
    batch = collate(merge([row([0, 0], temperature=0.5)]).rows)
    np.testing.assert_allclose(token_logprobs(Unigram([2.0, 0.0]), batch).detach(), [-0.01815] * 2, atol=5e-6)


def test_half_precision_logits_are_summed_in_single():
    logits = torch.tensor([[2.0, 0.0]], dtype=torch.bfloat16)
    got = logprobs_of(logits, torch.tensor([0]), torch.tensor([0.5]))
    assert got.dtype == torch.float32
    assert got.item() == pytest.approx(-0.01815, abs=5e-6)


def test_sampled_ids_reach_the_loss_unchanged():
    """L18: `ab` spelled as one piece and as two stay two samples, with their own ids."""
    pieces = {3: "a", 4: "b", 5: "ab"}
    one, two = [5], [3, 4]
    assert "".join(pieces[i] for i in one) == "".join(pieces[i] for i in two)
    merged = merge([row(one, 1.0), row(two, 1.0), row(one, 1.0)])
    batch = collate(merged.rows)
    got = [batch.target[batch.row == i].tolist() for i in range(2)]
    assert got == [one, two]
    assert batch.ids.tolist() == [[1, 2, 5, 0], [1, 2, 3, 4]]
    assert batch.count.tolist() == [2.0, 1.0]


def test_masks_come_from_lengths():
    """L19: the padding id is the end-of-text id."""
    eos = 9
    batch = collate(merge([row([eos], prompt=[5, 7]), row([6, eos], prompt=[5, 7])]).rows, pad=eos)
    assert batch.ids.tolist() == [[5, 7, eos, eos], [5, 7, 6, eos]]
    assert batch.mask().tolist() == [[False, False, True, False], [False, False, True, True]]
    assert batch.target.tolist() == [eos, 6, eos]


def test_an_empty_micro_batch_has_loss_zero():
    """L05."""
    model = Unigram([0.5, -0.5])
    batch = collate([])
    loss, sums = grpo_loss(token_logprobs(model, batch), batch, Totals(10, 2), GRPO)
    loss.backward()
    assert loss.item() == 0.0
    assert model.logits.grad.tolist() == [0.0, 0.0]
    assert sums == GrpoSums()
    assert sft_loss(token_logprobs(model, batch), batch, Totals(10, 2)).item() == 0.0


def test_zero_advantage_is_not_run_but_counted():
    rows = [row([3, 4], 0.0), row([3, 4], 0.0), row([5], 2.0)]
    merged = merge(rows)
    assert [one.response.tolist() for one in merged.rows] == [[5]]
    assert merged.totals == Totals(tokens=5, sequences=3)
    assert merged.dropped == 2
    batch = collate(merged.rows)
    loss, _ = grpo_loss(batch.old_logprobs.clone(), batch, merged.totals, GRPO)
    assert loss.item() == pytest.approx(-2.0 / 5)


def test_positive_and_negative_advantages_are_clipped_on_their_own_sides():
    """Merging their plain sum (0) would lose the gradient that clipping leaves."""
    merged = merge([row([5], 1.0), row([5], -1.0)])
    batch = collate(merged.rows)
    assert (batch.positive.item(), batch.negative.item(), batch.count.item()) == (1.0, -1.0, 2.0)
    logprobs = (batch.old_logprobs + math.log(1.5)).requires_grad_()
    loss, sums = grpo_loss(logprobs, batch, merged.totals, GRPO)
    loss.backward()
    assert loss.item() == pytest.approx(-(1.2 - 1.5) / 2)
    assert logprobs.grad.item() == pytest.approx(1.5 / 2)
    metrics = sums.metrics(merged.totals.tokens)
    assert metrics["clip_high"] == 0.5
    assert metrics["clip_low"] == 0.0
    assert metrics["approx_kl"] == pytest.approx(0.5 - math.log(1.5))
    assert metrics["sampled_entropy"] == 1.0


def test_on_policy_gradient_survives_clips_of_zero():
    """At r = 1 the boundary of an empty trust region still passes the gradient, as in the definition."""
    spec = Grpo(kind="grpo", clip_low=0.0, clip_high=0.0)
    merged = merge([row([5], 1.0), row([5], -0.25)])
    batch = collate(merged.rows)
    logprobs = batch.old_logprobs.clone().requires_grad_()
    grpo_loss(logprobs, batch, merged.totals, spec)[0].backward()
    assert logprobs.grad.item() == pytest.approx(-0.75 / 2)


def test_a_huge_clipped_ratio_leaves_no_nan():
    merged = merge([row([5], 1.0)])
    batch = collate(merged.rows)
    logprobs = (batch.old_logprobs + 1000.0).requires_grad_()
    loss, _ = grpo_loss(logprobs, batch, merged.totals, GRPO)
    loss.backward()
    assert loss.item() == pytest.approx(-1.2)
    assert logprobs.grad.item() == 0.0


def test_noise_in_old_log_probs_merges_and_another_policy_does_not():
    rows = [row([5], 1.0, old=[-1.0]), row([5], 1.0, old=[-1.000001]), row([5], 1.0, old=[-1.1])]
    assert [one.count for one in merge(rows).rows] == [2, 1]
    assert [one.count for one in merge(rows, tolerance=0.0).rows] == [1, 1, 1]


@pytest.mark.parametrize("other", [{"temperature": 0.5}, {"prompt": (1, 2, 3)}, {"action": [True, False]}])
def test_rows_that_differ_stay_apart(other):
    """The same ids cut elsewhere, sampled otherwise or masked otherwise are other samples."""
    assert len(merge([row([3, 4]), row([3, 4], **other)]).rows) == 2


def test_a_prompt_and_response_cut_elsewhere_stay_apart():
    assert len(merge([row([2, 3], prompt=[1]), row([3], prompt=[1, 2])]).rows) == 2


def test_recomputed_old_log_probs():
    batch = collate(merge([row([0, 1], 1.0)]).rows)
    model = Unigram([0.5, -0.5])
    fresh = batch.with_old_logprobs(token_logprobs(model, batch))
    loss, sums = grpo_loss(token_logprobs(model, fresh), fresh, Totals(2, 1), GRPO)
    assert loss.item() == pytest.approx(-1.0)
    assert sums.kl == 0.0


def test_imitation_refuses_what_has_no_weight():
    with pytest.raises(ValueError, match="negative"):
        imitation([1], [2], "designer", weight=-1.0)
    with pytest.raises(ValueError, match="no row to imitate"):
        merge_imitation([imitation([1], [2], "designer", weight=0.0)])


def test_constant_schedule():
    schedule = Constant(kind="constant", warmup=4)
    assert [learning_rate(schedule, 2.0, t) for t in range(6)] == [0.5, 1.0, 1.5, 2.0, 2.0, 2.0]
    assert learning_rate(Constant(kind="constant"), 3.0, 0) == 3.0


def test_cosine_schedule():
    schedule = Cosine(kind="cosine", warmup=2, decay=6, floor=0.1)
    got = [learning_rate(schedule, 1.0, t) for t in (0, 1, 2, 4, 6, 100)]
    np.testing.assert_allclose(got, [0.5, 1.0, 1.0, 0.55, 0.1, 0.1], rtol=1e-12)
    assert learning_rate(Cosine(kind="cosine", warmup=5, decay=3, floor=0.5), 1.0, 5) == 0.5


def test_resumed_schedule_is_the_uninterrupted_one():
    """L27: the rate is a function of the count, so that an optimizer restored at 5 goes on as if never stopped."""
    schedule = Cosine(kind="cosine", warmup=3, decay=10)

    def run(first, last, state=None):
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.AdamW([weight], lr=1.0)
        if state is not None:
            optimizer.load_state_dict(state[0])
            weight.data.copy_(state[1])
        rates = []
        for t in range(first, last):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(schedule, 0.1, t)
            rates.append(optimizer.param_groups[0]["lr"])
            weight.grad = weight.detach() * 2
            optimizer.step()
        return rates, (optimizer.state_dict(), weight.detach().clone())

    rates, (_, weight) = run(0, 10)
    early, state = run(0, 5)
    late, (_, resumed) = run(5, 10, state)
    assert rates == early + late
    assert torch.equal(weight, resumed)
