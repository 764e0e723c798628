"""What a run was made of, and what it cost."""

from __future__ import annotations

import hashlib
import platform
import resource
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import time

import mxspec
import runners
from mxspec.compile.job import Job
from mxspec.rundir.models import Cost, Provenance
from mxspec.spec.benchmark import Jsonl

_PACKAGES = ("mxspec", "torch", "transformers", "lightning", "ray", "numpy", "pydantic-monty", "pyarrow", "tokenizers")


@cache
def code_hash() -> str:
    """Hash of every Python file of mxspec and runners: what else could have made other numbers."""
    found = hashlib.sha256()
    for package in (mxspec, runners):
        assert package.__file__ is not None
        root = Path(package.__file__).parent
        for path in sorted(root.rglob("*.py")):
            found.update(path.relative_to(root).as_posix().encode())
            found.update(path.read_bytes())
    return found.hexdigest()


def provenance_of(job: Job) -> Provenance:
    """Hashes of spec, code and data, versions and machine; nothing of the environment."""
    sources = {name: one.source for name, one in job.spec.benchmarks.items()}
    return Provenance(
        run=job.run,
        cell=job.cell,
        seed=job.seed,
        arms=job.arms,
        name=job.spec.name,
        spec_hash=job.spec_hash,
        code_hash=code_hash(),
        data_hashes={name: one.sha256 or "" for name, one in sources.items() if isinstance(one, Jsonl)},
        versions={name: _version(name) for name in _PACKAGES},
        machine={
            "system": platform.system(),
            "machine": platform.machine(),
            "python": platform.python_version(),
            "threads": str(job.spec.runtime.trainer.threads),
            "accelerator": job.spec.runtime.trainer.accelerator,
        },
        created=time(),
    )


def cost_of(job: Job, seconds: float, steps: int, response_tokens: float, *, attempts: int) -> Cost:
    """What the attempt that ended the run cost."""
    return Cost(
        seconds=seconds,
        steps=steps,
        whole=attempts == 1,
        cpu_threads=job.threads,
        gpus=job.gpus,
        response_tokens=response_tokens,
        peak_memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
