"""The transformers engine: draws, log-probs, batching, stale prefixes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from runners.engines.draws import draw, seed_of, uniforms
from runners.engines.engine import GenerationRequest
from runners.engines.transformers_engine import TransformersEngine

PAD, END = 0, 1


def tiny(seed: int = 0) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=32,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=64,
            tie_word_embeddings=True,
            initializer_range=0.2,
            pad_token_id=PAD,
            eos_token_id=END,
            bos_token_id=None,
        )
    )


def engine(model: LlamaForCausalLM, batch: int = 64) -> TransformersEngine:
    served = TransformersEngine(model, end_id=END, pad_id=PAD, batch=batch)
    served.sync("s0")
    return served


def requests(count: int, *, temperature: float = 1.0, top_p: float = 1.0) -> list[GenerationRequest]:
    rng = np.random.default_rng(3)
    prompts = [tuple(int(x) for x in rng.integers(2, 32, rng.integers(1, 9))) for _ in range(max(1, count // 3))]
    return [GenerationRequest(prompts[i % len(prompts)], seed_of("t", i), temperature, top_p, 6) for i in range(count)]


def test_logprobs_are_the_models_own_at_the_sampling_temperature() -> None:
    model = tiny()
    for temperature in (1.0, 0.5, 1.7):
        for request, completion in zip(
            requests(20, temperature=temperature),
            engine(model).generate(requests(20, temperature=temperature)),
            strict=True,
        ):
            ids = torch.tensor([[*request.prompt, *completion.ids.tolist()]])
            with torch.no_grad():
                scores = torch.log_softmax(model(ids).logits[0].float() / temperature, dim=-1)
            start = len(request.prompt) - 1
            expected = [scores[start + t, token].item() for t, token in enumerate(completion.ids.tolist())]
            np.testing.assert_allclose(completion.logprobs, expected, atol=2e-5)


def test_a_call_draws_the_same_tokens_alone_and_in_any_batch() -> None:
    served = engine(tiny())
    together = served.generate(requests(40))
    for i, request in enumerate(requests(40)):
        assert served.generate([request])[0].ids.tolist() == together[i].ids.tolist()
    small = engine(tiny(), batch=7).generate(requests(40))
    assert [one.ids.tolist() for one in small] == [one.ids.tolist() for one in together]


def test_equal_waves_are_bit_equal() -> None:
    first, second = (engine(tiny()).generate(requests(50)) for _ in range(2))
    assert all(a.logprobs.tobytes() == b.logprobs.tobytes() for a, b in zip(first, second, strict=True))


def test_repeats_of_a_prompt_differ_and_are_prefilled_once() -> None:
    served = engine(tiny())
    prompt = (5, 6, 7)
    many = served.generate([GenerationRequest(prompt, seed_of(i), 1.0, 1.0, 6) for i in range(16)])
    assert len({tuple(one.ids.tolist()) for one in many}) > 1
    assert served.prefilled_tokens == len(prompt)
    assert sorted(one.cached_tokens for one in many) == [0] + [3] * 15


def test_calls_that_agree_so_far_are_one_row() -> None:
    model, sizes = tiny(), []
    model.register_forward_pre_hook(lambda _, __, given: sizes.append(len(given["input_ids"])), with_kwargs=True)
    served = engine(model)
    greedy = served.generate([GenerationRequest((5, 6), seed_of(i), 0.0, 1.0, 4) for i in range(9)])
    assert len({tuple(one.ids.tolist()) for one in greedy}) == 1 and set(sizes) == {1}
    sizes.clear()
    drawn = served.generate([GenerationRequest((5, 6), seed_of(i), 1.0, 1.0, 6) for i in range(64)])
    prefixes = [{tuple(one.ids[: t + 1].tolist()) for one in drawn if len(one.ids) > t + 1} for t in range(5)]
    assert sizes == [1, *(len(one) for one in prefixes if one)] and max(sizes) > 1


def test_the_end_token_stands_only_last_and_decides_finish() -> None:
    seen = set()
    for completion in engine(tiny()).generate(requests(200)):
        assert END not in completion.ids[:-1].tolist()
        assert (completion.finish == "stop") == (completion.ids[-1] == END)
        assert completion.finish == "stop" or len(completion.ids) == 6
        seen.add(completion.finish)
    assert seen == {"stop", "length"}


def test_no_prefix_of_an_old_policy_is_reused() -> None:  # L20
    model = tiny()
    served = engine(model)
    before = served.generate(requests(8))
    model.load_state_dict(tiny(seed=9).state_dict())
    served.sync("s1")
    after = served.generate(requests(8))
    fresh = engine(tiny(seed=9)).generate(requests(8))
    assert [a.ids.tolist() for a in after] == [f.ids.tolist() for f in fresh] != [b.ids.tolist() for b in before]
    assert {one.version for one in after} == {"s1"}


def test_greedy_takes_the_most_likely_token_and_ignores_the_seed() -> None:
    served = engine(tiny())
    one, other = served.generate([GenerationRequest((4, 9), seed, 0.0, 1.0, 5) for seed in (1, 2)])
    assert one.ids.tolist() == other.ids.tolist()
    with torch.no_grad():
        assert one.ids[0] == tiny()(torch.tensor([[4, 9]])).logits[0, -1].argmax()


def test_each_request_has_its_own_temperature() -> None:  # L21
    served = engine(tiny())
    hot = [GenerationRequest((4, 9), seed_of(i), 1.0, 1.0, 6) for i in range(8)]
    cold = [GenerationRequest((4, 9), seed_of(i), 0.0, 1.0, 6) for i in range(8)]
    mixed = served.generate([*hot, *cold])
    assert len({tuple(one.ids.tolist()) for one in mixed[:8]}) > 1
    assert len({tuple(one.ids.tolist()) for one in mixed[8:]}) == 1


def test_nucleus_and_frequencies() -> None:
    logits = torch.log(torch.tensor([[0.5, 0.3, 0.15, 0.05]])).repeat(4000, 1)
    uniform = torch.from_numpy(uniforms(np.array([seed_of("f", i) for i in range(4000)], dtype=np.uint64), 0))
    ones = torch.ones(4000)
    tokens, logprobs = draw(logits[:1], ones[:1], ones[:1], torch.zeros(4000, dtype=torch.long), uniform)
    shares = torch.bincount(tokens, minlength=4) / 4000
    assert torch.allclose(shares, torch.tensor([0.5, 0.3, 0.15, 0.05]), atol=0.03)
    assert torch.allclose(logprobs, logits[0, tokens])
    cut, _ = draw(logits, ones, torch.full((4000,), 0.7), torch.arange(4000), uniform)
    assert set(cut.tolist()) == {0, 1}


@pytest.mark.parametrize("edge", [0.0, 1.0 - 2**-53])
def test_draws_at_the_edges_of_the_unit_interval_have_mass(edge: float) -> None:
    logits = torch.tensor([[-torch.inf, 0.0, 1.0, -torch.inf]])
    one = torch.ones(1)
    tokens, logprobs = draw(logits, one, one, torch.tensor([0]), torch.tensor([edge], dtype=torch.float64))
    assert tokens.item() in (1, 2) and torch.isfinite(logprobs).all()


def test_uniforms_depend_on_seed_and_position_alone() -> None:
    seeds = np.array([1, 2, 2**64 - 1], dtype=np.uint64)
    assert uniforms(seeds, 4)[1] == uniforms(seeds[1:2], 4)[0] != uniforms(seeds, 5)[1]
    many = uniforms(np.arange(20000, dtype=np.uint64), 0)
    assert 0 <= many.min() and many.max() < 1 and abs(many.mean() - 0.5) < 0.01


def test_seeds_tell_names_from_numbers_and_are_the_same_everywhere() -> None:
    assert seed_of(1, "a") != seed_of("1", "a") != seed_of("1a")
    assert seed_of(0, "train", "rl", 3, "q0001/d02") == 4181628450565649277
