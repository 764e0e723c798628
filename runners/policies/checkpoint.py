"""Everything that a run needs to go on: parameters, optimizers, counters, positions.

A policy's parameters are written in Hugging Face format, so that anyone can
load them; optimizers through Fabric, loaded with `weights_only`; counters and
positions as JSON. No generator state is kept: every draw is a function of
(run seed, stage, step, path, call).
"""

from __future__ import annotations

from pathlib import Path

from lightning.fabric import Fabric
from pydantic import BaseModel, ConfigDict
from safetensors.torch import load_file
from transformers.utils import logging as transformers_logging

from runners.policies.policy import Policies


class Counters(BaseModel):
    """The part of a checkpoint that is neither parameter nor moment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    updates: dict[str, dict[str, int]]
    """Optimizer steps taken, by policy and kind of stage."""
    positions: dict[str, int]
    """Questions consumed, by rl stage."""
    versions: dict[str, str]
    """State of each policy's parameters."""


def save_policies(directory: Path, policies: Policies, fabric: Fabric, positions: dict[str, int]) -> None:
    """Writes all policies and counters into a directory."""
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    for name, policy in policies.by_name.items():
        policy.model.save_pretrained(directory / name, max_shard_size="1TB")
        policy.tokenizer.save_pretrained(directory / name)
        fabric.save(directory / name / "optimizer.pt", {"optimizer": policy.optimizer})
    counters = Counters(
        updates={name: dict(policy.updates) for name, policy in policies.by_name.items()},
        positions=dict(positions),
        versions={name: policy.version for name, policy in policies.by_name.items()},
    )
    (directory / "counters.json").write_text(counters.model_dump_json(indent=1), encoding="utf-8")


def load_policies(
    directory: Path, policies: Policies, fabric: Fabric, *, take: tuple[str, ...] = ("weights", "moments")
) -> dict[str, int]:
    """Loads all policies in place.

    Args:
        directory: A checkpoint written by `save_policies`.
        policies: Policies of the same shapes; their parameters and moments are replaced.
        fabric: Loads the optimizers.
        take: What is taken.

    Returns:
        Questions consumed, by rl stage.
    """
    counters = Counters.model_validate_json((directory / "counters.json").read_text(encoding="utf-8"))
    for name, policy in policies.by_name.items():
        weights = load_file(directory / name / "model.safetensors")
        missing, unexpected = policy.model.load_state_dict(weights, strict=False)
        tied = set(getattr(policy.model, "all_tied_weights_keys", None) or {})
        assert not unexpected and set(missing) <= tied, f"{name}: missing {missing}, unexpected {unexpected}"
        policy.model.tie_weights()
        if "moments" in take:
            fabric.load(directory / name / "optimizer.pt", {"optimizer": policy.optimizer}, weights_only=True)
        policy.updates = dict(counters.updates[name])
        policy.sync(counters.versions[name])
    return dict(counters.positions)
