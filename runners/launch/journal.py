"""The log of a run for people: `run.log` in its directory, one line a step, warnings and tracebacks included.

It is no record: everything that counts is in the committed steps.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from runners.outcome import Progress

LOG_NAME = "run.log"


class _Lines(logging.Formatter):
    """`2026-01-31T12:00:00Z LEVEL text`, with every further line indented."""

    def format(self, record: logging.LogRecord) -> str:
        """One record."""
        at = datetime.fromtimestamp(record.created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        return f"{at} {record.levelname:<7} " + text.replace("\n", "\n    ")


@contextmanager
def journal(run_dir: Path) -> Iterator[logging.Logger]:
    """Opens the log of a run; warnings and log records of every library go there meanwhile.

    Raises:
        OSError: The directory cannot be made, or the file not written.
    """
    run_dir.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(run_dir / LOG_NAME, encoding="utf-8")
    handler.setFormatter(_Lines())
    handler.setLevel(logging.INFO)
    root, logger = logging.getLogger(), logging.getLogger("mxspec.run")
    level = logger.level
    logger.setLevel(logging.INFO)
    root.addHandler(handler)
    logging.captureWarnings(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            yield logger
    finally:
        logging.captureWarnings(False)
        root.removeHandler(handler)
        logger.setLevel(level)
        handler.close()


def progress_line(progress: Progress) -> str:
    """`rl 20 (25/125) trains executor  evaluate.test.accuracy .52`."""
    parts = [f"{progress.stage} {progress.stage_step} ({progress.step}/{progress.total_steps})"]
    if progress.trained:
        parts.append(f"trains {', '.join(progress.trained)}")
    parts += [f"{name} {value:.3f}" for name, value in progress.metrics.items() if name in progress.news]
    if progress.message:
        parts.append(progress.message)
    return "  ".join(parts)
