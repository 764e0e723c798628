"""Values that nothing reads: an error where the file writes them, pruned and reported where they are inherited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mxspec.load.checks.data import used_benchmarks
from mxspec.load.checks.where import trained_roles
from mxspec.load.nodes import Path
from mxspec.spec import Spec
from mxspec.spec.benchmark import Jsonl
from mxspec.spec.roles import EndpointModel
from mxspec.spec.stages import PluggedStage, PreferenceStage, RlStage, SftStage, Teacher


def unread(spec: Spec) -> Iterator[tuple[Path, str]]:
    """Parts of a spec that no step, no evaluation and no worker reads, each with the reason."""
    if any(isinstance(stage, PluggedStage) for stage in spec.stages):
        return  # nobody knows what it reads
    kinds = {stage.kind for stage in spec.stages}
    for kind in ("sft", "rl", "preference"):
        if getattr(spec.learn, kind) is not None and kind not in kinds:
            yield ("learn", kind), f"there is no stage of kind {kind}"
    if "rl" not in kinds and "preference" not in kinds:
        if spec.questions is not None:
            yield ("questions",), "no stage asks questions"
        if spec.rollout.tree != type(spec.rollout.tree)() and "search" not in kinds:
            yield ("rollout", "tree"), "no stage rolls out; evaluations have trees of their own"
        if spec.reward.terms:
            yield ("reward", "terms"), "no stage learns from a reward"
    learners = {role for stage in spec.stages if isinstance(stage, RlStage) for role in trained_roles(stage)}
    for role in spec.credit:
        if role in spec.roles and role not in learners and not any(isinstance(s, PreferenceStage) for s in spec.stages):
            yield ("credit", role), f"no rl stage trains {role!r}"
    for name, one in spec.roles.items():
        for part in ("system", "turns"):
            if one.prompt.format == "plain" and getattr(one.prompt, part):
                yield ("roles", name, "prompt", part), "a plain prompt is its text alone"
    for stage in spec.stages:
        if isinstance(stage, SftStage) and isinstance(stage.data, Teacher):
            for role in stage.data.rows:
                if role in spec.roles and role not in stage.train:
                    yield ("stages", stage.name, "data", "rows", role), f"the stage does not train {role!r}"
    used = used_benchmarks(spec)
    for name in spec.benchmarks:
        if name not in used:
            yield ("benchmarks", name), "no stage and no evaluation uses it"
    files = {one.source.data for one in spec.benchmarks.values() if isinstance(one.source, Jsonl)}
    for name in spec.runtime.data:
        if name not in files:
            yield ("runtime", "data", name), "no benchmark reads it"
    endpoints = {role.model.at for role in spec.roles.values() if isinstance(role.model, EndpointModel)}
    for name in spec.runtime.endpoints:
        if name not in endpoints:
            yield ("runtime", "endpoints", name), "no role is served by it"


def without_unread(spec: Spec) -> tuple[Spec, tuple[Path, ...]]:
    """A spec without what nothing reads, and the paths of that: a point of a sweep may not read what others do."""
    gone: list[Path] = []
    while found := [path for path, _ in unread(spec) if path not in gone]:
        for path in found:
            spec = _without(spec, path)
        gone += found
    return spec, tuple(gone)


def _without(spec: Spec, path: Path) -> Spec:
    """A spec without one part: an entry of a map, or a value that goes back to its default."""
    name = str(path[0])
    field = next(key for key, one in type(spec).model_fields.items() if (one.alias or key) == name)
    if len(path) == 1:
        return spec.model_copy(update={field: type(spec).model_fields[field].get_default(call_default_factory=True)})
    return spec.model_copy(update={field: _part_without(getattr(spec, field), path[1:])})


def _part_without(part: Any, path: Path) -> Any:
    name = str(path[0])
    if isinstance(part, tuple):
        return tuple(_part_without(one, path[1:]) if one.name == name else one for one in part)
    if isinstance(part, dict) and len(path) == 1:
        return {key: one for key, one in part.items() if key != name}
    if isinstance(part, dict):
        return {key: _part_without(one, path[1:]) if key == name else one for key, one in part.items()}
    if len(path) == 1:
        return part.model_copy(update={name: type(part).model_fields[name].get_default(call_default_factory=True)})
    return part.model_copy(update={name: _part_without(getattr(part, name), path[1:])})
