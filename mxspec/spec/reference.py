"""References to states of other runs: what a role, or a whole run, starts from."""

from typing import Literal

from mxspec.spec.base import SpecModel, leaf


class RunReference(SpecModel):
    """A run, by the spec that declares it; its id is computed, so it need not have been run yet."""

    spec: str = leaf("Spec file, relative to the file that names it; its path is not identity.")
    arm: str = leaf("Arm of its sweep; `main` where it has none.", default="main")
    seed: int | Literal["same"] = leaf("Seed; `same` is that of the run which refers to it.", default="same")


class Init(SpecModel):
    """What policies start from in place of their model: a state of another run, or a checkpoint on disk."""

    run: RunReference | None = leaf("Run whose state is taken.", default=None)
    stage: str | None = leaf("Stage of that run.", default=None)
    step: int | None = leaf("Steps of that stage done; 0 is the state before its first.", default=None, ge=0)
    path: str | None = leaf("Checkpoint directory, relative to the file that names it.", default=None)
    sha256: str | None = leaf(
        "Hash of its manifest; what counts for identity.", default=None, pattern=r"^[0-9a-f]{64}$"
    )
    take: Literal["weights", "all"] = leaf("Weights, or optimizer state and clocks as well.", default="weights")
    state: str | None = leaf("The state that is meant; planning fills it in.", default=None, pattern=r"^[0-9a-f]{64}$")
