"""How a stage updates a policy: loss, optimizer, schedule, update."""

from typing import Annotated, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf

Positive = Annotated[float, Field(gt=0)]
Beta = Annotated[float, Field(ge=0, lt=1)]


class AdamW(SpecModel):
    """AdamW (Loshchilov and Hutter 2019)."""

    kind: Literal["adamw"]
    lr: float = leaf("Peak learning rate.", gt=0)
    betas: tuple[Beta, Beta] = leaf("Decay of both moments.", default=(0.9, 0.999))
    eps: float = leaf("Added to the root of the second moment.", default=1e-8, gt=0)
    weight_decay: float = leaf("Decoupled weight decay.", default=0.0, ge=0)
    grad_clip: float | None = leaf("Largest gradient norm; none: unclipped.", default=1.0, gt=0)
    role_lr: dict[str, Annotated[float, Field(gt=0)]] = leaf(
        "Peak learning rate by role, where it differs.", default={}
    )


class Constant(SpecModel):
    """The peak rate, after a linear warm-up."""

    kind: Literal["constant"]
    warmup: int = leaf("Steps of linear warm-up.", unit="steps", default=0, ge=0)
    clock: Literal["run_steps", "stage_steps", "role_updates"] = leaf("What counts as a step.", default="role_updates")


class Cosine(SpecModel):
    """Linear warm-up, then half a cosine down to a floor."""

    kind: Literal["cosine"]
    warmup: int = leaf("Steps of linear warm-up.", unit="steps", default=0, ge=0)
    decay: int = leaf("Step at which the floor is reached.", unit="steps", gt=0)
    floor: float = leaf("Share of the peak rate kept at the end.", default=0.0, ge=0, le=1)
    clock: Literal["run_steps", "stage_steps", "role_updates"] = leaf("What counts as a step.", default="role_updates")


Schedule = Annotated[Constant | Cosine, Field(discriminator="kind")]


class Grpo(SpecModel):
    """Clipped surrogate over group-normalised advantages (Shao et al. 2024, eq. 3)."""

    kind: Literal["grpo"]
    clip_low: float = leaf("Lower clip of the probability ratio.", default=0.2, ge=0, lt=1)
    clip_high: float = leaf("Upper clip of the probability ratio.", default=0.2, ge=0)
    aggregate: Literal["token_mean", "sequence_mean", "sequence_sum"] = leaf(
        "How token losses become one number.", default="token_mean"
    )
    ratio: Literal["token", "sequence"] = leaf(
        "Probability ratio of each token, or one of the whole response (GSPO).", default="token"
    )
    kl: float = leaf("Weight of the divergence from the reference policy.", default=0.0, ge=0)


class Update(SpecModel):
    """How one rollout batch is consumed."""

    epochs: int = leaf("Passes over the batch.", default=1, gt=0)
    minibatches: int = leaf("Optimizer steps per pass and policy.", default=1, gt=0)
    roles: Literal["together", "in_turn"] = leaf(
        "Roles on one parameter set: one optimizer step for all, or one after the other.", default="together"
    )
    moments: Literal["keep", "reset"] = leaf("Optimizer moments at the start of a stage.", default="keep")


class LearnSft(SpecModel):
    """Supervised fine-tuning."""

    optimizer: AdamW = leaf("The optimizer.")
    schedule: Schedule = leaf("Learning rate over time.", default_factory=lambda: Constant(kind="constant"))
    batch: int = leaf("Rows per optimizer step, over all trained roles.", unit="rows", gt=0)
    loss_on: Literal["response"] = leaf("Tokens that carry loss.", default="response")
    max_tokens: int | None = leaf("Rows beyond this length are left out.", unit="tokens", default=None, gt=0)


class LearnRl(SpecModel):
    """Reinforcement learning on rollout trees."""

    loss: Grpo = leaf("The objective.")
    optimizer: AdamW = leaf("The optimizer.")
    schedule: Schedule = leaf("Learning rate over time.", default_factory=lambda: Constant(kind="constant"))
    update: Update = leaf("How a batch is consumed.", default_factory=Update)


class Dpo(SpecModel):
    """Direct preference optimisation (Rafailov et al. 2023, eq. 7)."""

    kind: Literal["dpo"]
    beta: float = leaf("Strength of the pull towards the reference.", gt=0)


class LearnPreference(SpecModel):
    """Learning from pairs of designs."""

    loss: Dpo = leaf("The objective.")
    optimizer: AdamW = leaf("The optimizer.")
    schedule: Schedule = leaf("Learning rate over time.", default_factory=lambda: Constant(kind="constant"))
    batch: int = leaf("Pairs per optimizer step.", unit="pairs", default=64, gt=0)


class Learn(SpecModel):
    """One block per kind of stage."""

    sft: LearnSft | None = leaf("For stages of kind sft.", default=None)
    rl: LearnRl | None = leaf("For stages of kind rl.", default=None)
    preference: LearnPreference | None = leaf("For stages of kind preference.", default=None)
