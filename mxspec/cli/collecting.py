"""Collection in the background: results land in the store while runs go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from time import monotonic

EVERY_SECONDS = 15.0
SHARE = 0.04
"""Of the time, at most, that collections take: the larger the store, the rarer they are."""


class BackgroundCollector:
    """A thread that collects every few seconds until it is stopped.

    A collection that fails (a full disk, a store that someone else holds open) is reported once
    and tried again the next time: the run directories are the record, so nothing is lost.
    """

    def __init__(self, runs_dir: Path, report: Callable[[str], None], every: float = EVERY_SECONDS) -> None:
        """Keeps where to collect from, and who is told about failures."""
        self._runs_dir = runs_dir
        self._report = report
        self._every = every
        self._over = Event()
        self._told: set[str] = set()
        self._thread = Thread(target=self._work, name="collector", daemon=True)

    def __enter__(self) -> BackgroundCollector:
        """Starts the thread."""
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        """Lets a collection in progress end, and stops."""
        self._over.set()
        self._thread.join()

    def collect(self) -> bool:
        """Collects once, in the calling thread.

        Returns:
            Whether it worked; the reason why not has been reported.
        """
        import duckdb

        from analysis.collect import collect

        try:
            collect(self._runs_dir)
        except (duckdb.Error, OSError, ValueError) as error:
            text = f"results are not collected for now ({error}); training goes on, and nothing is lost"
            if text not in self._told:
                self._told.add(text)
                self._report(text)
            return False
        return True

    def _work(self) -> None:
        pause = self._every
        while not self._over.wait(pause):
            since = monotonic()
            self.collect()
            pause = max(self._every, (monotonic() - since) / SHARE)
