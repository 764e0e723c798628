"""Batched generation with a transformers model in this process.

Every distinct prompt of a wave is prefilled once; its cache rows are then
copied to the calls that share it, and all calls decode in lockstep. Rows that
have ended leave the batch as soon as enough of them have. Calls of equal
composition give bit-equal results; a different composition changes rounding only.

No cache outlives a wave, so a policy update cannot meet a stale prefix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from transformers import DynamicCache, PreTrainedModel

from runners.engines.draws import draw, uniforms
from runners.engines.engine import Completion, GenerationRequest

_SHRINK_AT = 0.7
"""Share of live rows under which ended rows are dropped from the batch."""


class TransformersEngine:
    """Draws completions from a model that the trainer owns."""

    def __init__(self, model: PreTrainedModel, *, end_id: int, pad_id: int, batch: int, autocast: bool = False) -> None:
        """Serves `model`.

        Args:
            model: A causal language model; its parameters are read, never copied.
            end_id: Token that ends a response.
            pad_id: Token that fills short prompts (masked, so its value is of no account).
            batch: Most calls in one forward pass.
            autocast: Whether to compute in bfloat16.
        """
        self._model = model
        self._end = end_id
        self._pad = pad_id
        self._batch = batch
        self._autocast = autocast
        self._version = ""
        self.prefilled_tokens = 0
        """Prompt tokens prefilled since the engine was made."""

    @property
    def context(self) -> int:
        """Most tokens of a prompt and its response together."""
        return int(self._model.config.max_position_embeddings)

    def with_batch(self, batch: int) -> TransformersEngine:
        """An engine on the same model with another batch size."""
        return TransformersEngine(self._model, end_id=self._end, pad_id=self._pad, batch=batch, autocast=self._autocast)

    def sync(self, version: str) -> None:
        """The model is the trainer's own: only the version changes."""
        self._version = version

    def generate(self, requests: Sequence[GenerationRequest]) -> list[Completion]:
        """Draws one completion per request, in the order of the requests.

        Calls are batched by prompt, shortest first, so that those of one prompt meet in one batch.
        """
        order = sorted(range(len(requests)), key=lambda i: (len(requests[i].prompt), requests[i].prompt, i))
        done: dict[int, Completion] = {}
        training = self._model.training
        self._model.train(False)
        try:
            kind = self._model.device.type
            with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=self._autocast):
                for start in range(0, len(order), self._batch):
                    chunk = order[start : start + self._batch]
                    done.update(zip(chunk, self._generate([requests[i] for i in chunk]), strict=True))
        finally:
            self._model.train(training)
        return [done[i] for i in range(len(requests))]

    def _generate(self, requests: list[GenerationRequest]) -> list[Completion]:
        prompts: dict[tuple[int, ...], int] = {}
        first: list[bool] = []
        owner: list[int] = []
        for request in requests:
            first.append(request.prompt not in prompts)
            owner.append(prompts.setdefault(request.prompt, len(prompts)))
        tokens, logprobs, lengths = self._decode(requests, list(prompts), torch.tensor(owner))
        completions = []
        for i, request in enumerate(requests):
            ids = tokens[i, : lengths[i]].copy()
            ended = bool(ids[-1] == self._end)
            assert not (ids[:-1] == self._end).any(), "an end token stands before the end of a response"
            completions.append(
                Completion(
                    ids=ids,
                    logprobs=logprobs[i, : lengths[i]].copy(),
                    finish="stop" if ended else "length",
                    cached_tokens=0 if first[i] else len(request.prompt),
                    version=self._version,
                )
            )
        return completions

    def _prefill(self, prompts: list[tuple[int, ...]]) -> tuple[DynamicCache, torch.Tensor, torch.Tensor]:
        """Prefills distinct prompts, left-padded: cache, mask (P, L) and logits (P, V) of their last tokens."""
        longest = max(len(prompt) for prompt in prompts)
        ids = torch.full((len(prompts), longest), self._pad)
        mask = torch.zeros((len(prompts), longest), dtype=torch.long)
        for row, prompt in enumerate(prompts):
            ids[row, longest - len(prompt) :] = torch.tensor(prompt)
            mask[row, longest - len(prompt) :] = 1
        self.prefilled_tokens += sum(len(prompt) for prompt in prompts)
        device = self._model.device
        ids, mask = ids.to(device), mask.to(device)
        cache = DynamicCache(config=self._model.config)
        out = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=(mask.cumsum(-1) - 1).clamp_(min=0),
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        return cache, mask, out.logits[:, -1]

    def _decode(
        self, requests: list[GenerationRequest], prompts: list[tuple[int, ...]], owner: torch.Tensor
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Token ids (C, T), log-probs (C, T) and lengths (C,) of all calls."""
        cache, mask, logits = self._prefill(prompts)
        device = mask.device
        cache.batch_select_indices(owner.to(device))
        mask, logits = mask[owner.to(device)], logits[owner.to(device)]
        count, most = len(requests), max(request.max_tokens for request in requests)
        limit = torch.tensor([request.max_tokens for request in requests])
        temperature = torch.tensor([request.temperature for request in requests], dtype=torch.float32)
        top_p = torch.tensor([request.top_p for request in requests], dtype=torch.float32)
        seeds = np.array([request.seed for request in requests], dtype=np.uint64)
        tokens = np.zeros((count, most), dtype=np.int32)
        scores = np.zeros((count, most), dtype=np.float32)
        lengths = np.zeros(count, dtype=np.int64)
        rows = torch.arange(count)  # call of each row of the batch
        live = torch.ones(count, dtype=torch.bool)
        position = mask.sum(-1)
        for t in range(most):
            uniform = torch.from_numpy(uniforms(seeds[rows.numpy()], t))
            drawn, score = draw(logits.cpu(), temperature[rows], top_p[rows], uniform)  # drawn alike on every device
            at = rows[live].numpy()
            tokens[at, t] = drawn[live].numpy()
            scores[at, t] = score[live].numpy()
            lengths[at] = t + 1
            live &= (drawn != self._end) & (t + 1 < limit[rows])
            alive = int(live.sum())
            if alive == 0:
                break
            if alive < _SHRINK_AT * len(rows):
                keep = live.nonzero().squeeze(-1)
                rows, drawn, live = rows[keep], drawn[keep], live[keep]
                keep = keep.to(device)
                cache.batch_select_indices(keep)
                mask, position = mask[keep], position[keep]
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=-1)
            out = self._model(
                input_ids=drawn[:, None].to(device),
                attention_mask=mask,
                position_ids=position[:, None],
                past_key_values=cache,
                use_cache=True,
            )
            logits = out.logits[:, -1]
            position = position + 1
        return tokens, scores, lengths
