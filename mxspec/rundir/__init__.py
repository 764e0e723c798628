"""The contract between runners, who write run directories, and analysis, which reads them."""

from mxspec.rundir.lock import BusyError, RunLock
from mxspec.rundir.models import Attempt, Cost, FileEntry, Lineage, Manifest, Provenance, Status
from mxspec.rundir.rundir import Committed, DamagedError, RunDir, commit, committed, discard, entries
from mxspec.rundir.runs import CheckpointInfo, RunInfo, open_run_info, open_runs
from mxspec.rundir.sweeps import SweepRecord, SweepRun, read_sweeps, write_sweep

__all__ = [
    "Attempt",
    "BusyError",
    "CheckpointInfo",
    "Committed",
    "Cost",
    "DamagedError",
    "FileEntry",
    "Lineage",
    "Manifest",
    "Provenance",
    "RunDir",
    "RunInfo",
    "RunLock",
    "Status",
    "SweepRecord",
    "SweepRun",
    "commit",
    "committed",
    "discard",
    "entries",
    "open_run_info",
    "open_runs",
    "read_sweeps",
    "write_sweep",
]
