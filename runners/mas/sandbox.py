"""Runs a checked script inside pydantic-monty and takes the graph that it submits.

The interpreter lives in a worker process without files, network, clock or host
objects; two functions of the prelude reach the host, and both take plain data.
"""

from __future__ import annotations

import datetime
from typing import Any, Literal

from pydantic_monty import Monty, MontyCrashedError, MontyError, OSPolicy, ResourceLimits

from runners.mas.graph import Graph
from runners.mas.prelude import LIMITS, MAX_DEPTH, PRELUDE, REFUSE, SUBMIT
from runners.mas.submission import read_graph
from runners.mas.verdicts import DesignVerdict, RefusedError

_SECONDS = 0.5
_SECONDS_ALONE = 2.0
_MEMORY = 64 * 1024 * 1024
_RECURSION = 200
_PRINTED = 1_000_000
_THE_QUESTION = "\x00the question\x00"
"""Stands for a question that the script merely passes on."""

_POLICY: OSPolicy = {
    "datetime": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    "sleep": "zero",
    "process_time": "zero",
    "random_start": {"seed": 0},
}
_SYNTAX_GAPS = ("The monty syntax parser", "is not supported in this environment")


class _OutOfTime(Exception):
    """The script used up its seconds, or took its worker down."""


class _Recording:
    """What the host hears from one script."""

    def __init__(self) -> None:
        self.submitted: list[tuple[Any, Any, Any]] = []
        self.refused: RefusedError | None = None
        self.printed = 0

    def submit(self, name: Any, nodes: Any, question: Any) -> None:
        self.submitted.append((name, nodes, question))

    def refuse(self, verdict: Any, detail: Any) -> None:
        allowed: tuple[DesignVerdict, ...] = ("unsupported", "limit:agents", "limit:nesting")
        if self.refused is None and verdict in allowed:
            self.refused = RefusedError(verdict, str(detail)[:200])

    def print(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        self.printed += len(text)
        if self.printed > _PRINTED:
            self.refused = self.refused or RefusedError("limit:output", f"printed over {_PRINTED} characters")
            raise ValueError("too much output")


class ScriptSandbox:
    """A pool of one interpreter worker.

    Args:
        max_agents: Most agents of a graph.
    """

    def __init__(self, max_agents: int) -> None:
        self._max_agents = max_agents
        self._pool: Monty | None = None
        self._prepared: dict[float, bytes] = {}

    def close(self) -> None:
        """Ends the worker; a later call starts another."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.__exit__(None, None, None)

    def record(self, code: str, question: str | None) -> Graph:
        """The graph that a script submits.

        Args:
            code: Checked code (`runners.mas.check`).
            question: What the script sees as `question`; None for one that merely passes it on.

        Raises:
            RefusedError: What went wrong. A wall-clock trip is tried once more, alone and
                with more time; the second is `limit:time`.
        """
        try:
            return self._record(code, question, _SECONDS)
        except _OutOfTime:
            pass
        try:
            return self._record(code, question, _SECONDS_ALONE)
        except _OutOfTime as error:
            raise RefusedError("limit:time", str(error)) from None

    def _record(self, code: str, question: str | None, seconds: float) -> Graph:
        heard = _Recording()
        self._feed(code, question, seconds, heard)
        if heard.refused is not None:
            raise heard.refused
        if not heard.submitted:
            raise RefusedError("no_run", "workflow.run was never called")
        if len(heard.submitted) > 1:
            raise RefusedError("unsupported", f"workflow.run called {len(heard.submitted)} times")
        name, nodes, asked = heard.submitted[0]
        passed_on = _THE_QUESTION if question is None else question
        return read_graph(name, nodes, None if asked == passed_on else asked)

    def _feed(self, code: str, question: str | None, seconds: float, heard: _Recording) -> None:
        host = {SUBMIT: heard.submit, REFUSE: heard.refuse}
        inputs = {"question": _THE_QUESTION if question is None else question}
        try:
            prepared = self._prepare(seconds)
            with self._open().checkout(os_policy=_POLICY) as session:
                session.load_session(prepared)
                session.feed_run(code, inputs=inputs, external_lookup=host, print_callback=heard.print)
        except MontyCrashedError as error:
            raise _OutOfTime(f"the sandbox worker ended: {_line(str(error))}") from None
        except MontyError as error:
            if heard.refused is None:
                raise _verdict(error) from None

    def _open(self) -> Monty:
        if self._pool is None:
            self._pool = Monty(min_processes=1, max_processes=1)
            self._pool.__enter__()
        return self._pool

    def _prepare(self, seconds: float) -> bytes:
        """A session that has read the prelude, as bytes that every script starts from."""
        if seconds not in self._prepared:
            limits: ResourceLimits = {
                "max_feed_duration_secs": seconds,
                "max_memory": _MEMORY,
                "max_recursion_depth": _RECURSION,
                "max_suspensions": 1000,
                "max_total_sleep_secs": 0.0,
            }
            with self._open().checkout(limits=limits, os_policy=_POLICY) as session:
                session.feed_run(PRELUDE, inputs={LIMITS: (self._max_agents, MAX_DEPTH)})
                self._prepared[seconds] = session.dump()
        return self._prepared[seconds]


def _verdict(error: MontyError) -> RefusedError | _OutOfTime:
    inner, text = error.exception(), _line(str(error))
    if isinstance(inner, TimeoutError) and "time limit exceeded" in text:
        return _OutOfTime("the script ran too long")
    if isinstance(inner, MemoryError) and "limit exceeded" in text:
        return RefusedError("limit:memory", f"over {_MEMORY} bytes")
    if isinstance(inner, RecursionError):
        return RefusedError("limit:recursion", f"deeper than {_RECURSION} calls")
    if isinstance(inner, SyntaxError) or any(gap in text for gap in _SYNTAX_GAPS):
        return RefusedError("unsupported", text)
    if isinstance(inner, ModuleNotFoundError):
        return RefusedError("unsupported", text)
    return RefusedError("runtime_error", text)


def _line(text: str) -> str:
    """An error as one bounded line."""
    return " ".join(text.split())[:300]
