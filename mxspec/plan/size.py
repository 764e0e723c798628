"""How much memory a run takes: parameters counted from the configuration, the rest by formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mxspec.spec import Spec
from mxspec.spec.policy import FromConfig, Groups, Lora, Split
from mxspec.spec.runtime import TransformersEngine

GATED = ("llama", "mistral", "qwen2", "qwen3")
"""Kinds of decoder whose parameters are counted here: grouped-query attention and a gated MLP."""

BYTES_OF_STATE = 16
"""Bytes of a trained parameter: the weight, its gradient and AdamW's two moments, in float32."""
BYTES_OF_ACTIVATIONS = 34
"""Bytes per token, layer and hidden unit at 16 bits, attention matrices left out (Korthikanti et al. 2022, eq. 1)."""
BASELINE_MB = 600
"""Resident memory of a worker with torch and no model."""
MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Decoder:
    """The shape of a decoder.

    Attributes:
        parameters: Parameters in all.
        layers: Layers.
        hidden: Hidden units.
        cached: Numbers that one token leaves in the cache of keys and values, all layers together.
        linear: Per layer, the (in, out) sizes of its linear maps.
        vocab: Tokens that the head tells apart.
        context: Most positions; None where the configuration does not say.
    """

    parameters: int
    layers: int
    hidden: int
    cached: int
    linear: tuple[tuple[int, int], ...]
    vocab: int
    context: int | None


def decoder_of(config: Mapping[str, Any], vocab: int | None = None) -> Decoder | None:
    """The shape that a transformers configuration describes; None for a kind that is not counted here.

    Args:
        config: The configuration.
        vocab: Size of the vocabulary, where the configuration's own does not hold.
    """
    kind = config.get("model_type")
    needed = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads")
    vocab = vocab or config.get("vocab_size")
    if kind not in GATED or not isinstance(vocab, int) or not all(isinstance(config.get(one), int) for one in needed):
        return None
    hidden, inner, layers, heads = (int(config[one]) for one in needed)
    pairs = config.get("num_key_value_heads") or heads
    size = config.get("head_dim") or hidden // heads
    linear = (
        (hidden, heads * size),
        (hidden, pairs * size),
        (hidden, pairs * size),
        (heads * size, hidden),
        (hidden, inner),
        (hidden, inner),
        (inner, hidden),
    )
    layer = sum(one * other for one, other in linear) + 2 * hidden
    biased = kind == "qwen2" or (kind in ("llama", "qwen3") and config.get("attention_bias"))
    if biased:
        layer += sum(out for _, out in linear[: 3 if kind == "qwen2" else 4])
    if kind == "llama" and config.get("mlp_bias"):
        layer += sum(out for _, out in linear[4:])
    if kind == "qwen3":
        layer += 2 * size
    heads_of_vocab = 1 if config.get("tie_word_embeddings") else 2
    return Decoder(
        parameters=layers * layer + hidden + heads_of_vocab * vocab * hidden,
        layers=layers,
        hidden=hidden,
        cached=2 * layers * pairs * size,
        linear=linear,
        vocab=vocab,
        context=config.get("max_position_embeddings"),
    )


def decoder_in(spec: Spec) -> Decoder | None:
    """The decoder of a spec's policies where its configuration is in the spec; None where it is not."""
    model = spec.policy.model
    return decoder_of(model.config, model.tokenizer.vocab_size) if isinstance(model, FromConfig) else None


@dataclass(frozen=True, slots=True)
class Memory:
    """What one worker holds at once, in MB.

    Attributes:
        parameters: Trained parameters, all sets together.
        state: Weights, gradients and moments.
        activations: Of the largest forward and backward pass of an update.
        cache: Keys and values of the largest batch of calls.
        checkpoint: One checkpoint on disk.
    """

    parameters: int
    state: float
    activations: float
    cache: float
    checkpoint: float

    @property
    def total(self) -> float:
        """The sum, with what a worker takes without a model. Update and rollout take turns."""
        return BASELINE_MB + self.state + max(self.activations, self.cache)


def memory_of(spec: Spec, decoder: Decoder) -> Memory:
    """An estimate of what a worker holds.

    Args:
        spec: The spec.
        decoder: The decoder of its policies.
    """
    sharing, trainer, engine = spec.policy.sharing, spec.runtime.trainer, spec.runtime.engine
    roles = [name for name, role in spec.roles.items() if role.model is None]
    sets = len(sharing.groups) if isinstance(sharing, Groups) else 1
    sets = len(roles) if isinstance(sharing, (Split, Lora)) else sets
    full = 1.0 if spec.numerics.train == "bf16-mixed" else 2.0  # activations are 16 or 32 bits wide
    trained, frozen = sets * decoder.parameters, 0
    if isinstance(sharing, Lora):
        adapter = decoder.layers * sum(sharing.rank * (one + other) for one, other in decoder.linear)
        trained, frozen = sets * adapter, decoder.parameters
    parts = trainer.devices if trainer.strategy == "fsdp" else 1
    per_token = decoder.layers * decoder.hidden * BYTES_OF_ACTIVATIONS * full + 3 * 4 * decoder.vocab
    longest = max((role.sampling.max_tokens for role in spec.roles.values()), default=0)
    context = decoder.context or 2 * longest
    batch = engine.batch if isinstance(engine, TransformersEngine) else 0
    width = 2 if spec.numerics.serve == "bf16" else 4
    return Memory(
        parameters=trained,
        state=(trained * BYTES_OF_STATE / parts + frozen * width) / MB,
        activations=trainer.micro_tokens * per_token / MB,
        cache=batch * min(context, 2 * longest + 256) * decoder.cached * width / MB,
        checkpoint=trained * 12 / MB,
    )
