"""Where a run happens; never part of its identity, but for `engine.kind`."""

from typing import Annotated, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf


class LocalLauncher(SpecModel):
    """Runs one after the other, in this process."""

    kind: Literal["local"]


class RayLauncher(SpecModel):
    """Runs on warm Ray workers."""

    kind: Literal["ray"]
    address: str = leaf("`local` starts Ray here; otherwise the address of a cluster.", default="local")
    workers: int = leaf("Warm workers, so runs at the same time.", default=2, gt=0)
    max_failures: int | None = leaf("Failed runs after which no new one starts; none: never.", default=None, gt=0)


Launcher = Annotated[LocalLauncher | RayLauncher, Field(discriminator="kind")]


class TransformersEngine(SpecModel):
    """Batched generation with transformers."""

    kind: Literal["transformers"]
    batch: int = leaf("Most calls in one forward pass.", unit="calls", default=512, gt=0)


class Trainer(SpecModel):
    """How an update is laid out on this machine; it never changes the gradient beyond rounding."""

    threads: int = leaf("Threads of one run.", default=1, gt=0)
    micro_tokens: int = leaf("Padded tokens in one forward pass of an update.", unit="tokens", default=16384, gt=0)
    accelerator: Literal["cpu", "cuda", "auto"] = leaf("Device.", default="cpu")


class Checkpoints(SpecModel):
    """Which states are kept."""

    every: int = leaf("Steps between checkpoints, which bound what a kill costs.", unit="steps", default=10, gt=0)
    keep: tuple[Literal["start", "block_end", "stage_end", "end"], ...] = leaf(
        "Checkpoints that outlive the run.", default=("stage_end", "end")
    )


class Wandb(SpecModel):
    """Mirror of the metrics; never the record."""

    mode: Literal["disabled", "offline", "online"] = leaf("Off by default.", default="disabled")
    project: str = leaf("Project.", default="mxspec")


class Track(SpecModel):
    """Optional mirrors."""

    wandb: Wandb = leaf("Weights & Biases.", default_factory=Wandb)


class Runtime(SpecModel):
    """Where and how a run happens."""

    launcher: Launcher = leaf("Who places the runs.", default_factory=lambda: LocalLauncher(kind="local"))
    engine: TransformersEngine = leaf("Who generates.", default_factory=lambda: TransformersEngine(kind="transformers"))
    trainer: Trainer = leaf("Layout of an update.", default_factory=Trainer)
    checkpoints: Checkpoints = leaf("Which states are kept.", default_factory=Checkpoints)
    data: dict[str, tuple[str, ...]] = leaf(
        "Candidate paths of each data file; the first that is set and exists is read.", default={}
    )
    track: Track = leaf("Mirrors.", default_factory=Track)
