"""A job: one run (or a shared prefix of runs), ready to be placed and executed."""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, SerializeAsAny

from mxspec.plan.chain import Continues, Stretch
from mxspec.spec import Spec

__all__ = ["Continues", "Job", "Stretch"]


class Job(BaseModel):
    """What a worker needs to execute one run; JSON all the way down."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    """Id: the state after the last step."""
    cell: str
    """Hash of the resolved spec without its seed."""
    seed: int
    arms: tuple[str, ...]
    """Names of the arms that this run stands for (aliases included)."""
    spec: SerializeAsAny[Spec]
    """Resolved, files inlined (`prompt.text`, scripts), `sweep` removed."""
    spec_hash: str
    chain: tuple[Stretch, ...]
    root_state: str
    """State of the policies before any step."""
    prefix: bool = False
    """Whether it trains only a prefix that other runs share (so its end is no run's end)."""
    needs: tuple[str, ...] = ()
    """Runs that must be done first (shared prefixes)."""
    runs_dir: str
    base_dir: str
    """Directory that relative data paths are resolved against."""
    threads: int = 1
    memory_mb: int = 2000
    gpus: float = 0.0


def read_job(text: str) -> Job:
    """Reads a job; where its spec has plugins, their code, which was trusted when it was planned, is run.

    Raises:
        PluginError: A plugin cannot be used here.
    """
    plugins = json.loads(text)["spec"]["plugins"]
    if not plugins:
        return Job.model_validate_json(text)
    from mxspec.plugins.language import read_with

    return read_with(Job, text, plugins)
