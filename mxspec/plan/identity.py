"""Identity: a chain of states, `state = hash(version, state before, what a step does and reads)`.

Every step has a state, so two runs that begin alike share the states of all steps that they
have in common, whatever comes later: arms share cold starts, a longer run goes on from a
shorter one. The end of a stage that a gate ends has a state of its own, since the number of
its epochs is not known before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mxspec.load.staged import spec_in_stage
from mxspec.plan.canonical import digest, digest_of_steps, leaves
from mxspec.plan.chain import Stretch
from mxspec.plan.reads import evaluation_reads, root_reads, stretch_reads
from mxspec.spec import Spec
from mxspec.spec.evaluate import Evaluation
from mxspec.spec.stages import Alternate, PluggedStage, PreferenceStage, RlStage, SftStage, Stage

ID_LENGTH = 12
"""Hex digits of a run's id."""
NOT_IDENTITY = ("runtime", "name", "notes", "vars", "sweep")
"""Parts that `spec_hash` leaves out."""


def root_state(spec: Spec) -> str:
    """The state of the policies before any step, 64 hex digits."""
    return digest("root", root_reads(spec))


def state_at(stretch: Stretch, steps: int) -> str:
    """The state after some steps of a stretch.

    Neighbouring stretches of equal content count their steps from where the first of them began, so
    that how a stage is cut into blocks changes no state.

    Args:
        stretch: The stretch.
        steps: Steps since its start, 0 or more. Of a stretch with a known length the last one
            gives `end_state`; the end of a gated one is `end_state` and no such state.

    Returns:
        64 hex digits.
    """
    assert steps >= 0, "a stretch has no step before its first"
    if steps == 0:
        return stretch.start_state
    return digest_of_steps(stretch.base_state, stretch.content, stretch.base_steps + steps)


@dataclass(frozen=True, slots=True)
class Identity:
    """Everything by which a spec is known: the states of its run, and the ids of run and cell."""

    root_state: str
    chain: tuple[Stretch, ...]
    run: str
    cell: str
    spec_hash: str


def identify(spec: Spec) -> Identity:
    """The identity of a spec.

    Args:
        spec: Resolved, its data files pinned and its references named by their states.
    """
    root = root_state(spec)
    contents = _Contents(spec)
    chain = _chain(spec, root, contents)
    return Identity(root, chain, run_id(last_state(spec, chain)), _cell(spec, contents), spec_hash(spec))


class _Contents:
    """Hashes of what the steps of a spec do and read, each taken once."""

    def __init__(self, spec: Spec) -> None:
        self._staged = [spec_in_stage(spec, stage) for stage in spec.stages]
        self._known: dict[tuple[int, tuple[str, ...], bool], str] = {}

    def of(self, index: int, trains: tuple[str, ...], *, seeded: bool = True) -> str:
        """The content of a step of a stage that trains some roles; without the seeds of what it watches on request."""
        key = (index, trains, seeded)
        if key not in self._known:
            staged = self._staged[index]
            reads = stretch_reads(staged, staged.stages[index], trains)
            self._known[key] = digest("content", reads if seeded else _without_seeds(reads))
            if "watched" not in reads:  # nothing in it is seeded
                self._known[index, trains, not seeded] = self._known[key]
        return self._known[key]


def chain_of(spec: Spec) -> tuple[Stretch, ...]:
    """All stretches of a spec, in order.

    Args:
        spec: Resolved, its data files pinned.
    """
    return _chain(spec, root_state(spec), _Contents(spec))


def _chain(spec: Spec, state: str, contents: _Contents) -> tuple[Stretch, ...]:
    chain: list[Stretch] = []
    for index, stage in enumerate(spec.stages):
        for first, steps, trains in blocks(stage):
            content = contents.of(index, trains)
            before = chain[-1] if chain else None
            goes_on = before is not None and before.content == content and before.end_state == state
            base, done = state, 0
            if goes_on and before is not None and before.steps is not None:
                base, done = before.base_state, before.base_steps + before.steps
            end = digest("gate", state, content) if steps is None else digest_of_steps(base, content, done + steps)
            if isinstance(stage, RlStage) and stage.stop is not None and first + (steps or 0) == stage.steps:
                end = digest("stop", end)  # nobody knows before after how many steps it ends
            stretch = Stretch(
                stage=stage.name,
                stage_index=index,
                kind=stage.kind,
                trains=trains,
                first=first,
                steps=steps,
                start_state=state,
                base_state=base,
                base_steps=done,
                content=content,
                end_state=end,
            )
            state = end
            chain.append(stretch)
    return tuple(chain)


def blocks(stage: Stage) -> Iterator[tuple[int, int | None, tuple[str, ...]]]:
    """First step, number of steps and trained roles of each block of a stage; the last may be cut."""
    if isinstance(stage, SftStage):
        yield 0, stage.epochs, stage.train
        return
    if not isinstance(stage, RlStage):
        yield 0, stage.rounds, stage.train if isinstance(stage, (PreferenceStage, PluggedStage)) else ()
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
    return _cell(spec, _Contents(spec))


def _cell(spec: Spec, contents: _Contents) -> str:
    seedless = {key: value for key, value in root_reads(spec).items() if key != "seed"}
    steps: list[list[object]] = [
        [contents.of(index, trains, seeded=False), count]
        for index, stage in enumerate(spec.stages)
        for _, count, trains in blocks(stage)
    ]
    return run_id(digest("cell", seedless, _runs_of_equal(steps)))


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
