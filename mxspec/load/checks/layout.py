"""Numbers that must divide each other, all told at once."""

from __future__ import annotations

from mxspec.load.checks.where import Checker
from mxspec.load.nodes import Step
from mxspec.spec.policy import FromConfig
from mxspec.spec.runtime import VllmEngine
from mxspec.spec.stages import RlStage


def check_layout(checker: Checker) -> None:
    """Checks batch sizes against minibatches and devices, and devices against the engine's ranks."""
    spec, trainer, engine = checker.spec, checker.spec.runtime.trainer, checker.spec.runtime.engine
    learns = any(isinstance(stage, RlStage) for stage in spec.stages)
    if learns and spec.questions is not None:
        asked: tuple[Step, ...] = ("questions", "per_step")
        if spec.learn.rl is not None:
            minibatches = spec.learn.rl.update.minibatches
            _divides(checker, asked, spec.questions.per_step, minibatches, "learn.rl.update.minibatches")
        _divides(checker, asked, spec.questions.per_step, trainer.devices, "runtime.trainer.devices")
    if isinstance(engine, VllmEngine):
        path: tuple[Step, ...] = ("runtime", "engine", "tensor_parallel")
        if trainer.devices > 1 or engine.tensor_parallel > 1:
            _divides(
                checker, path, trainer.devices, engine.tensor_parallel, "runtime.engine.tensor_parallel", of="devices"
            )
        model = spec.policy.model
        heads = model.config.get("num_attention_heads") if isinstance(model, FromConfig) else None
        if isinstance(heads, int):
            _divides(
                checker, path, heads, engine.tensor_parallel, "runtime.engine.tensor_parallel", of="attention heads"
            )


def _divides(
    checker: Checker, path: tuple[Step, ...], number: int, by: int, name: str, *, of: str = "questions"
) -> None:
    if number % by == 0:
        return
    below, above = number // by * by, (number // by + 1) * by
    near = f"{below} or {above}" if below else str(above)
    divisors = [one for one in range(1, number + 1) if number % one == 0]
    lower = max((one for one in divisors if one < by), default=1)
    message = f"{number} {of} do not divide by {name}: {by}"
    checker.error("divisibility", path, message, f"take {near} {of}, or write {name.rsplit('.', 1)[1]}: {lower}")
