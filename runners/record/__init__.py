"""Recording: rows of a step, checkpoints and heartbeats into a run directory."""

from runners.record.recorder import Recorder, StorageError

__all__ = ["Recorder", "StorageError"]
