"""Identity: a chain of states, `state = hash(version, state before, what a step does and reads)`.

Every step has a state, so two runs that begin alike share the states of all steps that they
have in common, whatever comes later: arms share cold starts, a longer run goes on from a
shorter one. The end of a stage that a gate ends has a state of its own, since the number of
its epochs is not known before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from mxspec.load.staged import spec_in_stage
from mxspec.plan.canonical import digest, leaves
from mxspec.plan.chain import Stretch
from mxspec.plan.reads import evaluation_reads, root_reads, stretch_reads
from mxspec.spec import Spec
from mxspec.spec.evaluate import Evaluation
from mxspec.spec.stages import Alternate, PreferenceStage, RlStage, SftStage, Stage

ID_LENGTH = 12
"""Hex digits of a run's id."""
NOT_IDENTITY = ("runtime", "name", "notes", "vars", "sweep")
"""Parts that `spec_hash` leaves out."""


def root_state(spec: Spec) -> str:
    """The state of the policies before any step, 64 hex digits."""
    return digest("root", root_reads(spec))


@lru_cache(maxsize=4096)
def _steps(start: str, content: str) -> list[str]:
    """States from `start` on under one content; grown by `state_at`."""
    return [start]


def state_at(stretch: Stretch, steps: int) -> str:
    """The state after some steps of a stretch.

    Args:
        stretch: The stretch.
        steps: Steps since its start, 0 or more. Of a stretch with a known length the last one
            gives `end_state`; the end of a gated one is `end_state` and no such state.

    Returns:
        64 hex digits.
    """
    assert steps >= 0, "a stretch has no step before its first"
    states = _steps(stretch.start_state, stretch.content)
    while len(states) <= steps:
        states.append(digest("step", states[-1], stretch.content))
    return states[steps]


def chain_of(spec: Spec) -> tuple[Stretch, ...]:
    """All stretches of a spec, in order.

    Args:
        spec: Resolved, its data files pinned.
    """
    chain: list[Stretch] = []
    state = root_state(spec)
    for index, stage in enumerate(spec.stages):
        contents: dict[tuple[str, ...], str] = {}
        staged = spec_in_stage(spec, stage)
        for first, steps, trains in blocks(stage):
            if trains not in contents:
                contents[trains] = digest("content", stretch_reads(staged, stage, trains))
            content = contents[trains]
            stretch = Stretch(
                stage=stage.name,
                stage_index=index,
                kind=stage.kind,
                trains=trains,
                first=first,
                steps=steps,
                start_state=state,
                content=content,
                end_state=digest("gate", state, content) if steps is None else "",
            )
            if steps is not None:
                stretch = stretch.model_copy(update={"end_state": state_at(stretch, steps)})
            state = stretch.end_state
            chain.append(stretch)
        if isinstance(stage, RlStage) and stage.stop is not None:  # nobody knows before after how many steps it ends
            state = digest("stop", state)
            chain[-1] = chain[-1].model_copy(update={"end_state": state})
    return tuple(chain)


def blocks(stage: Stage) -> Iterator[tuple[int, int | None, tuple[str, ...]]]:
    """First step, number of steps and trained roles of each block of a stage; the last may be cut."""
    if isinstance(stage, SftStage):
        yield 0, stage.epochs, stage.train
        return
    if not isinstance(stage, RlStage):
        yield 0, stage.rounds, stage.train if isinstance(stage, PreferenceStage) else ()
        return
    if not isinstance(stage.train, Alternate):
        yield 0, stage.steps, stage.train
        return
    order, every = stage.train.order, stage.train.every
    for block, first in enumerate(range(0, stage.steps, every)):
        yield first, min(every, stage.steps - first), (order[block % len(order)],)


def last_state(spec: Spec, chain: tuple[Stretch, ...]) -> str:
    """The state after the last step; where there is none, the first one as judged by the evaluations.

    A run without steps is its evaluations: were its id that of the first state alone, another
    evaluation of the same policies would count as done.
    """
    if chain:
        return chain[-1].end_state
    root = root_state(spec)
    states = dict.fromkeys(spec.roles, root)
    return digest("judged", root, sorted(evaluation_id(one, spec, states) for one in spec.evaluate.values()))


def run_id(state: str) -> str:
    """The id of the run that ends in a state: its first 12 hex digits."""
    return state[:ID_LENGTH]


def cell_id(spec: Spec) -> str:
    """The id of a spec without its seed: equal for replicates and for nothing else."""
    seedless = {key: value for key, value in root_reads(spec).items() if key != "seed"}
    contents: list[list[object]] = [
        [digest("content", _without_seeds(stretch_reads(staged, stage, trains))), steps]
        for stage, staged in ((one, spec_in_stage(spec, one)) for one in spec.stages)
        for _, steps, trains in blocks(stage)
    ]
    return run_id(digest("cell", seedless, _runs_of_equal(contents)))


def _without_seeds(reads: dict[str, object]) -> dict[str, object]:
    watched = reads.get("watched")
    if not isinstance(watched, dict):
        return reads
    unseeded = {name: {key: value for key, value in one.items() if key != "seed"} for name, one in watched.items()}
    return {**reads, "watched": unseeded}


def _runs_of_equal(contents: list[list[object]]) -> list[list[object]]:
    """Neighbours of equal content as one, as the chain of states has them."""
    merged: list[list[object]] = []
    for content, steps in contents:
        if merged and merged[-1][0] == content and isinstance(steps, int) and isinstance(merged[-1][1], int):
            merged[-1] = [content, merged[-1][1] + steps]
        else:
            merged.append([content, steps])
    return merged


def evaluation_id(evaluation: Evaluation, spec: Spec, role_states: Mapping[str, str]) -> str:
    """The id of an evaluation at some states.

    Args:
        evaluation: The evaluation; neither its name nor when it is due counts.
        spec: The spec around it, its data files pinned.
        role_states: The state that serves each role.

    Returns:
        12 hex digits.
    """
    return run_id(digest("evaluation", dict(role_states), evaluation_reads(evaluation, spec)))


def spec_hash(spec: Spec) -> str:
    """Hash of all that a spec declares, runtime and labels aside; evaluations included."""
    declared = leaves(spec)
    return run_id(digest("spec", {key: value for key, value in declared.items() if key not in NOT_IDENTITY}))
