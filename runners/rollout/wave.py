"""A wave: every call of the tree that is ready, as one batch on the engines that serve them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mxspec.spec.roles import Sampling
from runners.engines.draws import Seeds
from runners.engines.engine import GenerationRequest
from runners.mas.calls import CallRequest
from runners.policies.policy import Policy
from runners.rollout.prompts import PromptRenderer
from runners.rollout.tree import Call, Path

SeedParts = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Served:
    """How a role is served: its policy, how its prompts read, how its tokens are drawn."""

    role: str
    policy: Policy
    renderer: PromptRenderer
    sampling: Sampling


class Ready(NamedTuple):
    """A call that waits to be made; `agent` is None for the writer of a design."""

    path: Path
    role: str
    request: CallRequest
    writes: bool = False


def run_wave(ready: Sequence[Ready], served: Mapping[str, Served], seed: SeedParts) -> list[Call | None]:
    """Makes all ready calls in one batch per policy, sorted by path.

    Args:
        ready: The calls.
        served: How each role is served.
        seed: What the draws depend on besides the call's path (run seed, stage, step).

    Returns:
        The calls in the order of `ready`; None where the prompt leaves no room for
        a response in the model's context.
    """
    calls: list[Call | None] = [None] * len(ready)
    batches: dict[str, list[tuple[int, GenerationRequest, str]]] = {}
    seed_of = Seeds(*seed)
    for i in sorted(range(len(ready)), key=lambda i: ready[i].path):
        one = ready[i]
        how = served[one.role]
        ids, text = how.renderer.render(
            question=one.request.question,
            agent=one.request.agent,
            instructions=one.request.instructions,
            previous=one.request.previous,
            history=one.request.history,
        )
        room = how.policy.engine.context - len(ids)
        if room < 1:
            continue
        request = GenerationRequest(
            prompt=ids,
            seed=seed_of(one.path, one.role),
            temperature=how.sampling.temperature,
            top_p=how.sampling.top_p,
            max_tokens=min(how.sampling.max_tokens, room),
        )
        batches.setdefault(how.policy.name, []).append((i, request, text))
    policies = {how.policy.name: how.policy for how in served.values()}
    for name, batch in batches.items():
        completions = policies[name].engine.generate([request for _, request, _ in batch])
        for (i, request, text), completion in zip(batch, completions, strict=True):
            one = ready[i]
            calls[i] = Call(
                role=one.role,
                agent=None if one.writes else one.request.agent,
                turn=one.request.turn,
                prompt=request.prompt,
                prompt_text=text,
                text=served[one.role].renderer.decode(completion.ids.tolist()),
                completion=completion,
            )
    return calls
