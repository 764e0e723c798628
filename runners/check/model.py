"""Checks that need the model itself: its parameters counted by the library, its context, its devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from transformers import AutoConfig, AutoModelForCausalLM

from mxspec.load.errors import did_you_mean
from mxspec.plan.size import decoder_of
from mxspec.spec import Spec
from mxspec.spec.policy import FromConfig, HuggingFace
from mxspec.spec.runtime import VllmEngine
from runners.check.checking import Checking


def check_model(checking: Checking, spec: Spec) -> None:
    """Builds the policy's model without weights, and compares the spec with it and with the devices here."""
    config = _config(checking, spec)
    if config is not None:
        _built(checking, spec, config)
    _devices(checking, spec)


def _config(checking: Checking, spec: Spec) -> Any | None:
    model = spec.policy.model
    if isinstance(model, FromConfig):
        settings = dict(model.config)
        kind = settings.pop("model_type", None)
        try:
            _unknown(checking, kind, settings)
            return AutoConfig.for_model(kind, **{"vocab_size": model.tokenizer.vocab_size, **settings})
        except (ValueError, TypeError, KeyError) as error:
            checking.error("model", "policy.model.config", f"transformers does not take it: {_line(error)}")
            return None
    if isinstance(model, HuggingFace):
        try:
            return AutoConfig.from_pretrained(model.path, revision=model.revision, local_files_only=True)
        except (OSError, ValueError) as error:
            checking.note(f"model: {model.path} is not on this machine, so it was not looked at ({_line(error)[:60]})")
    return None


def _unknown(checking: Checking, kind: Any, settings: Mapping[str, Any]) -> None:
    """Keys that the kind's configuration does not have: transformers keeps them without a word and reads none."""
    own = AutoConfig.for_model(kind)
    known = {*own.to_dict(), *own.attribute_map, *vars(own)}
    for key in settings:
        if key not in known:
            hint = did_you_mean(key, known) or f"a configuration of {kind} has no such key"
            checking.error("model", f"policy.model.config.{key}", f"transformers does not read {key!r}", hint)


def _built(checking: Checking, spec: Spec, config: Any) -> None:
    try:
        with torch.device("meta"):
            make = cast(Callable[[Any], torch.nn.Module], AutoModelForCausalLM.from_config)
            model = make(config)
    except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
        checking.error("model", "policy.model", f"transformers cannot build it: {_line(error)}")
        return
    count = sum(one.numel() for one in model.parameters())
    checking.note(f"model: {type(model).__name__}, {count:,} parameters a set")
    counted = decoder_of(config.to_dict())
    if counted is not None and counted.parameters != count:
        checking.note(f"memory: the estimate counts {counted.parameters:,} parameters instead")
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(spec.policy.model, FromConfig) or not isinstance(positions, int):
        return
    for name, role in spec.roles.items():
        if role.model is None and role.sampling.max_tokens >= positions:
            message = f"responses of {role.sampling.max_tokens} tokens leave no room for a prompt"
            hint = f"the model has {positions} positions"
            checking.error("context", f"roles.{name}.sampling.max_tokens", message, hint)


def _devices(checking: Checking, spec: Spec) -> None:
    trainer, engine = spec.runtime.trainer, spec.runtime.engine
    wanted = trainer.devices
    if isinstance(engine, VllmEngine):
        wanted = max(wanted, engine.tensor_parallel * engine.replicas)
    if trainer.accelerator != "cuda" and not isinstance(engine, VllmEngine):
        return
    here = torch.cuda.device_count()
    if here == 0:
        checking.note("devices: none here, so they were not looked at")
    elif wanted > here:
        path = "runtime.trainer.devices" if trainer.devices > here else "runtime.engine"
        checking.error("environment", path, f"{wanted} devices are asked for, and this machine has {here}", "use fewer")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
