"""A sweep -> runs: arms times seeds, equal ids as one run with several names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from mxspec.load.errors import did_you_mean
from mxspec.load.loaded import Arm, Loaded
from mxspec.load.nodes import Plain
from mxspec.load.paths import look_up
from mxspec.plan.chain import Stretch
from mxspec.plan.data import Pins, pin
from mxspec.plan.identity import identify
from mxspec.plan.order import in_order
from mxspec.plan.plan import Bounds, Difference, PlannedArm
from mxspec.plan.refer import with_states
from mxspec.spec import Spec
from mxspec.spec.levels import levels_of, width
from mxspec.spec.stages import Alternate, RlStage

MOST_LISTED = 20
"""Arms that an error lists."""


class UnknownChoice(ValueError):
    """An arm or seed that the sweep does not have."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """A run before anything is known about what is done already."""

    run: str
    cell: str
    seed: int
    arms: tuple[str, ...]
    spec: Spec
    spec_hash: str
    root_state: str
    chain: tuple[Stretch, ...]


def choose(loaded: Loaded, arms: Sequence[str] | None, seeds: Sequence[int] | None) -> tuple[list[Arm], list[int]]:
    """The arms and seeds that a plan is about.

    Args:
        loaded: The spec.
        arms: Names of points, or of arms, which mean all of their points; several in one by commas.
        seeds: Some seeds.

    Raises:
        UnknownChoice: The spec has no such arm or seed.
    """
    spec = loaded.whole
    declared = list(spec.sweep.seeds or (spec.seed,)) if spec.sweep else [spec.seed]
    names = [arm.name for arm in loaded.arms]
    known = dict.fromkeys((*(arm.arm for arm in loaded.arms), *names))
    wanted = [name for given in arms or () for name in ([given] if given in known else given.split(","))]
    for name in wanted:
        if name not in known:
            listed = ", ".join(names[:MOST_LISTED]) + (", .." if len(names) > MOST_LISTED else "")
            raise UnknownChoice(f"no arm {name!r}; {did_you_mean(name, known) or f'arms are {listed}'}")
    for seed in seeds or ():
        if spec.sweep and seed not in declared:
            raise UnknownChoice(f"no seed {seed}; seeds are {', '.join(map(str, declared))}")
    chosen = [arm for arm in loaded.arms if not wanted or arm.name in wanted or arm.arm in wanted]
    return chosen, list(seeds) if seeds else declared


def expand(loaded: Loaded, arms: Sequence[Arm], seeds: Sequence[int]) -> tuple[Expanded, ...]:
    """All runs: every arm with the first seed, then with the second, and so on.

    Raises:
        SpecErrors: A data file is missing.
    """
    found: dict[str, Expanded] = {}
    pins: Pins = {}
    for seed in seeds:
        for arm in arms:
            spec = in_order(with_states(pin(loaded.reseeded(arm, seed), loaded, pins)))
            own = identify(spec)
            known = found.get(own.run)
            names = (*(known.arms if known else ()), arm.name)
            if known:
                found[own.run] = replace(known, arms=names)
            else:
                found[own.run] = Expanded(
                    own.run, own.cell, seed, names, spec, own.spec_hash, own.root_state, own.chain
                )
    return tuple(found.values())


def planned_arms(
    loaded: Loaded, arms: Sequence[Arm], runs: Sequence[Expanded], bounds: Mapping[str, Bounds]
) -> tuple[PlannedArm, ...]:
    """What each arm changes and how much it does."""
    baseline = loaded.arms[0]
    same = {name: run.arms[0] for run in runs for name in run.arms[1:]}
    return tuple(
        PlannedArm(
            name=arm.name,
            differs=differences(baseline, arm),
            same_as=same.get(arm.name),
            executions_per_step=executions_per_step(arm.spec),
            rl_steps=sum(stage.steps for stage in arm.spec.stages if isinstance(stage, RlStage)),
            trains=trained_by_rl(arm.spec),
            bounds=bounds[arm.name],
        )
        for arm in arms
    )


def executions_per_step(spec: Spec) -> int:
    """Executions of one rl step; 0 where there is no rl stage."""
    tree = spec.rollout.tree
    learns = any(isinstance(stage, RlStage) for stage in spec.stages)
    if not learns or spec.questions is None:
        return 0
    return spec.questions.per_step * prod(width(tree, level) for level in levels_of(spec.structure))


def trained_by_rl(spec: Spec) -> tuple[str, ...]:
    """Roles that rl stages train, in the order of their first block."""
    given = [
        stage.train.order if isinstance(stage.train, Alternate) else stage.train
        for stage in spec.stages
        if isinstance(stage, RlStage)
    ]
    return tuple(dict.fromkeys(role for roles in given for role in roles))


def differences(baseline: Arm, arm: Arm) -> tuple[Difference, ...]:
    """The values that an arm or the baseline declares and in which the two differ."""
    found: list[Difference] = []
    for path in dict.fromkeys((*baseline.changes, *arm.changes)):
        before, after = look_up(baseline.tree, path), look_up(arm.tree, path)
        if before != after:
            found.append(Difference(path=path, baseline=brief(before), value=brief(after)))
    return tuple(found)


def brief(value: Plain) -> str:
    """A value in a few characters: a map by its kind and scalars, a list by its items."""
    if isinstance(value, dict):
        kind = value.get("kind")
        rest = {key: item for key, item in value.items() if key != "kind"}
        if kind == "alternate":
            return f"alternate {brief(rest.get('order'))} every {brief(rest.get('every'))}"
        if set(rest) <= {"designs", "executions"} and rest:
            return "x".join(str(item) for item in rest.values())
        inner = ", ".join(f"{key} {brief(item)}" for key, item in rest.items())
        return f"{kind} ({inner})" if kind and inner else str(kind or inner or "{}")
    if isinstance(value, list):
        return "[" + ", ".join(brief(item) for item in value) + "]"
    return "-" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
