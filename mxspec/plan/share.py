"""Prefixes that several runs share are trained once: a cold start, or all stages up to a fork."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mxspec.plan.expand import Expanded
from mxspec.plan.identity import cell_id, run_id, spec_hash, state_at
from mxspec.plan.reads import corpus_stage
from mxspec.plan.status import Place
from mxspec.spec.policy import FromConfig

START: Place = (0, 0)


@dataclass(frozen=True, slots=True)
class Sharing:
    """Prefixes to train (in the order of their first user), and the run that a run or prefix needs first."""

    prefixes: tuple[Expanded, ...]
    needs: Mapping[str, str]


def share(pending: Sequence[Expanded], done: Mapping[str, Place]) -> Sharing:
    """Finds the work that pending runs share.

    A run goes on from another run's end where it passes it. For the end of a stage that two or
    more runs pass, and that is no run's end, there is a prefix of its own, unless the same runs
    share something later as well.

    Args:
        pending: Runs to be trained, in order.
        done: Run -> place in its chain that a committed checkpoint covers already.

    Returns:
        Prefixes and needs; nothing where nothing is shared.
    """
    owners = {run.chain[-1].end_state: run for run in pending if run.chain}
    marks = _ends(owners)
    passed = {run.run: _passed(run, owners, marks, done.get(run.run, START)) for run in pending}
    users: dict[str, list[Expanded]] = {}
    for run in pending:
        for state in passed[run.run]:
            users.setdefault(state, []).append(run)
    everyone = {state: {one.run for one in runs} | _owner(owners, state) for state, runs in users.items()}
    targets = {state for state in users if state in owners or len(users[state]) > 1}
    targets = {state for state in targets if state in owners or not _implied(state, targets, everyone, users, passed)}
    prefixes = {
        state: _prefix(runs, state) for state, runs in users.items() if state in targets and state not in owners
    }
    ends = {**{state: run.run for state, run in owners.items()}, **{state: one.run for state, one in prefixes.items()}}
    needs: dict[str, str] = {}
    for run in pending:
        _need(run.run, passed[run.run], ends, targets, needs)
    for state, prefix in prefixes.items():
        user = users[state][0].run
        before = {one: place for one, place in passed[user].items() if place < passed[user][state]}
        _need(prefix.run, before, ends, targets, needs)
    return Sharing(tuple(prefixes.values()), needs)


_Ends = Mapping[tuple[str, str], Sequence[tuple[int, str]]]
"""State and content that stretches begin with -> (steps of it, state) at which a run ends."""


def _ends(owners: Mapping[str, Expanded]) -> _Ends:
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for state, run in owners.items():
        last = run.chain[-1]
        if last.steps is not None and last.end_state == state_at(last, last.steps):
            found.setdefault((last.base_state, last.content), []).append((last.base_steps + last.steps, state))
    return found


def _passed(run: Expanded, owners: Mapping[str, Expanded], ends: _Ends, done: Place) -> dict[str, Place]:
    """States short of a run's end, beyond what is done, at which a stage or another run ends, in order."""
    chain, model = run.chain, run.spec.policy.model
    first = run.spec.stages.index(corpus_stage(run.spec, model)) if isinstance(model, FromConfig) and chain else 0
    found = {
        before.end_state: (index + 1, 0)
        for index, (before, after) in enumerate(pairwise(chain))
        if before.stage_index >= first and after.stage_index != before.stage_index
    }
    for index, stretch in enumerate(chain):
        for steps, state in ends.get((stretch.base_state, stretch.content), ()):
            within = steps - stretch.base_steps
            if stretch.steps is not None and 0 < within <= stretch.steps and owners[state].run != run.run:
                found[state] = (index + 1, 0) if within == stretch.steps else (index, within)
    return dict(sorted(((state, place) for state, place in found.items() if place > done), key=lambda item: item[1]))


def _owner(owners: Mapping[str, Expanded], state: str) -> set[str]:
    return {owners[state].run} if state in owners else set()


def _implied(
    state: str,
    targets: set[str],
    everyone: Mapping[str, set[str]],
    users: Mapping[str, Sequence[Expanded]],
    passed: Mapping[str, Mapping[str, Place]],
) -> bool:
    """Whether all who share a state share a later one, too, so that the later one is enough."""
    way = passed[users[state][0].run]
    return any(
        everyone[later] == everyone[state]
        for run in users[state]
        for later, place in passed[run.run].items()
        if later in targets and place > way[state]
    )


def _prefix(users: Sequence[Expanded], state: str) -> Expanded:
    """The run that ends where its users part."""
    first = users[0]
    count = next(index + 1 for index, stretch in enumerate(first.chain) if stretch.end_state == state)
    chain = first.chain[:count]
    spec = first.spec.model_copy(update={"stages": first.spec.stages[: chain[-1].stage_index + 1]})
    arms = tuple(dict.fromkeys(name for run in users for name in run.arms))
    return Expanded(run_id(state), cell_id(spec), first.seed, arms, spec, spec_hash(spec), first.root_state, chain)


def _need(
    run: str, passed: Mapping[str, Place], ends: Mapping[str, str], targets: set[str], needs: dict[str, str]
) -> None:
    """Books the last target on a run's way."""
    for state in passed:
        if state in targets and ends[state] != run:
            needs[run] = ends[state]
