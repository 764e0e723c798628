"""Roles: who writes, who plays which agents, with which prompt and sampling."""

from typing import Annotated, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf
from mxspec.spec.policy import HuggingFace, PackageModel
from mxspec.spec.reference import RunReference


class Turn(SpecModel):
    """One earlier exchange of a chat, an example of what is wanted."""

    ask: str = leaf("What was asked.")
    reply: str = leaf("What was replied.")


class Prompt(SpecModel):
    """The text that a role reads.

    `{question}`, `{agent}`, `{instructions}`, `{previous}` and `{history}` are
    replaced; every other brace stays as it is. `previous` is the digest of the
    response before this call (the question, when there is none), `history`
    every digest so far, `instructions` the system prompt in the script.
    """

    format: Literal["chat", "plain"] = leaf(
        "chat: the tokenizer's chat template around `system` and the text; plain: the text itself.",
        default="chat",
    )
    file: str | None = leaf("Text file, relative to the file that names it.", default=None)
    text: str | None = leaf("The text itself; never interpolated.", default=None)
    system: str | None = leaf("System message (chat only).", default=None)
    turns: tuple[Turn, ...] = leaf("Examples, as earlier turns of the chat (chat only).", default=())


class Sampling(SpecModel):
    """How a role's tokens are drawn."""

    temperature: float = leaf("Softmax temperature; 0 is greedy.", default=1.0, ge=0)
    top_p: float = leaf("Nucleus mass kept.", default=1.0, gt=0, le=1)
    max_tokens: int = leaf("Longest response.", unit="tokens", gt=0)


class EndpointModel(SpecModel):
    """A model behind an HTTP endpoint."""

    kind: Literal["endpoint"]
    at: str = leaf("Name under `runtime.endpoints`.")
    name: str = leaf("Name of the model there.")


class CheckpointModel(SpecModel):
    """The parameters that a role has in some state of another run."""

    kind: Literal["checkpoint"]
    run: RunReference = leaf("The run.")
    stage: str = leaf("Stage of that run.")
    step: int = leaf("Steps of that stage done; 0 is the state before its first.", ge=0)
    role: str = leaf("Role of that run whose parameters are taken.")
    state: str | None = leaf("The state that is meant; planning fills it in.", default=None, pattern=r"^[0-9a-f]{64}$")


RoleModel = Annotated[EndpointModel | CheckpointModel | HuggingFace | PackageModel, Field(discriminator="kind")]


class Role(SpecModel):
    """A role: the writer of designs, or the player of some agents."""

    agents: tuple[str, ...] | None = leaf(
        "Agents of a MAS that this role plays (shell patterns); none for the writer.", default=None
    )
    prompt: Prompt = leaf("What the role reads.")
    sampling: Sampling = leaf("How its tokens are drawn.")
    model: RoleModel | None = leaf("A model of its own: the role leaves the sharing and is frozen.", default=None)
