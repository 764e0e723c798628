"""Log-probs and losses on a transformers causal LM: logits at chosen columns only, padded batches."""

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from mxspec.spec.learn import Grpo
from runners.learning.batch import collate, micro_batches
from runners.learning.loss.grpo import grpo_loss
from runners.learning.loss.logprobs import token_logprobs
from runners.learning.merge import merge
from runners.learning.rows import Row

EOS = 31


def model():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = LlamaConfig(
            vocab_size=32,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            initializer_range=0.25,
        )
        return LlamaForCausalLM(config)


def rows():
    rng = np.random.default_rng(0)
    templates = [
        (rng.integers(0, 31, rng.integers(1, 6)), [*rng.integers(0, 31, rng.integers(0, 5)), EOS]) for _ in range(6)
    ]
    chosen = [templates[i] for i in rng.integers(0, 6, 20)]
    return [Row.of(p, r, np.full(len(r), -3.0), rng.normal(), "executor", temperature=0.7) for p, r in chosen]


def test_padded_columns_equal_one_full_forward_a_row():
    llama = model()
    merged = merge(rows())
    batch = collate(merged.rows, pad=EOS)
    got = token_logprobs(llama, batch)
    for i, one in enumerate(merged.rows):
        ids = torch.from_numpy(np.concatenate([one.prompt, one.response]))[None]
        logits = llama(input_ids=ids).logits[0, len(one.prompt) - 1 : -1] / 0.7
        wanted = logits.log_softmax(-1).gather(1, torch.from_numpy(one.response)[:, None])[:, 0]
        torch.testing.assert_close(got[batch.row == i], wanted, rtol=0, atol=2e-6)


def test_gradient_of_merged_micro_batches_equals_the_unmerged_batch():
    spec = Grpo(kind="grpo")
    llama = model()

    def gradient(parts, totals):
        llama.zero_grad()
        for part in parts:
            grpo_loss(token_logprobs(llama, part), part, totals, spec)[0].backward()
        return torch.cat([p.grad.flatten() for p in llama.parameters()])

    samples = rows()
    merged = merge(samples)
    assert len(merged.rows) < len(samples)
    one_by_one = [collate(merge([sample]).rows, pad=EOS) for sample in samples]
    wanted = gradient(one_by_one, merged.totals)
    assert float(wanted.norm()) > 0.01
    for budget in (8, 40, 1000):
        got = gradient(micro_batches(merged.rows, budget, pad=EOS), merged.totals)
        torch.testing.assert_close(got, wanted, rtol=0, atol=1e-6)
