"""The extension points: where the language takes further kinds, and what a factory of each makes."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin

from mxspec.spec import benchmark, learn, policy, rollout, runtime, stages, structure
from mxspec.spec.base import SpecModel


@dataclass(frozen=True, slots=True)
class Point:
    """An extension point.

    Attributes:
        name: Its name.
        where: Where a spec says a kind of it.
        kinds: The models of the kinds that the language has itself.
        base: What a model of a kind extends.
        makes: What a factory makes of a spec; empty where no runner takes it yet.
    """

    name: str
    where: str
    kinds: tuple[type[SpecModel], ...]
    makes: str = ""
    base: type[SpecModel] = SpecModel


def _models(annotation: Any) -> tuple[type[SpecModel], ...]:
    if get_origin(annotation) is Annotated:
        return tuple(get_args(get_args(annotation)[0]))
    return (annotation,)


_JUDGE = "a function of gold and answer (None where there is none) that returns a `runners.grading.Grade`"
_TERM = "a function of a `runners.rollout.tree.Execution` that returns a number, or None where nothing can be judged"
_SOURCE = "a `runners.benchmarks.source.Source`; the factory also takes the benchmark's name"
_LAUNCHER = "a `runners.launch.Launcher`; the factory also takes `patience` and `run_job`"

POINTS = MappingProxyType(
    {
        point.name: point
        for point in (
            Point("policy", "policy.model", _models(policy.Model)),
            Point("sharing", "policy.sharing", _models(policy.Sharing)),
            Point("structure", "structure", _models(structure.Structure), base=structure.PluggedStructure),
            Point("benchmark", "benchmarks.<name>.source", _models(benchmark.Source), _SOURCE),
            Point("grader", "benchmarks.<name>.grader", _models(benchmark.Grader), _JUDGE),
            Point("reward", "reward.terms.<name>", _models(rollout.Term), _TERM),
            Point("loss", "learn.rl.loss", _models(learn.Grpo)),
            Point("preference_loss", "learn.preference.loss", _models(learn.Dpo)),
            Point("schedule", "learn.<kind>.schedule", _models(learn.Schedule)),
            Point("stage", "stages[i]", _models(stages.Stage), base=stages.PluggedStage),
            Point("search", "stages[i].algorithm", _models(stages.Mcts)),
            Point("engine", "runtime.engine", _models(runtime.Engine)),
            Point("launcher", "runtime.launcher", _models(runtime.Launcher), _LAUNCHER),
        )
    }
)
"""Extension points by name."""
