"""Specs that a spec refers to, and the places in them that are meant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from mxspec.load.nodes import Path
from mxspec.spec import Spec
from mxspec.spec.reference import RunReference
from mxspec.spec.roles import CheckpointModel
from mxspec.spec.runtime import MultipleOf
from mxspec.spec.stages import Alternate, RlStage, SftStage, Stage

if TYPE_CHECKING:
    from mxspec.load.loaded import Loaded

_UNDER_WAY: ContextVar[tuple[FilePath, ...]] = ContextVar("under_way", default=())


class CircleError(ValueError):
    """A spec refers to itself, by way of others."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a state of another run, and where it stands."""

    path: Path
    run: RunReference
    stage: str
    step: int
    role: str | None


def references_of(spec: Spec) -> Iterator[Reference]:
    """All references of a spec that are complete."""
    if spec.init is not None and spec.init.run and spec.init.stage is not None and spec.init.step is not None:
        yield Reference(("init",), spec.init.run, spec.init.stage, spec.init.step, None)
    for name, role in spec.roles.items():
        model = role.model
        if isinstance(model, CheckpointModel):
            yield Reference(("roles", name, "model"), model.run, model.stage, model.step, model.role)


@contextmanager
def under_way(path: FilePath) -> Iterator[None]:
    """Marks a spec as being loaded.

    Raises:
        CircleError: It is being loaded already.
    """
    before = _UNDER_WAY.get()
    if path in before:
        raise CircleError(" -> ".join(one.name for one in (*before[before.index(path) :], path)))
    token = _UNDER_WAY.set((*before, path))
    try:
        yield
    finally:
        _UNDER_WAY.reset(token)


def load_referenced(path: FilePath) -> Loaded:
    """The spec in a file, loaded once while the file does not change.

    Raises:
        OSError: There is no such file.
        SpecErrors: It is wrong.
        CircleError: It refers back to a spec that is being loaded.
    """
    found = path.stat()
    with under_way(path):
        return _loaded(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=32)
def _loaded(path: FilePath, modified: int, size: int) -> Loaded:
    from mxspec.load.loading import load_spec

    return load_spec(path)


def longest(stage: Stage) -> int | None:
    """Steps of a stage; None where something else than a count ends it."""
    if isinstance(stage, SftStage):
        return stage.epochs
    return stage.steps if isinstance(stage, RlStage) else stage.rounds


def is_kept(spec: Spec, index: int, step: int) -> bool:
    """Whether the checkpoint after some steps of a stage outlives its run."""
    keep = spec.runtime.checkpoints.keep
    if step == 0:
        return "start" in keep if index == 0 else "stage_end" in keep
    stage = spec.stages[index]
    kept = any(isinstance(one, MultipleOf) and step % one.multiple_of == 0 for one in keep)
    if step == longest(stage):
        kept |= "stage_end" in keep or "block_end" in keep
        kept |= index + 1 == len(spec.stages) and "end" in keep
    if isinstance(stage, RlStage) and isinstance(stage.train, Alternate):
        kept |= step % stage.train.every == 0 and "block_end" in keep
    return kept
