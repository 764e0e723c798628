"""The rollout tree, its limits, and the reward of its leaves."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from mxspec.spec.base import SpecModel, leaf


class Tree(SpecModel):
    """Children per node, level by level, below a question.

    The keys are the levels that the structure declares: `designs` and `executions` of a
    generated one, `executions` and `turn_samples` of a fixed one, its own names of a cascade.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Annotated[int, Field(gt=0)]] = Field(init=False)

    designs: int = leaf("Designs per question (1 under a fixed structure).", default=1, gt=0)
    executions: int = leaf("Executions per design.", default=1, gt=0)
    turn_samples: int = leaf(
        "Candidates drawn at every turn of an execution.", default=1, gt=0, source="AT-GRPO, section 3"
    )


class Limits(SpecModel):
    """Budgets of one execution that decide a verdict; all are counts."""

    calls: int = leaf("Calls.", unit="calls", default=40, gt=0)
    turns: int = leaf("Turns of one agent.", unit="turns", default=10, gt=0)
    tokens: int = leaf("Response tokens of all its calls.", unit="tokens", default=60000, gt=0)
    agents: int = leaf("Agents in one design.", unit="agents", default=64, gt=0)


class Rollout(SpecModel):
    """How questions become trees of designs, executions and calls."""

    tree: Tree = leaf("Width of each level; an rl stage needs it.", default_factory=Tree)
    staleness: int = leaf("Steps by which a rollout lags the policy it trains, exactly.", unit="steps", default=0, ge=0)
    limits: Limits = leaf("Budgets of one execution.", default_factory=Limits)
    continue_: Literal["best", "first"] | None = leaf(
        "Which of a turn's candidates the execution goes on with.", alias="continue", default=None
    )


class Grade(SpecModel):
    """1 where the grader says correct, else 0 (per execution)."""

    kind: Literal["grade"]


class Calls(SpecModel):
    """The number of calls that an execution made (per execution)."""

    kind: Literal["calls"]


class DesignOk(SpecModel):
    """1 where the design's verdict is ok, else 0 (per design)."""

    kind: Literal["design_ok"]


class Tags(SpecModel):
    """1 where the response holds a closed pair of tags, else 0 (per call)."""

    kind: Literal["tags"]
    tag: str = leaf("Name of the tag, without brackets.", min_length=1)


class TestsPass(SpecModel):
    """Share of tests that pass on what an agent wrote (per call)."""

    kind: Literal["tests_pass"]
    of: str = leaf("Agent or role whose program is tested.")


class Score(SpecModel):
    """The score that a judging role gave (per node of its level's parent)."""

    kind: Literal["score"]
    by: str = leaf("Role that judges.")


class OneMinusMean(SpecModel):
    """One minus the mean reward of the nodes of a level below: what is hard earns more."""

    kind: Literal["one_minus_mean"]
    of: str = leaf("Level whose mean is taken.")


Term = Annotated[Grade | Calls | DesignOk | Tags | TestsPass | Score | OneMinusMean, Field(discriminator="kind")]


class Reward(SpecModel):
    """Named terms, and what stands in their place when there is nothing to judge."""

    terms: dict[str, Term] = leaf("Terms by name; `credit` weighs them.", default={})
    invalid_design: float = leaf("Credit of a design whose verdict is not ok.", default=0.0)
    failed_execution: float = leaf("Reward of an execution that failed.", default=0.0)


class Credit(SpecModel):
    """From the rewards of a tree to the advantage of one role's samples."""

    terms: dict[str, float] = leaf("Weight of each reward term.", min_length=1)
    reduce: Literal["mean_of_executions", "mean_of_children", "outcome", "turn"] = leaf(
        "A design earns the mean over its executions, a node the mean over its children, a trajectory its "
        "outcome, a call what its turn earned.",
        source="MetaAgent-X, section 3.2",
    )
    group: tuple[str, ...] = leaf(
        "Keys whose equal values form a group that an advantage is normalised over: question, design, execution, "
        "agent, turn, parent, or a level of a cascade.",
        min_length=1,
    )
    unit: Literal["sample", "trajectory", "call"] = leaf("What counts once in the group's statistics.")
    std: Literal["sample", "population", "none"] = leaf(
        "Spread that the centred reward is divided by.", default="sample"
    )
    eps: float = leaf("Added to the spread.", default=1e-6, ge=0)
