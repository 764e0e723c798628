"""An engine that answers by rule: the prompt's text in, a text out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from transformers import PreTrainedTokenizerBase

from runners.engines.engine import Completion, GenerationRequest

Rule = Callable[[str, int], str]
"""(prompt, seed of the call) -> response."""


class ScriptedEngine:
    """Answers with a rule's text, as tokens that end with the end token; log-probs are -1 a token."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, rule: Rule, *, context: int = 512) -> None:
        self.tokenizer = tokenizer
        self.rule = rule
        self.context = context
        self.version = "root"
        self.waves: list[list[str]] = []
        self.requests: list[GenerationRequest] = []

    def sync(self, version: str) -> None:
        self.version = version

    def generate(self, requests: Sequence[GenerationRequest]) -> list[Completion]:
        prompts = [self.tokenizer.decode(list(one.prompt)) for one in requests]
        self.waves.append(prompts)
        self.requests += requests
        seen: set[tuple[int, ...]] = set()
        made = []
        for one, prompt in zip(requests, prompts, strict=True):
            ids = [*self.tokenizer.encode(self.rule(prompt, one.seed)), self.tokenizer.eos_token_id]
            ids = ids[: one.max_tokens]
            made.append(
                Completion(
                    ids=np.array(ids, dtype=np.int32),
                    logprobs=np.full(len(ids), -1.0, dtype=np.float32),
                    finish="stop" if ids[-1] == self.tokenizer.eos_token_id else "length",
                    cached_tokens=len(one.prompt) if one.prompt in seen else 0,
                    version=self.version,
                )
            )
            seen.add(one.prompt)
        return made
