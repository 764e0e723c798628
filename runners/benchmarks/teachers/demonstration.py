"""One demonstration."""

from __future__ import annotations

from dataclasses import dataclass

from runners.mas.calls import CallRequest


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What a role is asked, as a rollout would ask it, and the response to imitate.

    Attributes:
        role: Role that learns from it.
        request: The call; for the writer of designs one whose agent is empty.
        response: The response, without an end token.
    """

    role: str
    request: CallRequest
    response: str
