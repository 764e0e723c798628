"""A policy: one parameter set, its tokenizer, the engine that serves it, its optimizer."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from runners.engines.engine import Engine


@dataclass(slots=True)
class Policy:
    """One parameter set and everything that belongs to it.

    Attributes:
        name: The role that it belongs to, or `shared`.
        model: The parameters.
        tokenizer: Text to token ids and back.
        engine: Generates with the parameters.
        wrapped: The model as Lightning Fabric runs it (precision, device).
        optimizer: Its optimizer, wrapped by Fabric as well.
        updates: Optimizer steps taken, by kind of stage.
        version: State of the parameters.
    """

    name: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    engine: Engine
    wrapped: torch.nn.Module
    optimizer: torch.optim.Optimizer
    updates: dict[str, int] = field(default_factory=dict)
    version: str = ""

    def sync(self, version: str) -> None:
        """Serves the present parameters as state `version`."""
        self.version = version
        self.engine.sync(version)


@dataclass(frozen=True, slots=True)
class Policies:
    """All policies of a run, and which role each one serves and is trained by."""

    by_name: dict[str, Policy]
    of_role: dict[str, str]

    def for_role(self, role: str) -> Policy:
        """The policy that serves a role."""
        return self.by_name[self.of_role[role]]
