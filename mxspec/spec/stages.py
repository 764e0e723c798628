"""Stages: what is trained, when, for how long."""

from typing import Annotated, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf

NAME = r"^[A-Za-z_][A-Za-z0-9_-]*$"


class Alternate(SpecModel):
    """Blocks of steps that train one role after the other (stagewise co-evolution)."""

    kind: Literal["alternate"]
    order: tuple[str, ...] = leaf("Roles in the order of their blocks.", min_length=1)
    every: int = leaf("Length of a block.", unit="steps", gt=0, source="MetaAgent-X, section 3.3 (K)")


class Teacher(SpecModel):
    """Demonstrations written by a registered rule-based teacher, fresh in every epoch."""

    teacher: str = leaf("Name of the registered teacher.")
    use: str = leaf("Benchmark whose train split it demonstrates.")
    rows: dict[str, int] = leaf("Rows per epoch and role.", unit="rows", min_length=1)
    accuracy: float = leaf("Share of single operations that its executor gets right.", default=0.85, gt=0, le=1)
    informed: float = leaf("Share of its designs of the right length; the others are random.", default=0.3, ge=0, le=1)
    corrupted: float = leaf("Share of its scripts that are broken.", default=0.08, ge=0, lt=1)


class Measure(SpecModel):
    """One measured value that a gate watches."""

    watch: str = leaf("`evaluate.<name>.accuracy` or `evaluate.<name>.valid_designs`.")
    at_least: float = leaf("Value that opens the gate.", ge=0, le=1)


class Gate(SpecModel):
    """Ends a stage when measured values are reached; never by a step count alone."""

    all: tuple[Measure, ...] = leaf("Every one of these must hold.", min_length=1)
    max_epochs: int = leaf("Epochs after which the gate counts as missed.", unit="epochs", gt=0)
    otherwise: Literal["fail", "go_on"] = leaf("What a missed gate does.", default="fail")


class SftStage(SpecModel):
    """Supervised fine-tuning on demonstrations; a step is an epoch."""

    kind: Literal["sft"]
    name: str = leaf("Name, used in paths.", pattern=NAME)
    train: tuple[str, ...] = leaf("Roles that learn.", min_length=1)
    data: Teacher = leaf("The demonstrations.")
    epochs: int | None = leaf("Number of epochs; none where a gate decides.", unit="epochs", default=None, gt=0)
    gate: Gate | None = leaf("Measured values that end the stage.", default=None)


class RlStage(SpecModel):
    """Reinforcement learning; a step is one rollout batch and its update."""

    kind: Literal["rl"]
    name: str = leaf("Name, used in paths.", pattern=NAME)
    train: Annotated[Alternate | tuple[str, ...], Field(union_mode="left_to_right")] = leaf(
        "Roles that learn together, or blocks that alternate."
    )
    steps: int = leaf("Steps in all; the last block may be cut.", unit="steps", gt=0)


Stage = Annotated[SftStage | RlStage, Field(discriminator="kind")]
