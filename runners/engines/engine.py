"""The one interface of everything that generates: token ids in, token ids and log-probs out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Finish = Literal["stop", "length"]


class GenerationRequest(NamedTuple):
    """One completion to draw.

    Attributes:
        prompt: Token ids that the model reads.
        seed: 64-bit seed of this call's draws; the draws depend on nothing else.
        temperature: Softmax temperature; 0 is greedy.
        top_p: Nucleus mass kept.
        max_tokens: Longest response, in tokens.
    """

    prompt: tuple[int, ...]
    seed: int
    temperature: float
    top_p: float
    max_tokens: int


class Completion(NamedTuple):
    """What was drawn.

    Attributes:
        ids: Response token ids, shape (T,), the end token included where one was drawn.
        logprobs: Log-probabilities of `ids` under the sampling temperature, shape (T,), float32.
        finish: `stop` at the end token, `length` at `max_tokens`.
        cached_tokens: Prompt tokens that were not prefilled for this call, because another call of
            the same wave had the same prompt.
        version: State of the policy that drew it.
    """

    ids: NDArray[np.int32]
    logprobs: NDArray[np.float32]
    finish: Finish
    cached_tokens: int
    version: str


class Engine(Protocol):
    """Generates for one policy."""

    @property
    def context(self) -> int:
        """Most tokens of a prompt and its response together."""
        ...

    def generate(self, requests: Sequence[GenerationRequest]) -> list[Completion]:
        """Draws one completion per request, in the order of the requests."""
        ...

    def sync(self, version: str) -> None:
        """Serves the policy's present parameters, known as state `version`, from now on."""
        ...
