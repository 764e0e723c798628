"""The recorder of a run: rows wait in memory for their step's commit, then are durable.

A full disk stops no training: rows of steps that could not be written wait, in
bounded number, and are written before anything later is. A checkpoint is only
committed when every step before it is durable, so whatever a resumed run starts
from has all its rows; steps after it may be lost with the power, and are taken again.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import time
from typing import Any

from mxspec.rundir.files import make_durable, write_whole
from mxspec.rundir.models import Attempt, Lineage, Manifest, State, Status
from mxspec.rundir.rundir import MANIFEST, Committed, RunDir, commit, discard, entries
from mxspec.rundir.tables import FailureRow
from runners.outcome import Progress
from runners.record.parquet import encode_rows, table_of, write_encoded

MOST_WAITING = 400_000
"""Rows that may wait for disk space (about half a gigabyte)."""

HEARTBEAT = 1.0
"""Seconds between two writings of the status while nothing else changes."""


class StorageError(OSError):
    """More rows wait for disk space than memory should hold; the run stops and can go on later."""


@dataclass(slots=True)
class _Waiting:
    """A step whose rows are not durable yet."""

    step: int
    stage: str
    stage_step: int
    state: str
    tables: dict[str, list[Any]]

    @property
    def rows(self) -> int:
        return sum(len(rows) for rows in self.tables.values())


class Recorder:
    """Writes one attempt of a run into its directory."""

    def __init__(self, run_dir: RunDir, attempt: int) -> None:
        """Records attempt `attempt`; `start` is the way to begin one."""
        self.run_dir = run_dir
        self.attempt = attempt
        self.problem = ""
        """Why rows wait; empty while all are durable."""
        self._tables: dict[str, list[Any]] = {}
        self._waiting: list[_Waiting] = []
        self._fresh: list[Path] = []
        self._status = Status(run=run_dir.run, state="running")
        self._beat = 0.0
        self._attempt: Attempt | None = None

    @classmethod
    def start(cls, run_dir: RunDir, *, from_step: int) -> Recorder:
        """Begins a new attempt; rows of older ones from `from_step` on become void.

        Args:
            run_dir: The run directory; the caller holds its lock.
            from_step: Steps done in the state that the attempt goes on from.

        Raises:
            OSError: The directory cannot be written.
        """
        before = run_dir.attempts()
        number = before[-1].attempt + 1 if before else 0
        recorder = cls(run_dir, number)
        run_dir.write(f"attempts/{number:04d}.json", recorder._begun(from_step))
        recorder._say(state="running", step=from_step)
        return recorder

    def _begun(self, from_step: int) -> Attempt:
        self._attempt = Attempt(
            attempt=self.attempt, from_step=from_step, started=time(), pid=os.getpid(), host=socket.gethostname()
        )
        return self._attempt

    def lineage(self, lineage: Lineage) -> None:
        """Records that the run goes on from another run's state."""
        self.run_dir.write("lineage.json", lineage)

    def add(self, rows: Iterable[object]) -> None:
        """Rows of the step under way, of any tables."""
        for row in rows:
            self._tables.setdefault(table_of(row), []).append(row)

    def commit_step(self, *, step: int, stage: str, stage_step: int, state: str) -> None:
        """Writes the step's rows, then its manifest; where the disk is full they wait.

        Raises:
            StorageError: Too many rows wait.
        """
        self._waiting.append(_Waiting(step, stage, stage_step, state, self._tables))
        self._tables = {}
        if not self._flush() and sum(one.rows for one in self._waiting) > MOST_WAITING:
            raise StorageError(f"{self.problem}; free space and run again, it goes on from the last checkpoint")

    def _flush(self) -> bool:
        """Writes what waits, oldest first; False where something still waits."""
        while self._waiting:
            one = self._waiting[0]
            path = self.run_dir.step(one.step, self.attempt)
            try:
                discard(path)
                path.mkdir(parents=True)
                files = {
                    name: write_encoded(path / name, encode_rows(rows), len(rows))
                    for name, rows in ((f"{table}.parquet", rows) for table, rows in one.tables.items())
                }
                commit(
                    path,
                    Manifest(
                        kind="step",
                        attempt=self.attempt,
                        step=one.step,
                        stage=one.stage,
                        stage_step=one.stage_step,
                        state=one.state,
                        files=files,
                    ),
                    durable=False,
                )
                self._fresh += [path / name for name in (*files, MANIFEST)]
            except OSError as error:
                self.problem = f"{path}: {error.strerror or error}: {len(self._waiting)} steps wait to be written"
                told = one.tables.setdefault(_FAILURES, [])
                if not any(row.where == "rows" for row in told):
                    told.append(_failure(one.step, "rows", error))
                return False
            self._waiting.pop(0)
        self.problem = ""
        return True

    def _settle(self) -> None:
        """Makes all steps so far durable: what follows relies on them."""
        for file in self._fresh:
            make_durable(file)
        self._fresh.clear()

    def commit_checkpoint(
        self, *, step: int, stage: str, stage_step: int, state: str, write: Callable[[Path], None]
    ) -> bool:
        """Commits a checkpoint of the state after `step` steps.

        Args:
            step: Steps done.
            stage: Stage under way.
            stage_step: Steps of it done.
            state: State of the policies.
            write: Writes the checkpoint's files into a directory.

        Returns:
            False where the disk is full: training goes on from an older checkpoint if killed.
        """
        if not self._flush():
            return False
        path = self.run_dir.checkpoint(step)
        try:
            discard(path)
            path.mkdir(parents=True)
            write(path)
            for file in path.rglob("*"):
                if file.is_file():
                    make_durable(file)
            self._settle()
            commit(
                path,
                Manifest(
                    kind="checkpoint",
                    attempt=self.attempt,
                    step=step,
                    stage=stage,
                    stage_step=stage_step,
                    state=state,
                    files=entries(path),
                ),
            )
        except OSError as error:
            self.problem = f"{path}: {error.strerror or error}: the checkpoint was not written"
            self.add([_failure(step, "checkpoint", error)])
            shutil.rmtree(path, ignore_errors=True)
            return False
        return True

    def prune_checkpoints(self, keeps: Callable[[Manifest], bool]) -> None:
        """Removes the checkpoints that `keeps` refuses; never the newest, which a resumed run goes on from."""
        for one in self.run_dir.checkpoints()[:-1]:
            if not keeps(one.manifest):
                discard(one.path)

    def heartbeat(self, progress: Progress, *, force: bool = False) -> None:
        """Says where the run stands; at most once a second unless forced."""
        if force or time() - self._beat >= HEARTBEAT:
            self._say(
                state="running",
                stage=progress.stage,
                stage_step=progress.stage_step,
                step=progress.step,
                total_steps=progress.total_steps,
                trained=progress.trained,
                message=progress.message or self.problem,
                metrics=dict(progress.metrics),
            )

    def give_up(self, error: BaseException, *, step: int) -> None:
        """Says that an exception ended the attempt: a failure, or an interruption by a second Ctrl-C."""
        if isinstance(error, KeyboardInterrupt):
            self.finish("interrupted", step=step)
        else:
            self.finish("failed", step=step, message=f"{type(error).__name__}: {error}")

    def finish(self, state: State, *, step: int, message: str = "") -> None:
        """Says how the attempt ended. What waits is tried once more.

        Raises:
            StorageError: Rows still wait although the run is done.
        """
        if not self._flush() and state == "done":
            raise StorageError(f"{self.problem}; free space and run again, it goes on from the last checkpoint")
        self._say(state=state, step=step, message=message)
        if self._attempt is not None:
            ended = self._attempt.model_copy(update={"ended": time(), "state": state, "message": message})
            try:
                self.run_dir.write(f"attempts/{self.attempt:04d}.json", ended)
            except OSError as error:
                self.problem = f"{self.run_dir.path}: {error.strerror or error}"

    def steps(self) -> tuple[Committed, ...]:
        """Current steps of the run."""
        return self.run_dir.steps()

    def _say(self, **changes: Any) -> None:
        self._beat = time()
        self._status = self._status.model_copy(
            update={
                "attempt": self.attempt,
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "heartbeat": self._beat,
                **changes,
            }
        )
        try:
            write_whole(self.run_dir.path / "status.json", self._status.model_dump_json(indent=1) + "\n", durable=False)
        except OSError as error:
            self.problem = f"{self.run_dir.path}: {error.strerror or error}"


_FAILURES = table_of(FailureRow(0, "", "", ""))


def _failure(step: int, where: str, error: OSError) -> FailureRow:
    return FailureRow(step, where, errno.errorcode.get(error.errno or 0, "OSError"), str(error))
