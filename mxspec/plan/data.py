"""Data files: the first candidate that exists, and the hash of its content in the spec."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from mxspec.load.checks.data import used_benchmarks
from mxspec.load.environment import resolve
from mxspec.load.errors import Diagnostic, Position, SpecErrors
from mxspec.load.loaded import Loaded
from mxspec.spec import Spec
from mxspec.spec.benchmark import Jsonl
from mxspec.spec.stages import DemonstrationFile, SftStage, Stage


def find_data(candidates: Sequence[str], base_dir: Path) -> Path | None:
    """The first candidate that is set and exists; None where there is none.

    Args:
        candidates: Paths, references to the environment allowed.
        base_dir: Where relative ones start from.
    """
    for candidate in candidates:
        resolved = resolve(candidate)
        if resolved and (base_dir / Path(resolved).expanduser()).is_file():
            return base_dir / Path(resolved).expanduser()
    return None


def sha256_of(path: Path) -> str:
    """Hash of a file's bytes, taken again only where the file has changed."""
    found = path.stat()
    return _sha256(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=256)
def _sha256(path: Path, modified: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


Pins = dict[tuple[int, ...], tuple[tuple[object, ...], dict[str, object]]]
"""What was pinned of the parts that points of a sweep share; the parts are kept, so that their ids stay theirs."""


def pin(spec: Spec, loaded: Loaded, known: Pins | None = None) -> Spec:
    """A spec with the hash of every data file that it reads.

    Args:
        spec: The spec.
        loaded: Where it was read.
        known: What was pinned for other points; filled in.

    Raises:
        SpecErrors: A file is missing, or is not the one that the spec asks for.
    """
    parts = (spec.benchmarks, spec.stages, spec.runtime.data, spec.questions, spec.evaluate)
    key = tuple(map(id, parts))
    known = {} if known is None else known
    if key not in known:
        known[key] = (parts, _pinned(spec, loaded))
    return spec.model_copy(update=known[key][1])


def _pinned(spec: Spec, loaded: Loaded) -> dict[str, object]:
    benchmarks = dict(spec.benchmarks)
    errors: list[Diagnostic] = []
    for name in used_benchmarks(spec):
        benchmark = benchmarks[name]
        source = benchmark.source
        if not isinstance(source, Jsonl):
            continue
        where = f"runtime.data.{source.data}"
        at = next(
            (at for path, at in loaded.origins.items() if path.startswith(f"{where}[")), Position(str(loaded.path))
        )
        candidates = spec.runtime.data[source.data]
        path = find_data(candidates, loaded.base_dir)
        if path is None:
            tried = ", ".join(candidates)
            message = f"no data file for the benchmark {name!r}: none of {tried} exists"
            errors.append(Diagnostic("no-data-file", message, "put the file there, or add a path", where, at))
            continue
        found = sha256_of(path)
        if source.sha256 not in (None, found):
            message = f"{path} is not the file that the benchmark {name!r} asks for (sha256 {found})"
            errors.append(Diagnostic("other-data", message, "restore the file, or remove `sha256`", where, at))
            continue
        benchmarks[name] = benchmark.model_copy(update={"source": source.model_copy(update={"sha256": found})})
    stages = tuple(_demonstrations(stage, loaded, errors) for stage in spec.stages)
    if errors:
        raise SpecErrors(errors)
    return {"benchmarks": benchmarks, "stages": stages}


def _demonstrations(stage: Stage, loaded: Loaded, errors: list[Diagnostic]) -> Stage:
    """A stage with the hash of the file that it imitates."""
    if not isinstance(stage, SftStage) or not isinstance(stage.data, DemonstrationFile):
        return stage
    where = f"stages.{stage.name}.data.file"
    at = loaded.origins.get(where, Position(str(loaded.path)))
    path = find_data([stage.data.file], loaded.base_dir)
    if path is None:
        message = f"no file of demonstrations for the stage {stage.name!r}: {stage.data.file} does not exist"
        errors.append(Diagnostic("no-data-file", message, "put the file there", where, at))
        return stage
    found = sha256_of(path)
    if stage.data.sha256 not in (None, found):
        message = f"{path} is not the file that the stage {stage.name!r} asks for (sha256 {found})"
        errors.append(Diagnostic("other-data", message, "restore the file, or remove `sha256`", where, at))
        return stage
    return stage.model_copy(update={"data": stage.data.model_copy(update={"sha256": found})})
