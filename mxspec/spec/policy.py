"""Which parameters exist: the trainable model and how the roles share it."""

from typing import Annotated, Any, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf


class TrainedTokenizer(SpecModel):
    """A byte-level BPE tokenizer trained on the corpus of a cold-start stage."""

    train_on: str = leaf("Name of the sft stage whose corpus the tokenizer is trained on.")
    rows: int = leaf("Corpus rows read for training it.", unit="rows", default=4000, gt=0)
    vocab_size: int = leaf("Upper bound of the vocabulary.", unit="tokens", default=512, ge=264)


class FromConfig(SpecModel):
    """A fresh causal language model built from a transformers configuration."""

    kind: Literal["from_config"]
    config: dict[str, Any] = leaf("A transformers configuration; `model_type` names its class.")
    tokenizer: TrainedTokenizer = leaf("Where its tokenizer comes from.")


class HuggingFace(SpecModel):
    """A pretrained causal language model from the hub, by pinned revision."""

    kind: Literal["huggingface"]
    path: str = leaf("Hub repository, `owner/name`.")
    revision: str = leaf("Commit of the repository, 40 hex digits.", pattern=r"^[0-9a-f]{40}$")


class PackageModel(SpecModel):
    """A pretrained model that a Python package ships as a GGUF file."""

    kind: Literal["package"]
    package: str = leaf("Import name of the package that ships the weights.")
    file: str = leaf("Path of the GGUF file inside the package (a glob that matches one file).")
    version: str = leaf("Version of the package; another installed version is refused.")


Model = Annotated[FromConfig | HuggingFace | PackageModel, Field(discriminator="kind")]


class Shared(SpecModel):
    """Every role is served and trained by one parameter set."""

    kind: Literal["shared"]


class Split(SpecModel):
    """Every role has a parameter set of its own."""

    kind: Literal["split"]


class Lora(SpecModel):
    """Every role has a low-rank adapter of its own over one frozen base (Hu et al. 2022)."""

    kind: Literal["lora"]
    rank: int = leaf("Rank of every adapter.", gt=0)
    alpha: float = leaf("Scale; an adapter's output is multiplied by alpha / rank.", gt=0)
    targets: Literal["all_linear", "attention"] | tuple[str, ...] = leaf(
        "Layers that carry adapters: a named set, or patterns of module names.", default="all_linear"
    )


class Groups(SpecModel):
    """Groups of roles, each group on a parameter set of its own."""

    kind: Literal["groups"]
    groups: dict[str, tuple[str, ...]] = leaf("Roles of each group, by the group's name.", min_length=1)


Sharing = Annotated[Shared | Split | Lora | Groups, Field(discriminator="kind")]


class Policy(SpecModel):
    """The trainable parameters, for every role without a model of its own."""

    model: Model = leaf("The model that every policy starts from.")
    sharing: Sharing = leaf("Which roles share a parameter set.", source="MetaAgent-X, section 3")
