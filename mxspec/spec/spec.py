"""The whole spec."""

from typing import Any, Literal

from mxspec.spec.base import SpecModel, leaf
from mxspec.spec.benchmark import Benchmark, Questions
from mxspec.spec.evaluate import Evaluation
from mxspec.spec.learn import Learn
from mxspec.spec.plugin import Plugin
from mxspec.spec.policy import Policy
from mxspec.spec.reference import Init
from mxspec.spec.roles import Role
from mxspec.spec.rollout import Credit, Reward, Rollout
from mxspec.spec.runtime import Runtime
from mxspec.spec.stages import Stage
from mxspec.spec.structure import Structure
from mxspec.spec.sweep import Sweep

PRINTABLE = r"^[^\x00-\x1f\x7f]*$"
"""No control characters: names are printed on terminals."""


class Numerics(SpecModel):
    """Number formats; they change results, so they are identity."""

    train: Literal["fp32", "bf16-mixed"] = leaf("Format of the update.", default="fp32")
    serve: Literal["fp32", "bf16"] = leaf("Format of generation.", default="fp32")


class Spec(SpecModel):
    """One experiment, or a sweep of them."""

    language: Literal[1] = leaf("Version of the spec language.")
    name: str = leaf("A label; not identity.", min_length=1, max_length=200, pattern=PRINTABLE)
    notes: str | None = leaf("Free text; not identity.", default=None)
    vars: dict[str, Any] = leaf("Names for interpolation; not identity.", default={})
    seed: int = leaf("Seed of everything that is drawn.", default=0, ge=0, lt=2**63)
    numerics: Numerics = leaf("Number formats.", default_factory=Numerics)
    policy: Policy = leaf("The trainable parameters.")
    structure: Structure = leaf("Where the multi-agent system comes from.")
    roles: dict[str, Role] = leaf("Roles by name.", min_length=1)
    benchmarks: dict[str, Benchmark] = leaf(
        "Benchmarks by name; those that are used and not declared here are read from benchmarks/.", default={}
    )
    questions: Questions | None = leaf("Questions of an rl step; none where no stage asks any.", default=None)
    rollout: Rollout = leaf("How questions become trees.", default_factory=Rollout)
    reward: Reward = leaf("What an execution and a design earn.", default_factory=Reward)
    credit: dict[str, Credit] = leaf("From rewards to advantages, by role.", default={})
    learn: Learn = leaf("How policies are updated.", default_factory=Learn)
    stages: tuple[Stage, ...] = leaf("What happens, in order.", default=())
    evaluate: dict[str, Evaluation] = leaf("Evaluations by name.", default={})
    init: Init | None = leaf("What the policies start from, in place of their model.", default=None)
    plugins: tuple[Plugin, ...] = leaf("Plugin files and packages; code, so they need trust.", default=())
    runtime: Runtime = leaf("Where it happens.", default_factory=Runtime)
    sweep: Sweep | None = leaf("Arms and seeds; never inherited.", default=None)
