"""Functions that a script defines (routers, conditions, tools), as the node runtime calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

What = Literal["route", "condition", "tool"]


class FunctionRequest(NamedTuple):
    """One call of a function of the script.

    Attributes:
        number: Which of its functions.
        what: What it is asked for, which says what it returns: a name, yes or no, a text.
        said: Who said what so far, oldest first; the question is said by "".
        state: What the context begins with: name, value as JSON.
        arguments: Of a tool.
    """

    number: int
    what: What
    said: tuple[tuple[str, str], ...]
    state: tuple[tuple[str, str], ...]
    arguments: Mapping[str, object]


FunctionCaller = Callable[[FunctionRequest], str | bool]
"""Calls a function; raises `FunctionFailed`."""

HostTool = Callable[[Mapping[str, object]], str]
"""A tool of the host's: arguments -> what the agent reads."""


class FunctionFailed(Exception):
    """A function of the script raised, or took too long.

    Attributes:
        verdict: What that makes of the execution.
        detail: One line.
    """

    def __init__(self, verdict: Literal["runtime_error", "limit:time"], detail: str) -> None:
        super().__init__(detail)
        self.verdict: Literal["runtime_error", "limit:time"] = verdict
        self.detail = detail


def no_functions(request: FunctionRequest) -> str | bool:
    """The caller of a graph that has no functions."""
    raise AssertionError(f"a graph without functions asked for function {request.number}")
