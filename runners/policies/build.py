"""From the spec's policy to parameter sets: fresh or pretrained, shared or split."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

import torch
from lightning.fabric import Fabric
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel, PreTrainedTokenizerBase

from mxspec.spec import Spec
from mxspec.spec.policy import FromConfig, Shared
from mxspec.spec.runtime import TransformersEngine as TransformersSpec
from runners.engines.draws import seed_of
from runners.engines.transformers_engine import TransformersEngine
from runners.policies.policy import Policies, Policy
from runners.policies.pretrained import load_pretrained
from runners.policies.tokenizer import train_tokenizer

PRECISION = {"fp32": "32-true", "bf16-mixed": "bf16-mixed"}


def policy_names(spec: Spec) -> dict[str, str]:
    """Which policy serves each role: `shared` for all, or one named like the role."""
    shared = isinstance(spec.policy.sharing, Shared)
    return {role: "shared" if shared else role for role in spec.roles}


def build_policies(spec: Spec, fabric: Fabric, *, corpus: Callable[[], Iterable[str]], cache_dir: Path) -> Policies:
    """Builds every parameter set with its tokenizer, engine and optimizer.

    Args:
        spec: The resolved spec.
        fabric: Lightning's side of precision and devices.
        corpus: Texts that a fresh tokenizer is trained on.
        cache_dir: Where converted pretrained weights are kept.

    Returns:
        The policies in their root state. A fresh model's parameters are a function of
        (run seed, policy name), so split policies start apart.
    """
    of_role = policy_names(spec)
    tokenizer: PreTrainedTokenizerBase | None = None
    by_name: dict[str, Policy] = {}
    for name in dict.fromkeys(of_role.values()):
        if isinstance(spec.policy.model, FromConfig):
            if tokenizer is None:
                tokenizer = train_tokenizer(corpus(), spec.policy.model.tokenizer.vocab_size)
            model = _fresh(spec.policy.model, tokenizer, seed_of(spec.seed, "init", name))
        else:
            model, tokenizer = load_pretrained(spec.policy.model, cache_dir)
        by_name[name] = _policy(name, model, tokenizer, spec, fabric)
    return Policies(by_name=by_name, of_role=of_role)


def _fresh(model: FromConfig, tokenizer: PreTrainedTokenizerBase, seed: int) -> PreTrainedModel:
    settings = dict(model.config)
    config = AutoConfig.for_model(
        settings.pop("model_type"),
        vocab_size=len(tokenizer),
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        **settings,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed % 2**63)
        make = cast(Callable[..., PreTrainedModel], AutoModelForCausalLM.from_config)
        return make(config, dtype=torch.float32)


def _policy(
    name: str, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, spec: Spec, fabric: Fabric
) -> Policy:
    # The learner sets every group's hyper-parameters before each update; these only fill the fields.
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0)
    wrapped, fabric_optimizer = fabric.setup(model, optimizer)
    assert isinstance(spec.runtime.engine, TransformersSpec), "`run` refuses other engines"
    assert tokenizer.eos_token_id is not None and tokenizer.pad_token_id is not None
    engine = TransformersEngine(
        model,
        end_id=int(tokenizer.eos_token_id),
        pad_id=int(tokenizer.pad_token_id),
        batch=spec.runtime.engine.batch,
        autocast=spec.numerics.serve == "bf16",
    )
    return Policy(name, model, tokenizer, engine, wrapped, fabric_optimizer)
