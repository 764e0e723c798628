"""Small policies for tests: split or shared, with real engines and optimizers."""

from __future__ import annotations

import numpy as np
import torch
from lightning.fabric import Fabric
from tokenizers import Tokenizer, models
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from runners.engines.transformers_engine import TransformersEngine
from runners.learning.rows import Row
from runners.policies.policy import Policies, Policy

VOCABULARY = 24


def tokenizer() -> PreTrainedTokenizerFast:
    words = {"<pad>": 0, "<eos>": 1} | {chr(97 + i): i + 2 for i in range(VOCABULARY - 2)}
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(words, unk_token="<pad>")), pad_token="<pad>", eos_token="<eos>"
    )


def model(seed: int) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=16,
            intermediate_size=24,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=32,
            tie_word_embeddings=True,
            initializer_range=0.25,
        )
    )


def fabric() -> Fabric:
    return Fabric(accelerator="cpu", devices=1, precision="32-true")


def policies(of_role: dict[str, str], *, seed: int = 0, on: Fabric | None = None) -> Policies:
    on = on or fabric()
    by_name = {}
    for i, name in enumerate(dict.fromkeys(of_role.values())):
        net = model(seed + i)
        wrapped, optimizer = on.setup(net, torch.optim.AdamW(net.parameters(), lr=0.0))
        served = TransformersEngine(net, end_id=1, pad_id=0, batch=64)
        by_name[name] = Policy(name, net, tokenizer(), served, wrapped, optimizer)
        by_name[name].sync("root")
    return Policies(by_name=by_name, of_role=of_role)


def rows(role: str, count: int, *, seed: int = 0, policy: Policy | None = None) -> list[Row]:
    """Random samples whose old log-probs are the policy's own (or -1)."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        prompt, response = (
            rng.integers(2, VOCABULARY, rng.integers(1, 5)),
            rng.integers(1, VOCABULARY, rng.integers(1, 5)),
        )
        old = np.full(len(response), -1.0, dtype=np.float32)
        if policy is not None:
            with torch.no_grad():
                ids = torch.tensor([[*prompt.tolist(), *response.tolist()]])
                scores = torch.log_softmax(policy.model(ids).logits[0].float(), dim=-1)
            old = np.array([scores[len(prompt) - 1 + t, x] for t, x in enumerate(response)], dtype=np.float32)
        made.append(Row.of(prompt, response, old, float(rng.normal()), role))
    return made


def parameters(policy: Policy) -> bytes:
    """Every parameter and every optimizer moment, bit for bit."""
    moments = [
        value.detach().numpy().tobytes()
        for state in policy.optimizer.state_dict()["state"].values()
        for value in state.values()
        if isinstance(value, torch.Tensor)
    ]
    weights = [p.detach().numpy().tobytes() for _, p in sorted(policy.model.named_parameters())]
    return b"".join(weights + moments)
