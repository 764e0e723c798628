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
    address: str = leaf("`local` starts Ray here, `auto` finds a running cluster; else its address.", default="local")
    workers: int = leaf("Warm workers, so runs at the same time.", default=2, gt=0)
    max_failures: int | None = leaf("Failed runs after which no new one starts; none: never.", default=None, gt=0)


Launcher = Annotated[LocalLauncher | RayLauncher, Field(discriminator="kind")]


class TransformersEngine(SpecModel):
    """Batched generation with transformers."""

    kind: Literal["transformers"]
    batch: int = leaf("Most calls in one forward pass.", unit="calls", default=512, gt=0)


class VllmEngine(SpecModel):
    """Continuous batching with vLLM."""

    kind: Literal["vllm"]
    tensor_parallel: int = leaf("Devices that share one replica's layers.", unit="devices", default=1, gt=0)
    replicas: int = leaf("Engines that serve the same parameters.", default=1, gt=0)
    gpu_memory: float = leaf("Share of a device's memory that a replica takes.", default=0.8, gt=0, le=1)


Engine = Annotated[TransformersEngine | VllmEngine, Field(discriminator="kind")]


class Trainer(SpecModel):
    """How an update is laid out on this machine; it never changes the gradient beyond rounding."""

    threads: int = leaf("Threads of one run.", default=1, gt=0)
    micro_tokens: int = leaf("Padded tokens in one forward pass of an update.", unit="tokens", default=16384, gt=0)
    accelerator: Literal["cpu", "cuda", "auto"] = leaf("Device.", default="cpu")
    devices: int = leaf("Devices that share an update.", unit="devices", default=1, gt=0)
    strategy: Literal["auto", "ddp", "fsdp"] = leaf("How they share it.", default="auto")


class MultipleOf(SpecModel):
    """Checkpoints whose step, counted within the stage, is a multiple of a number."""

    multiple_of: int = leaf("The number.", unit="steps", gt=0)


class Checkpoints(SpecModel):
    """Which states are kept."""

    every: int = leaf("Steps between checkpoints, which bound what a kill costs.", unit="steps", default=10, gt=0)
    keep: tuple[Literal["start", "block_end", "stage_end", "end"] | MultipleOf, ...] = leaf(
        "Checkpoints that outlive the run.", default=("stage_end", "end")
    )


class Sandbox(SpecModel):
    """Isolation of generated programs; weaker than the least tier is refused."""

    min_tier: Literal["bubblewrap", "seccomp", "rlimits"] = leaf(
        "Weakest isolation that is accepted.", default="seccomp"
    )


class Endpoint(SpecModel):
    """An HTTP endpoint that speaks the OpenAI protocol."""

    url: str = leaf("Base address.", pattern=r"^https?://|^\$\{env:")
    key_env: str | None = leaf("Environment variable that holds the key; never the key itself.", default=None)
    rpm: int | None = leaf("Most requests a minute.", default=None, gt=0)
    max_usd: float | None = leaf("Spending after which no request is sent.", unit="USD", default=None, gt=0)


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
    engine: Engine = leaf("Who generates.", default_factory=lambda: TransformersEngine(kind="transformers"))
    trainer: Trainer = leaf("Layout of an update.", default_factory=Trainer)
    checkpoints: Checkpoints = leaf("Which states are kept.", default_factory=Checkpoints)
    data: dict[str, tuple[str, ...]] = leaf(
        "Candidate paths of each data file; the first that is set and exists is read.", default={}
    )
    track: Track = leaf("Mirrors.", default_factory=Track)
    sandbox: Sandbox = leaf("Isolation of generated programs.", default_factory=Sandbox)
    endpoints: dict[str, Endpoint] = leaf("Endpoints by name.", default={})
