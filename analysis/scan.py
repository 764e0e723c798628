"""What run directories hold now: which steps are committed and current, and where their rows are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mxspec.rundir.rundir import MANIFEST, Committed, DamagedError, RunDir, committed

Part = tuple[int, int]
"""(step, attempt): what is committed at once."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be collected; the rest was."""

    path: str
    problem: str


class Moved(Exception):
    """Files went while they were looked at, since their run was compacted; look again."""


@dataclass(frozen=True, slots=True)
class Source:
    """A committed directory of rows.

    Attributes:
        run: Id of the run.
        attempt: Attempt that wrote it; None where every row says so itself (a compacted run).
        parts: What it holds.
        directory: The directory and its manifest.
    """

    run: str
    attempt: int | None
    parts: tuple[Part, ...]
    directory: Committed

    def verify(self) -> None:
        """Compares every file with the manifest.

        Raises:
            DamagedError: A file is missing or has other content.
            Moved: The whole directory is gone.
        """
        try:
            self.directory.verify()
        except (DamagedError, FileNotFoundError):
            if not (self.directory.path / MANIFEST).exists():
                raise Moved from None
            raise


@dataclass(frozen=True, slots=True)
class Change:
    """What a run's rows in the store lack, or have too much."""

    run: str
    anew: bool
    """Whether its rows in the store go first."""
    sources: tuple[Source, ...]


def change(run: RunDir, known: Collection[Part], problems: list[Problem]) -> Change | None:
    """Compares a run directory with the parts of it that the store has.

    Args:
        run: The run directory.
        known: What the store has.
        problems: Where manifests that cannot be read are reported; their directories do not exist.

    Returns:
        None where nothing is to be done. Where a part is void by now, or the run
        has been compacted with parts that are not known, everything is read anew.

    Raises:
        Moved: The run has been compacted in the meantime.
        OSError: The directory cannot be read.
    """
    whole = committed(run.compact)
    if whole is not None:
        parts = frozenset(whole.manifest.parts)
        if parts == frozenset(known):
            return None
        return Change(run.run, True, (Source(run.run, None, tuple(sorted(parts)), whole),))
    steps = {(step, attempt): path for step, (attempt, path) in run.current_steps().items()}
    anew = not steps.keys() >= set(known)
    new = {part: path for part, path in steps.items() if anew or part not in known}
    if not new and not anew:
        return None
    return Change(run.run, anew, tuple(_steps(run.run, new, problems)))


def files(sources: Collection[Source]) -> Mapping[str, list[tuple[str, Source]]]:
    """Table -> Parquet files of it, each with where it comes from."""
    found: dict[str, list[tuple[str, Source]]] = {}
    for source in sources:
        for name in source.directory.manifest.files:
            table, _, kind = name.rpartition(".")
            if kind == "parquet":
                found.setdefault(table, []).append((str(source.directory.path / name), source))
    return found


def _steps(run: str, paths: Mapping[Part, Path], problems: list[Problem]) -> Iterator[Source]:
    for part, path in paths.items():
        found = committed(path)
        if found is not None:
            yield Source(run, part[1], (part,), found)
        elif not (path / MANIFEST).exists():
            raise Moved
        else:
            problems.append(Problem(str(path), f"{MANIFEST} is no manifest"))
