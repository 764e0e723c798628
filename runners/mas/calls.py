"""What a node runtime asks of the host (a call) and what it gets back."""

from __future__ import annotations

from typing import Literal, NamedTuple

ExecutionVerdict = Literal[
    "ok", "runtime_error", "limit:calls", "limit:turns", "limit:tokens", "limit:time", "forged", "failed"
]


class CallRequest(NamedTuple):
    """One generation that an execution waits for."""

    position: int
    """Position among the calls of its execution, in a fixed order of the graph: 0, 1, 2, ..."""
    agent: str
    turn: int
    instructions: str
    question: str
    previous: str
    """Digest of the response before this call; the question where there is none."""
    history: tuple[str, ...]
    """Digests of all responses so far that this agent sees, oldest first."""


class CallResult(NamedTuple):
    """The host's answer to one request."""

    text: str
    tokens: int
    finish: Literal["stop", "length"]


class ExecutionResult(NamedTuple):
    """How an execution ended. `answer` is the final node's response, from the call `source`."""

    verdict: ExecutionVerdict
    detail: str
    answer: str | None
    source: int | None
    calls: int
    tokens: int
