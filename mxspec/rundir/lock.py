"""One process trains a run at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from time import sleep
from types import TracebackType
from typing import IO

TRIES, PAUSE = 10, 0.02
"""How often, and after how many seconds, a lock is tried again: whoever asks `is_locked` holds it for a moment."""


class BusyError(ValueError):
    """Another process works on the run.

    Attributes:
        path: The run directory.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path}: another process works on this run")
        self.path = path


class RunLock:
    """An advisory lock on a run directory; the kernel drops it when its process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def __enter__(self) -> RunLock:
        """Takes the lock.

        Raises:
            BusyError: Another process holds it.
        """
        self._path.mkdir(parents=True, exist_ok=True)
        file = (self._path / "lock").open("w", encoding="utf-8")
        for patience in reversed(range(TRIES)):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if patience:
                    sleep(PAUSE)
                    continue
                file.close()
                raise BusyError(self._path) from None
        file.write(str(os.getpid()))
        file.flush()
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drops the lock."""
        if self._file is not None:
            self._file.close()
            self._file = None


def is_locked(path: Path) -> bool:
    """Whether some process works on a run."""
    try:
        with (path / "lock").open("r", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False
    except FileNotFoundError:
        return False
