"""Stages: what is trained, when, for how long."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from mxspec.spec.base import SpecModel, leaf
from mxspec.spec.benchmark import Use

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
    rows: dict[str, Annotated[int, Field(gt=0)]] = leaf("Rows per epoch and role.", unit="rows", min_length=1)
    accuracy: float = leaf("Share of single operations that its executor gets right.", default=0.85, gt=0, le=1)
    informed: float = leaf("Share of its designs of the right length; the others are random.", default=0.3, ge=0, le=1)
    corrupted: float = leaf("Share of its scripts that are broken.", default=0.08, ge=0, lt=1)


class Columns(SpecModel):
    """Columns of a demonstration file."""

    role: str = leaf("Column of the role that a row demonstrates.", default="role")
    messages: str = leaf("Column of the conversation; its last message is the response.", default="messages")


class DemonstrationFile(SpecModel):
    """Demonstrations in a JSON-lines file."""

    file: str = leaf("The file, relative to the file that names it; its content is identity, its path is not.")
    columns: Columns = leaf("Its columns.", default_factory=Columns)
    sha256: str | None = leaf(
        "Hash of the file's bytes; planning fills it in, and a file with another one is refused.",
        default=None,
        pattern=r"^[0-9a-f]{64}$",
    )


def _which(data: Any) -> str:
    """A map that names a file is one; every other is a teacher."""
    named = data.keys() if isinstance(data, Mapping) else getattr(data, "model_fields_set", ())
    return "file" if "file" in named or isinstance(data, DemonstrationFile) else "teacher"


Demonstrations = Annotated[
    Annotated[Teacher, Tag("teacher")] | Annotated[DemonstrationFile, Tag("file")], Discriminator(_which)
]


class Measure(SpecModel):
    """One measured value that a gate watches."""

    watch: str = leaf("`evaluate.<name>.accuracy` or `evaluate.<name>.valid_designs`.")
    at_least: float = leaf("Value that opens the gate.", ge=0, le=1)


class Gate(SpecModel):
    """Ends a stage when measured values are reached; never by a step count alone."""

    all: tuple[Measure, ...] = leaf("Every one of these must hold.", min_length=1)
    max_epochs: int = leaf("Epochs after which the gate counts as missed.", unit="epochs", gt=0)
    otherwise: Literal["fail", "go_on"] = leaf("What a missed gate does.", default="fail")


class Plateau(SpecModel):
    """Ends a stage when a watched value stops rising."""

    kind: Literal["plateau"]
    watch: str = leaf("`evaluate.<name>.accuracy` or `evaluate.<name>.valid_designs`; it joins identity.")
    patience: int = leaf("Measurements in a row without a rise that end the stage.", gt=0)
    min_delta: float = leaf("Least rise that counts.", default=0.0, ge=0)
    then: Literal["next_stage", "end"] = leaf("What comes after.", default="next_stage")


class _Stage(SpecModel):
    """What every stage has."""

    name: str = leaf("Name, used in paths.", pattern=NAME)
    set: dict[str, Any] = leaf("Path -> value, for the time of this stage.", default={})


class SftStage(_Stage):
    """Supervised fine-tuning on demonstrations; a step is an epoch."""

    kind: Literal["sft"]
    train: tuple[str, ...] = leaf("Roles that learn.", min_length=1)
    data: Demonstrations = leaf("The demonstrations.")
    epochs: int | None = leaf("Number of epochs; none where a gate decides.", unit="epochs", default=None, gt=0)
    gate: Gate | None = leaf("Measured values that end the stage.", default=None)


class RlStage(_Stage):
    """Reinforcement learning; a step is one rollout batch and its update."""

    kind: Literal["rl"]
    train: Annotated[Alternate | tuple[str, ...], Field(union_mode="left_to_right")] = leaf(
        "Roles that learn together, or blocks that alternate."
    )
    steps: int = leaf("Steps in all; the last block may be cut.", unit="steps", gt=0, le=1_000_000)
    stop: Plateau | None = leaf("What may end the stage before its last step.", default=None)


class Pairs(SpecModel):
    """How scored designs become pairs."""

    of: Literal["designs"] = leaf("What is compared.")
    score: Literal["mean_of_executions"] = leaf("What a design is scored by.")
    choose: Literal["sampled", "all", "best_worst"] = leaf("Which pairs of a question are taken.", default="all")
    per_question: int | None = leaf("Most pairs of a question.", unit="pairs", default=None, gt=0)
    min_gap: float = leaf("Least difference of scores.", default=0.0, ge=0)
    weight: Literal["none", "gap"] = leaf("Weight of a pair in the loss.", default="none")


class PreferenceStage(_Stage):
    """Preference learning: rounds of designs, scored by executions, compared in pairs (ScoreFlow, section 3.2)."""

    kind: Literal["preference"]
    train: tuple[str, ...] = leaf("Roles that learn.", min_length=1)
    rounds: int = leaf("Rounds; each rolls out, pairs and learns.", gt=0)
    questions: int = leaf("Questions of a round.", unit="questions", gt=0)
    reference: Literal["round_start", "stage_start"] = leaf(
        "Policy that the loss pulls towards.", default="round_start"
    )
    pairs: Pairs = leaf("How scored designs become pairs.")


class Mcts(SpecModel):
    """Monte-Carlo tree search over scripts (AFlow, section 3)."""

    kind: Literal["mcts"]
    operators: tuple[str, ...] = leaf("Operators that a rewrite may use.", min_length=1)


class SearchStage(_Stage):
    """Search for a script with frozen policies; it trains nobody."""

    kind: Literal["search"]
    algorithm: Mcts = leaf("How candidates are chosen and rewritten.")
    rounds: int = leaf("Rewrites in all.", gt=0)
    repeats: int = leaf("Executions of a candidate on every question.", default=1, gt=0)
    score_on: tuple[Use, ...] = leaf("Questions that score a candidate.", min_length=1)


class PluggedStage(_Stage):
    """What a stage of a plugin extends; its rounds are the steps of its chain of states."""

    train: tuple[str, ...] = leaf("Roles that learn.", default=())
    rounds: int = leaf("Rounds; each is committed.", gt=0)


Stage = Annotated[SftStage | RlStage | PreferenceStage | SearchStage, Field(discriminator="kind")]
