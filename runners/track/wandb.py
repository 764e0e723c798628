"""A mirror of a run's progress in Weights & Biases: off by default, and offline without login or network.

It is never the record, and nothing that happens in it stops a run: its first error is
logged, and the mirror stays silent from then on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mxspec.compile.job import Job
from runners.outcome import Progress

logger = logging.getLogger("mxspec.run")


@contextmanager
def mirrored(job: Job) -> Iterator[Callable[[Progress], None]]:
    """Opens the mirror that the spec asks for (`runtime.track.wandb`).

    Args:
        job: The run.

    Yields:
        A function that mirrors the progress of a step; it does nothing where the mirror is
        disabled, and wandb is not imported then.
    """
    if job.spec.runtime.track.wandb.mode == "disabled":
        yield lambda progress: None
        return
    mirror = _Mirror(job)
    try:
        yield mirror.log
    finally:
        mirror.close()


class _Mirror:
    """One wandb run, or none after an error."""

    def __init__(self, job: Job) -> None:
        self._run: Any = None
        try:
            import wandb
        except ImportError:
            logger.warning("no mirror: wandb is not installed (pip install 'mxspec[wandb]')")
            return
        self._faults = (wandb.Error, OSError, ValueError, TimeoutError)
        settings = job.spec.runtime.track.wandb
        home = Path(job.runs_dir)
        try:
            self._run = wandb.init(
                project=settings.project,
                mode=settings.mode,
                dir=home,
                id=job.run,
                name=f"{'/'.join(job.arms) or job.spec.name} seed {job.seed}",
                group=job.spec.name,
                resume="allow",
                reinit="create_new",
                config=job.spec.model_dump(mode="json", by_alias=True),
                settings=wandb.Settings(silent=True, console="off", x_disable_stats=True, x_disable_meta=True),
            )
        except self._faults as error:
            self._give_up(error)

    def log(self, progress: Progress) -> None:
        """Mirrors one step."""
        if self._run is None:
            return
        values = {"stage_step": progress.stage_step, **{f"trains.{role}": 1 for role in progress.trained}}
        try:
            self._run.log(values | dict(progress.metrics), step=progress.step)
        except self._faults as error:
            self._give_up(error)

    def close(self) -> None:
        """Ends the wandb run."""
        if self._run is None:
            return
        try:
            self._run.finish()
        except self._faults as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        logger.warning("the mirror stops here, training goes on: %s: %s", type(error).__name__, error)
        self._run = None
