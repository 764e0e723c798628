"""What runs cost: bounds in closed form, and what runs of the same kind took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from mxspec.plan.chain import Stretch
from mxspec.plan.expand import Expanded, executions_per_step
from mxspec.plan.plan import Bounds, Estimate
from mxspec.plan.size import decoder_in, memory_of
from mxspec.plan.status import Existing, longest
from mxspec.spec import Spec
from mxspec.spec.levels import width
from mxspec.spec.policy import Split
from mxspec.spec.runtime import MultipleOf, VllmEngine
from mxspec.spec.stages import RlStage, SftStage, Teacher
from mxspec.spec.structure import Generated

HOUR = 3600.0


def bounds_of(spec: Spec, chain: Sequence[Stretch]) -> Bounds:
    """Bounds of what the training of a run takes; its evaluations come on top."""
    executions = executions_per_step(spec)
    designs = spec.questions.per_step * width(spec.rollout.tree, "designs") if spec.questions is not None else 0
    steps = sum(stretch.steps or 0 for stretch in chain if stretch.kind == "rl")
    limits, roles = spec.rollout.limits, spec.roles
    writer = spec.structure.writer if isinstance(spec.structure, Generated) else None
    longest_call = max((role.sampling.max_tokens for name, role in roles.items() if name != writer), default=0)
    written = roles[writer].sampling.max_tokens if writer in roles and writer is not None else 0
    spans = tuple(_Span(one.stage_index, one.kind == "rl", one.first, one.first + longest(spec, one)) for one in chain)
    updates = [_updates(spec, stretch) for stretch in chain]
    decoder = decoder_in(spec)
    memory = memory_of(spec, decoder) if decoder is not None else None
    return Bounds(
        executions=steps * executions,
        calls=steps * (executions * limits.calls + (designs if writer else 0)),
        tokens=steps * (executions * min(limits.tokens, limits.calls * longest_call) + designs * written),
        optimizer_steps=None if None in updates else sum(one or 0 for one in updates),
        checkpoints=_kept(spec.runtime.checkpoints.keep, spans),
        checkpoint_mb=memory.checkpoint if memory else None,
        memory_mb=memory.total if memory else None,
    )


def _updates(spec: Spec, stretch: Stretch) -> int | None:
    """Optimizer steps of a stretch, at most; None where the rows of a file are not known."""
    stage = spec.stages[stretch.stage_index]
    if isinstance(stage, SftStage) and spec.learn.sft is not None:
        if not isinstance(stage.data, Teacher):
            return None
        rows, batch = stage.data.rows, spec.learn.sft.batch
        apart = isinstance(spec.policy.sharing, Split)
        batches = [ceil(count / batch) for count in rows.values()] if apart else [ceil(sum(rows.values()) / batch)]
        return longest(spec, stretch) * sum(batches)
    if isinstance(stage, RlStage) and spec.learn.rl is not None:
        update = spec.learn.rl.update
        turns = len(stretch.trains) if update.roles == "in_turn" else 1
        return (stretch.steps or 0) * update.epochs * update.minibatches * turns
    return 0


class _Span(NamedTuple):
    """Steps of a stage that a stretch takes, from `first` on."""

    stage: int
    rl: bool
    first: int
    end: int


@lru_cache(maxsize=256)
def _kept(keep: tuple[str | MultipleOf, ...], spans: tuple[_Span, ...]) -> int:
    """Checkpoints that outlive the run."""
    kept = set[tuple[int, int]]()
    for index, span in enumerate(spans):
        last = index + 1 == len(spans) or spans[index + 1].stage != span.stage
        if "block_end" in keep or ("stage_end" in keep and last) or ("end" in keep and index + 1 == len(spans)):
            kept.add((span.stage, span.end))
        for one in keep:
            if isinstance(one, MultipleOf) and span.rl:
                steps = range(span.first + 1, span.end + 1)
                kept |= {(span.stage, step) for step in steps if step % one.multiple_of == 0}
    return len(kept) + ("start" in keep)


def gpus_of(spec: Spec) -> int:
    """Devices that a run holds."""
    trainer, engine = spec.runtime.trainer, spec.runtime.engine
    if isinstance(engine, VllmEngine):
        return max(trainer.devices, engine.tensor_parallel * engine.replicas)
    return trainer.devices if trainer.accelerator == "cuda" else 0


def estimates(runs: Iterable[Expanded], existing: Mapping[str, Existing]) -> dict[str, Estimate]:
    """How long runs should take, by the finished runs of the same cell.

    A run's own time is meant: that of a prefix which it shares is the prefix's.

    Args:
        runs: Runs and prefixes.
        existing: Run directories by run.

    Returns:
        Run -> estimate; without seconds where no run of the cell has been finished.
    """
    took: dict[str, list[float]] = {}
    for one in existing.values():
        if one.seconds is not None and one.cell:
            took.setdefault(one.cell, []).append(one.seconds)
    found: dict[str, Estimate] = {}
    for run in runs:
        gpus, known = gpus_of(run.spec), took.get(run.cell)
        seconds = sum(known) / len(known) if known else None
        hours = 0.0 if not gpus else None if seconds is None else seconds * gpus / HOUR
        found[run.run] = Estimate(seconds=seconds, gpus=gpus, gpu_hours=hours)
    return found
