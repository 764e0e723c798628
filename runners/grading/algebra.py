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


class Algebra:
    """A worker process that compares formulas; started when it is first needed, and anew after a kill."""

    def __init__(self, deadline: float = DEADLINE) -> None:
        self.deadline = deadline
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._lock = Lock()
        atexit.register(self.close)

    def same(self, gold: str, given: str) -> bool | None:
        """Whether two formulas are the same; None where one of them cannot be read.

        Raises:
            AlgebraTimeout: It took longer than the deadline.
            AlgebraError: It raised, or ended.
        """
        with self._lock:
            process = self._started()
            stdin = cast(IO[bytes], process.stdin)
            try:
                stdin.write(json.dumps([gold, given]).encode() + b"\n")
                stdin.flush()
            except OSError as error:
                self._kill()
                raise AlgebraError("the process has ended") from error
            found = self._line(self.deadline)
        if "error" in found:
            raise AlgebraError(found["error"])
        return cast("bool | None", found["same"])

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._spawn()
        if not self._ready:
            self._line(START)
            self._ready = True
        assert self._process is not None
        return self._process

    def _spawn(self) -> None:
        self._ready = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "runners.grading.algebra_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    def _line(self, seconds: float) -> dict[str, Any]:
        """The next line of the process, before a deadline; after it the process is killed and the next one started."""
        assert self._process is not None and self._process.stdout is not None
        end, read = monotonic() + seconds, b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not read.endswith(b"\n"):
                left = end - monotonic()
                if left <= 0 or not selector.select(left):
                    self._kill()
                    self._spawn()
                    raise AlgebraTimeout
                more = os.read(self._process.stdout.fileno(), 65536)
                if not more:
                    self._kill()
                    raise AlgebraError("the process has ended")
                read += more
        return cast("dict[str, Any]", json.loads(read))

    def _kill(self) -> None:
        process, self._process, self._ready = self._process, None, False
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._kill()
