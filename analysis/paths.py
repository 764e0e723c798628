"""Where the store of a directory of runs is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class StorePaths:
    """The files of a store.

    Attributes:
        runs_dir: Where the run directories are.
    """

    runs_dir: Path

    @property
    def published(self) -> Path:
        """What people open; replaced as a whole, so whoever has it open keeps what they opened."""
        return self.runs_dir / "results.duckdb"

    @property
    def own(self) -> Path:
        """Directory of the collector."""
        return self.runs_dir / ".store"

    @property
    def index(self) -> Path:
        """The collector's database; no other process opens it."""
        return self.own / "index.duckdb"

    @property
    def lock(self) -> Path:
        """Held by the process that collects."""
        return self.own / "lock"
