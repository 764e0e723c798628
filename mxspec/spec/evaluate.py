"""Evaluations: what judges the policies, when."""

from typing import Annotated, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf
from mxspec.spec.benchmark import Use
from mxspec.spec.rollout import Tree
from mxspec.spec.structure import Fixed


class Every(SpecModel):
    """Every so many steps of each rl stage."""

    every: int = leaf("Interval.", unit="steps", gt=0)


class TemperatureOverride(SpecModel):
    """Sampling of an evaluation where it differs from training."""

    temperature: float | None = leaf("Temperature of every role.", default=None, ge=0)
    top_p: float | None = leaf("Nucleus mass of every role.", default=None, gt=0, le=1)
    max_tokens: int | None = leaf("Longest response of every role.", unit="tokens", default=None, gt=0)


class Best(SpecModel):
    """Once a search stage has ended, on the best script that it found."""

    best: str = leaf("Name of the search stage.")


When = Literal["start", "epoch", "block_end", "stage_end", "end"]


class Evaluation(SpecModel):
    """One evaluation; it has an id of its own, so adding one retrains nothing."""

    at: tuple[When | Every | Best, ...] = leaf(
        "When: start (before the first step), epoch (after each sft epoch), block_end, stage_end, end, "
        "`{every: n}` rl steps of a stage, `{best: stage}` of a search; one stands for a list of one.",
        min_length=1,
    )
    on: tuple[Use, ...] = leaf("Benchmarks that judge.", min_length=1)
    tree: Tree = leaf("Width of each level.", default_factory=Tree)
    sampling: Annotated[Literal["same"] | TemperatureOverride, Field(union_mode="left_to_right")] = leaf(
        "As in training, or what differs.", default="same"
    )
    structure: Fixed | None = leaf("A fixed script in place of the spec's structure (a probe).", default=None)
