"""Runs a checked script inside pydantic-monty and takes the graph that it submits.

The interpreter lives in a worker process without files, network, clock or host
objects; a few functions of the prelude reach the host, and all take plain data.

A static script runs once: what it submits is its graph. A dynamic one stops where it
first waits for a run; that state, as bytes, is what each of its executions begins with.
Functions of a script are called in the state in which it ended, each time anew.
"""

from __future__ import annotations

import datetime
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic_monty import (
    FunctionSnapshot,
    Monty,
    MontyComplete,
    MontyCrashedError,
    MontyError,
    MontySession,
    OSPolicy,
    ResourceLimits,
)

from runners.mas.check import Checked
from runners.mas.functions import FunctionFailed, FunctionRequest
from runners.mas.graph import Graph
from runners.mas.prelude import END, LIMITS, MAX_DEPTH, REFUSE, REPLY, RUN, SUBMIT, prelude
from runners.mas.submission import read_graph
from runners.mas.verdicts import DesignVerdict, RefusedError

T = TypeVar("T")

_SECONDS = 0.5
_SECONDS_ALONE = 2.0
_MEMORY = 64 * 1024 * 1024
_RECURSION = 200
_PRINTED = 1_000_000
_PRELUDES = 64
"""Preludes that are kept; scripts that use the same names share one."""
_STATE = 256 * 1024
"""Bytes of a state that is kept for functions, or for a script that waits."""
_CALL = "_mx_call(_mx_asked[0], _mx_asked[1], _mx_asked[2], _mx_asked[3], _mx_asked[4])"
_THE_QUESTION = "\x00the question\x00"
"""Stands for a question that the script merely passes on."""

_POLICY: OSPolicy = {
    "datetime": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
    "sleep": "zero",
    "process_time": "zero",
    "random_start": {"seed": 0},
}
_SYNTAX_GAPS = ("The monty syntax parser", "is not supported in this environment")


def _mark(*unused: Any) -> None:
    raise AssertionError("answered by the host before it is called")


class _OutOfTime(Exception):
    """The script used up its seconds, or took its worker down."""


class _Recording:
    """What the host hears from one script."""

    def __init__(self) -> None:
        self.submitted: list[tuple[Any, Any, Any, Any]] = []
        self.functions = 0
        self.refused: RefusedError | None = None
        self.printed = 0

    def submit(self, name: Any, nodes: Any, question: Any, state: Any, functions: Any) -> None:
        self.submitted.append((name, nodes, question, state))
        self.functions = functions if isinstance(functions, int) else 0

    def refuse(self, verdict: Any, detail: Any) -> None:
        allowed: tuple[DesignVerdict, ...] = ("unsupported", "limit:agents", "limit:nesting")
        if self.refused is None and verdict in allowed:
            self.refused = RefusedError(verdict, str(detail)[:200])

    def print(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        self.printed += len(text)
        if self.printed > _PRINTED:
            self.refused = self.refused or RefusedError("limit:output", f"printed over {_PRINTED} characters")
            raise ValueError("too much output")

    def host(self) -> dict[str, Any]:
        """What the script reaches of the host; the names that only mark where it waits are never called."""
        return {SUBMIT: self.submit, REFUSE: self.refuse, RUN: _mark, REPLY: _mark, END: _mark}


class SeveralRuns(RefusedError):
    """A static script that calls `run` more than once: it is executed as a dynamic one."""


class Waiting(NamedTuple):
    """A dynamic script that waits for the result of a run.

    Attributes:
        graph: What it asked to run.
        state: The interpreter, as bytes.
    """

    graph: Graph
    state: bytes


class Ended(NamedTuple):
    """A dynamic script that has ended.

    Attributes:
        source: Number of the run's result that it gave as its answer, None where it gave none.
        text: The text that it gave as its answer.
    """

    source: int | None
    text: str | None


class ScriptSandbox:
    """A pool of one interpreter worker.

    Args:
        max_agents: Most agents of a graph.
    """

    def __init__(self, max_agents: int) -> None:
        self._max_agents = max_agents
        self._pool: Monty | None = None
        self._prepared: OrderedDict[tuple[float, str], bytes] = OrderedDict()

    def close(self) -> None:
        """Ends the worker; a later call starts another."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.__exit__(None, None, None)

    def record(self, checked: Checked, question: str | None) -> Graph:
        """The graph that a static script submits.

        Args:
            checked: A static script.
            question: What the script sees as `question`; None for one that merely passes it on.

        Raises:
            RefusedError: What went wrong. A wall-clock trip is tried once more, alone and
                with more time; the second is `limit:time`.
        """
        return self._twice(lambda seconds: self._record(checked, question, seconds))

    def start(self, checked: Checked, question: str) -> Waiting:
        """A dynamic script up to where it first waits for a run.

        Raises:
            RefusedError: What went wrong, as for `record`; `no_run` where it never waits.
        """

        def started(seconds: float) -> Waiting:
            heard = _Recording()
            with self._session(self._prepare(seconds, checked.names, dynamic=True), heard) as session:
                inputs, host = {"question": question}, heard.host()
                begin = partial(
                    session.feed_start, checked.whole, inputs=inputs, external_lookup=host, print_callback=heard.print
                )
                found = _until_it_waits(begin, heard, question)
            if isinstance(found, Ended):
                raise RefusedError("no_run", "workflow.run was never called")
            return found

        return self._twice(started)

    def go_on(self, waiting: Waiting, text: str, sender: str, source: int, question: str) -> Waiting | Ended:
        """A dynamic script from where it waits, with the result of its run, to where it waits again or ends.

        Raises:
            FunctionFailed: It raised, or took too long.
            RefusedError: What it asks to run next is refused.
        """
        heard = _Recording()
        try:
            with self._session(b"", heard) as session:
                resume = partial(self._resume, session, waiting, heard, ("done", text, sender, source))
                return _until_it_waits(resume, heard, question)
        except _OutOfTime as error:
            raise FunctionFailed("limit:time", str(error)) from None
        except RefusedError as error:
            if error.verdict == "runtime_error":
                raise FunctionFailed("runtime_error", error.detail) from None
            raise

    def call_waiting(self, waiting: Waiting, request: FunctionRequest) -> str | bool:
        """What a function of a dynamic script returns, called in the state in which the script waits.

        Raises:
            FunctionFailed: It raised, or took too long.
        """
        heard = _Recording()
        try:
            with self._session(b"", heard) as session:
                snapshot = self._resume(session, waiting, heard, ("call", *_plain(request)))
                while isinstance(snapshot, FunctionSnapshot) and snapshot.function_name != REPLY:
                    snapshot = snapshot.resume_auto()
        except _OutOfTime as error:
            raise FunctionFailed("limit:time", str(error)) from None
        except RefusedError as error:
            raise FunctionFailed("runtime_error", error.detail) from None
        assert isinstance(snapshot, FunctionSnapshot), "the prelude replies to every call"
        match snapshot.args:
            case ((outcome, value),):
                pass
            case _:
                raise FunctionFailed("runtime_error", "the script changed how it is called")
        if outcome != "ok":
            raise FunctionFailed("runtime_error", _line(str(value)))
        return value if isinstance(value, bool) else str(value)

    def call(self, state: bytes, request: FunctionRequest) -> str | bool:
        """What a function of a static script returns, called in the state in which the script ended.

        Raises:
            FunctionFailed: It raised, or took too long.
        """
        heard = _Recording()
        try:
            with self._session(state, heard) as session:
                value = session.feed_run(
                    _CALL,
                    inputs={"_mx_asked": _plain(request)},
                    external_lookup=heard.host(),
                    print_callback=heard.print,
                )
        except _OutOfTime as error:
            raise FunctionFailed("limit:time", str(error)) from None
        except RefusedError as error:
            raise FunctionFailed("runtime_error", error.detail) from None
        if heard.submitted:
            raise FunctionFailed("runtime_error", "a function of the script runs a workflow")
        return value if isinstance(value, bool) else str(value)

    def _twice(self, attempt: Callable[[float], T]) -> T:
        try:
            return attempt(_SECONDS)
        except _OutOfTime:
            pass
        try:
            return attempt(_SECONDS_ALONE)
        except _OutOfTime as error:
            raise RefusedError("limit:time", str(error)) from None

    def _record(self, checked: Checked, question: str | None, seconds: float) -> Graph:
        heard = _Recording()
        inputs = {"question": _THE_QUESTION if question is None else question}
        functions = b""
        with self._session(self._prepare(seconds, checked.names, dynamic=False), heard) as session:
            try:
                session.feed_run(checked.code, inputs=inputs, external_lookup=heard.host(), print_callback=heard.print)
            except MontyError as error:
                if not _ends_there(error):
                    raise
            if heard.functions:
                functions = _kept(session.dump())
        if heard.refused is not None:
            raise heard.refused
        if not heard.submitted:
            raise RefusedError("no_run", "workflow.run was never called")
        if len(heard.submitted) > 1:
            raise SeveralRuns("unsupported", f"workflow.run called {len(heard.submitted)} times")
        name, nodes, asked, state = heard.submitted[0]
        passed_on = _THE_QUESTION if question is None else question
        return read_graph(name, nodes, None if asked == passed_on else asked, state, functions)

    @contextmanager
    def _session(self, state: bytes, heard: _Recording) -> Iterator[MontySession]:
        """A session that begins with a state; what goes wrong in it is `RefusedError` or `_OutOfTime`."""
        try:
            with self._open().checkout(os_policy=_POLICY) as session:
                if state:
                    session.load_session(state)
                yield session
        except MontyCrashedError as error:
            raise _OutOfTime(f"the sandbox worker ended: {_line(str(error))}") from None
        except MontyError as error:
            if heard.refused is not None:
                raise heard.refused from None
            raise _verdict(error) from None

    def _resume(self, session: MontySession, waiting: Waiting, heard: _Recording, reply: tuple[Any, ...]) -> Any:
        snapshot = session.load_snapshot(waiting.state, external_lookup=heard.host(), print_callback=heard.print)
        assert isinstance(snapshot, FunctionSnapshot), "a script waits in a call of the host"
        return snapshot.resume({"return_value": reply})

    def _open(self) -> Monty:
        if self._pool is None:
            self._pool = Monty(min_processes=1, max_processes=1)
            self._pool.__enter__()
        return self._pool

    def _prepare(self, seconds: float, names: frozenset[str], *, dynamic: bool) -> bytes:
        """A session that has read a prelude, as bytes that scripts start from."""
        text = prelude(names, dynamic=dynamic)
        key = (seconds, text)
        if key not in self._prepared:
            limits: ResourceLimits = {
                "max_feed_duration_secs": seconds,
                "max_memory": _MEMORY,
                "max_recursion_depth": _RECURSION,
                "max_suspensions": 1000,
                "max_total_sleep_secs": 0.0,
            }
            with self._open().checkout(limits=limits, os_policy=_POLICY) as session:
                session.feed_run(text, inputs={LIMITS: (self._max_agents, MAX_DEPTH)})
                self._prepared[key] = session.dump()
            if len(self._prepared) > _PRELUDES:
                self._prepared.popitem(last=False)
        return self._prepared[key]


def _until_it_waits(begin: Callable[[], Any], heard: _Recording, question: str) -> Waiting | Ended:
    """Answers what a dynamic script asks of its prelude, up to a run that it waits for, or its end."""
    ended = Ended(None, None)
    try:
        snapshot = begin()
        while not isinstance(snapshot, MontyComplete):
            if not isinstance(snapshot, FunctionSnapshot) or snapshot.function_name not in (RUN, END):
                snapshot = snapshot.resume_auto()
            elif snapshot.function_name == END:
                match snapshot.args:
                    case ("result", int(source)):
                        ended = Ended(source, None)
                    case ("text", str(text)):
                        ended = Ended(None, text)
                snapshot = snapshot.resume({"return_value": None})
            else:
                if heard.refused is not None:
                    raise heard.refused
                name, nodes, asked, state = snapshot.args
                graph = read_graph(name, nodes, None if asked == question else asked, state)
                return Waiting(graph, _kept(snapshot.dump()))
    except MontyError as error:
        if not _ends_there(error):
            raise
    if heard.refused is not None:
        raise heard.refused
    return ended


def _ends_there(error: MontyError) -> bool:
    """Whether a script ended itself (`sys.exit`), which is an end like any other."""
    return isinstance(error.exception(), SystemExit)


def _kept(state: bytes) -> bytes:
    if len(state) > _STATE:
        raise RefusedError("limit:memory", f"{len(state)} bytes to remember, at most {_STATE}")
    return state


def _plain(request: FunctionRequest) -> tuple[Any, ...]:
    arguments = json.loads(json.dumps(dict(request.arguments)))
    return (request.number, request.what, list(request.said), list(request.state), arguments)


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
