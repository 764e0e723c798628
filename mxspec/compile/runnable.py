"""What a spec may say and no runner does yet: it validates and plans, and `run` refuses it by name.

This list only shrinks: whoever brings a runner removes its line, and the test of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from mxspec.plugins.points import POINTS, Point
from mxspec.spec import Spec
from mxspec.spec.base import SpecModel, models_in
from mxspec.spec.benchmark import Hub
from mxspec.spec.learn import Grpo
from mxspec.spec.stages import DemonstrationFile, RlStage, SftStage


@dataclass(frozen=True, slots=True)
class ToCome:
    """A thing that can be said and not yet be run.

    Attributes:
        name: Its path and value, as a spec has it.
        said: Whether a spec says it.
    """

    name: str
    said: Callable[[Spec], bool]


def _optimizers(spec: Spec) -> Iterable[dict[str, float]]:
    return (one.optimizer.role_lr for one in (spec.learn.sft, spec.learn.rl, spec.learn.preference) if one is not None)


def _graders(spec: Spec) -> set[str]:
    return {benchmark.grader.kind for benchmark in spec.benchmarks.values()}


def _terms(spec: Spec) -> set[str]:
    return {term.kind for term in spec.reward.terms.values()}


def _loss(spec: Spec) -> SpecModel | None:
    return None if spec.learn.rl is None else spec.learn.rl.loss


def _rl(spec: Spec) -> list[RlStage]:
    return [stage for stage in spec.stages if isinstance(stage, RlStage)]


def _plugin(point: Point) -> ToCome:
    return ToCome(f"a plugin's {point.name} ({point.where})", lambda spec: point.name in _plugged(spec))


def _plugged(spec: Spec) -> set[str]:
    """The extension points at which a spec has a plugin's kind."""
    return {one.plugged.point for one in models_in(spec) if one.plugged is not None}


TO_COME = (
    ToCome("structure: {kind: searched}", lambda spec: spec.structure.kind == "searched"),
    ToCome("structure: {kind: cascade}", lambda spec: spec.structure.kind == "cascade"),
    ToCome("policy.sharing: {kind: lora}", lambda spec: spec.policy.sharing.kind == "lora"),
    ToCome("policy.sharing: {kind: groups}", lambda spec: spec.policy.sharing.kind == "groups"),
    ToCome("roles.<name>.model: {kind: endpoint}", lambda spec: any(_own(spec, "endpoint"))),
    ToCome("roles.<name>.model: {kind: checkpoint}", lambda spec: any(_own(spec, "checkpoint"))),
    ToCome("roles.<name>.model: {kind: huggingface}", lambda spec: any(_own(spec, "huggingface"))),
    ToCome("roles.<name>.model: {kind: package}", lambda spec: any(_own(spec, "package"))),
    ToCome("stages.<name>: {kind: preference}", lambda spec: any(s.kind == "preference" for s in spec.stages)),
    ToCome("stages.<name>: {kind: search}", lambda spec: any(s.kind == "search" for s in spec.stages)),
    ToCome(
        "stages.<name>.data: {file: ..}",
        lambda spec: any(isinstance(s, SftStage) and isinstance(s.data, DemonstrationFile) for s in spec.stages),
    ),
    ToCome("stages.<name>.set", lambda spec: any(stage.set for stage in spec.stages)),
    ToCome("stages.<name>.stop: {kind: plateau}", lambda spec: any(stage.stop for stage in _rl(spec))),
    ToCome("init", lambda spec: spec.init is not None),
    ToCome("questions.pool", lambda spec: spec.questions is not None and spec.questions.pool is not None),
    ToCome("rollout.staleness", lambda spec: spec.rollout.staleness > 0),
    ToCome("rollout.continue", lambda spec: spec.rollout.continue_ is not None),
    ToCome(
        "rollout.tree.turn_samples",
        lambda spec: any(t.turn_samples > 1 for t in (spec.rollout.tree, *(e.tree for e in spec.evaluate.values()))),
    ),
    ToCome("reward.terms: {kind: tags}", lambda spec: "tags" in _terms(spec)),
    ToCome("reward.terms: {kind: tests_pass}", lambda spec: "tests_pass" in _terms(spec)),
    ToCome("reward.terms: {kind: score}", lambda spec: "score" in _terms(spec)),
    ToCome("reward.terms: {kind: one_minus_mean}", lambda spec: "one_minus_mean" in _terms(spec)),
    ToCome(
        "credit.<role>.reduce: mean_of_children",
        lambda spec: any(one.reduce == "mean_of_children" for one in spec.credit.values()),
    ),
    ToCome("runtime.sandbox.min_tier", lambda spec: spec.runtime.sandbox.min_tier != "seccomp"),
    ToCome("credit.<role>.unit: call", lambda spec: any(one.unit == "call" for one in spec.credit.values())),
    ToCome("learn.rl.loss.kl", lambda spec: isinstance(loss := _loss(spec), Grpo) and loss.kl > 0),
    ToCome(
        "learn.rl.loss.ratio: sequence",
        lambda spec: isinstance(loss := _loss(spec), Grpo) and loss.ratio == "sequence",
    ),
    ToCome("learn.<kind>.optimizer.role_lr", lambda spec: any(_optimizers(spec))),
    ToCome("learn.sft.max_tokens", lambda spec: spec.learn.sft is not None and spec.learn.sft.max_tokens is not None),
    ToCome(
        "benchmarks.<name>.source: {kind: hub}",
        lambda spec: any(isinstance(one.source, Hub) for one in spec.benchmarks.values()),
    ),
    ToCome("benchmarks.<name>.grader: {kind: code}", lambda spec: "code" in _graders(spec)),
    ToCome("runtime.engine: {kind: vllm}", lambda spec: spec.runtime.engine.kind == "vllm"),
    ToCome("runtime.trainer.devices", lambda spec: spec.runtime.trainer.devices > 1),
    ToCome("runtime.trainer.strategy", lambda spec: spec.runtime.trainer.strategy != "auto"),
    *(_plugin(point) for point in POINTS.values() if not point.makes),
)
"""All of it, by the path at which it is said."""


def _own(spec: Spec, kind: str) -> Iterable[bool]:
    return (role.model is not None and role.model.kind == kind for role in spec.roles.values())


def to_come(spec: Spec) -> tuple[str, ...]:
    """What a spec says that no runner does yet, by name."""
    return tuple(one.name for one in TO_COME if one.said(spec))
