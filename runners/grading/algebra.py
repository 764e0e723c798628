"""Algebra in a process that can be killed: the deadline of one pair is never another one's."""

from __future__ import annotations

import atexit
import json
import os
import selectors
import signal
import subprocess
import sys
from threading import Lock
from time import monotonic
from typing import IO, Any, cast

DEADLINE = 2.0
"""Seconds for one pair."""
START = 60.0
"""Seconds that a process may take to start; its import of sympy is not the pair's fault."""


class AlgebraTimeout(Exception):
    """A pair took longer than its deadline."""


class AlgebraError(Exception):
    """The process could not judge a pair."""


class _Worker:
    """One process; it is told to be ready once it has imported what it needs."""

    def __init__(self) -> None:
        self._ready = False
        self.process = subprocess.Popen(
            [sys.executable, "-m", "runners.grading.algebra_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def ask(self, question: object, seconds: float) -> dict[str, Any]:
        """The answer to a question.

        Raises:
            AlgebraTimeout: There was none before the deadline.
            AlgebraError: The process has ended.
        """
        if not self._ready:
            self._line(START)
            self._ready = True
        try:
            stdin = cast("IO[bytes]", self.process.stdin)
            stdin.write(json.dumps(question).encode() + b"\n")
            stdin.flush()
        except OSError as error:
            raise AlgebraError("the process has ended") from error
        return self._line(seconds)

    def _line(self, seconds: float) -> dict[str, Any]:
        assert self.process.stdout is not None
        end, read = monotonic() + seconds, b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not read.endswith(b"\n"):
                left = end - monotonic()
                if left <= 0 or not selector.select(left):
                    raise AlgebraTimeout
                more = os.read(self.process.stdout.fileno(), 65536)
                if not more:
                    raise AlgebraError("the process has ended")
                read += more
        return cast("dict[str, Any]", json.loads(read))

    def kill(self) -> None:
        """Ends the process, whatever it does."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class Algebra:
    """Compares formulas in a process; started when it is first needed.

    After the first pair that had to be killed a second process stands by, so that the pair after the
    next such one does not wait for a start.
    """

    def __init__(self, deadline: float = DEADLINE) -> None:
        self.deadline = deadline
        self._workers: list[_Worker] = []
        self._wanted = 1
        self._lock = Lock()
        atexit.register(self.close)

    def same(self, gold: str, given: str) -> bool | None:
        """Whether two formulas are the same; None where one of them cannot be read.

        Raises:
            AlgebraTimeout: It took longer than the deadline.
            AlgebraError: It raised, or ended.
        """
        with self._lock:
            self._staff()
            worker = self._workers[0]
            try:
                found = worker.ask([gold, given], self.deadline)
            except (AlgebraTimeout, AlgebraError):
                self._workers.remove(worker)
                worker.kill()
                self._wanted = 2
                self._staff()
                raise
        if "error" in found:
            raise AlgebraError(found["error"])
        return cast("bool | None", found["same"])

    def _staff(self) -> None:
        """Has as many processes as are wanted, and none that has ended."""
        for worker in [one for one in self._workers if one.process.poll() is not None]:
            self._workers.remove(worker)
            worker.kill()
        while len(self._workers) < self._wanted:
            self._workers.append(_Worker())

    def close(self) -> None:
        """Ends the processes."""
        with self._lock:
            for worker in self._workers:
                worker.kill()
            self._workers.clear()
