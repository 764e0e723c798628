"""The rollout tree, its limits, and the reward of its leaves."""

from typing import Annotated, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf


class Tree(SpecModel):
    """Children per node, level by level, below a question."""

    designs: int = leaf("Designs per question (1 under a fixed structure).", default=1, gt=0)
    executions: int = leaf("Executions per design.", default=1, gt=0)


class Limits(SpecModel):
    """Budgets of one execution that decide a verdict; all are counts."""

    calls: int = leaf("Calls.", unit="calls", default=40, gt=0)
    turns: int = leaf("Turns of one agent.", unit="turns", default=10, gt=0)
    tokens: int = leaf("Response tokens of all its calls.", unit="tokens", default=60000, gt=0)
    agents: int = leaf("Agents in one design.", unit="agents", default=64, gt=0)


class Rollout(SpecModel):
    """How questions become trees of designs, executions and calls."""

    tree: Tree = leaf("Width of each level.")
    staleness: Literal[0] = leaf("Steps by which a rollout lags the policy it trains.", unit="steps", default=0)
    limits: Limits = leaf("Budgets of one execution.", default_factory=Limits)


class Grade(SpecModel):
    """1 where the grader says correct, else 0 (per execution)."""

    kind: Literal["grade"]


class Calls(SpecModel):
    """The number of calls that an execution made (per execution)."""

    kind: Literal["calls"]


class DesignOk(SpecModel):
    """1 where the design's verdict is ok, else 0 (per design)."""

    kind: Literal["design_ok"]


Term = Annotated[Grade | Calls | DesignOk, Field(discriminator="kind")]


class Reward(SpecModel):
    """Named terms, and what stands in their place when there is nothing to judge."""

    terms: dict[str, Term] = leaf("Terms by name; `credit` weighs them.", min_length=1)
    invalid_design: float = leaf("Credit of a design whose verdict is not ok.", default=0.0)
    failed_execution: float = leaf("Reward of an execution that failed.", default=0.0)


class Credit(SpecModel):
    """From the rewards of a tree to the advantage of one role's samples."""

    terms: dict[str, float] = leaf("Weight of each reward term.", min_length=1)
    reduce: Literal["mean_of_executions", "outcome"] = leaf(
        "A design earns the mean over its executions; a trajectory its outcome.",
        source="MetaAgent-X, section 3.2",
    )
    group: tuple[Literal["question", "design"], ...] = leaf(
        "Keys whose equal values form a group that an advantage is normalised over.", min_length=1
    )
    unit: Literal["sample", "trajectory"] = leaf("What counts once in the group's statistics.")
    std: Literal["sample", "population", "none"] = leaf(
        "Spread that the centred reward is divided by.", default="sample"
    )
    eps: float = leaf("Added to the spread.", default=1e-6, ge=0)
