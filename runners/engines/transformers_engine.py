"""Batched generation with a transformers model in this process.

Every distinct prompt of a wave is prefilled once, and all calls decode in lockstep.
Calls of one prompt are one row of the batch while they draw the same tokens, and
part where they draw different ones: a small policy is often sure of itself, and
then many calls cost one. A row that no call needs any more leaves the batch.
Waves of equal composition give bit-equal results; a different one changes rounding only.

No cache outlives a wave, so a policy update cannot meet a stale prefix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from transformers import DynamicCache, PreTrainedModel

from runners.engines.draws import draw, uniforms
from runners.engines.engine import Completion, GenerationRequest


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
        self.context = int(model.config.max_position_embeddings)
        """Most tokens of a prompt and its response together."""
        self.prefilled_tokens = 0
        """Prompt tokens prefilled since the engine was made."""

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
        tokens, logprobs, lengths = self._decode(requests, list(prompts), owner)
        ends = (tokens == self._end) & (np.arange(tokens.shape[1]) < lengths[:, None])  # (C, T)
        ended = ends[np.arange(len(ends)), lengths - 1]
        assert (ends.sum(1) == ended).all(), "an end token stands before the end of a response"
        return [
            Completion(
                ids=tokens[i, :length],
                logprobs=logprobs[i, :length],
                finish="stop" if end else "length",
                cached_tokens=0 if first[i] else len(request.prompt),
                version=self._version,
            )
            for i, (request, length, end) in enumerate(zip(requests, lengths.tolist(), ended.tolist(), strict=True))
        ]

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
        self, requests: list[GenerationRequest], prompts: list[tuple[int, ...]], owner: list[int]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Token ids (C, T), log-probs (C, T) and lengths (C,) of all calls; `owner` is the prompt of each."""
        count, most = len(requests), max(request.max_tokens for request in requests)
        tokens = np.zeros((count, most), dtype=np.int32)
        scores = np.zeros((count, most), dtype=np.float32)
        lengths = np.zeros(count, dtype=np.int64)
        limit = np.array([request.max_tokens for request in requests])
        seeds = np.array([request.seed for request in requests], dtype=np.uint64)
        rows = _Rows(self._model, *self._prefill(prompts))
        calls = np.arange(count)  # those that go on
        row = rows.start(requests, owner)  # of each of them
        for t in range(most):
            uniform = torch.from_numpy(uniforms(seeds[calls], t))
            drawn, score = (
                one.numpy() for one in draw(rows.logits, rows.temperature, rows.top_p, torch.from_numpy(row), uniform)
            )
            tokens[calls, t], scores[calls, t], lengths[calls] = drawn, score, t + 1
            live = (drawn != self._end) & (t + 1 < limit[calls])
            calls = calls[live]
            if not calls.size:
                break
            row = rows.extend(row[live], drawn[live])
        return tokens, scores, lengths


class _Rows:
    """The sequences that the model has read: calls that have drawn the same tokens after the same prompt share one."""

    def __init__(self, model: PreTrainedModel, cache: DynamicCache, mask: torch.Tensor, logits: torch.Tensor) -> None:
        """Begins with a row a prompt: their cache, mask (R, L) and the logits (R, V) after them."""
        self._model = model
        self._cache = cache
        self._mask = mask
        self._position = mask.sum(-1)
        self.logits = logits.cpu()  # tokens are drawn alike on every device
        self.temperature = torch.ones(len(logits))
        self.top_p = torch.ones(len(logits))

    def start(self, requests: Sequence[GenerationRequest], owner: Sequence[int]) -> np.ndarray:
        """The row (C,) of each call: one a prompt and way of sampling."""
        found: dict[tuple[int, float, float], int] = {}
        keys = [(of, one.temperature, one.top_p) for of, one in zip(owner, requests, strict=True)]
        row = np.array([found.setdefault(key, len(found)) for key in keys])
        self._keep(np.array([of for of, _, _ in found]))
        self.temperature = torch.tensor([temperature for _, temperature, _ in found], dtype=torch.float32)
        self.top_p = torch.tensor([top_p for _, _, top_p in found], dtype=torch.float32)
        self.logits = self.logits[[of for of, _, _ in found]]
        return row

    def extend(self, row: np.ndarray, token: np.ndarray) -> np.ndarray:
        """Reads a token (C,) after each call's row (C,).

        Returns:
            The calls' new rows: a row splits where its calls drew different tokens, and goes where none goes on.
        """
        vocabulary = self.logits.shape[-1]
        key, new = np.unique(row * vocabulary + token, return_inverse=True)
        self._keep(key // vocabulary)
        ids = torch.from_numpy(key % vocabulary)[:, None].to(self._mask.device)
        self._mask = torch.cat([self._mask, torch.ones_like(self._mask[:, :1])], dim=-1)
        out = self._model(
            input_ids=ids,
            attention_mask=self._mask,
            position_ids=self._position[:, None],
            past_key_values=self._cache,
            use_cache=True,
        )
        self.logits = out.logits[:, -1].cpu()
        self._position = self._position + 1
        return new

    def _keep(self, rows: np.ndarray) -> None:
        """Keeps some rows, in this order; one may be kept several times."""
        if np.array_equal(rows, np.arange(len(self._mask))):
            return
        kept = torch.from_numpy(rows)
        self.temperature, self.top_p = self.temperature[kept], self.top_p[kept]
        kept = kept.to(self._mask.device)
        self._cache.batch_select_indices(kept)
        self._mask, self._position = self._mask[kept], self._position[kept]
