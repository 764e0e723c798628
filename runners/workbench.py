"""The workbench of a run: its policies, benchmarks and tools, opened once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lightning.fabric import Fabric

from mxspec.spec import Spec
from mxspec.spec.evaluate import TemperatureOverride
from mxspec.spec.roles import Sampling
from mxspec.spec.rollout import Tree
from mxspec.spec.structure import Structure
from runners.benchmarks import LoadedBenchmark, Question
from runners.grading import Grade
from runners.mas.build import ScriptBuilder
from runners.policies.policy import Policies
from runners.rollout.outcomes import TermJudges
from runners.rollout.prompts import PromptRenderer
from runners.rollout.rollout import Method
from runners.rollout.wave import Served


@dataclass(frozen=True, slots=True)
class Workbench:
    """What a stage works with."""

    spec: Spec
    fabric: Fabric
    policies: Policies
    benchmarks: Mapping[str, LoadedBenchmark]
    builder: ScriptBuilder
    renderers: Mapping[str, PromptRenderer]
    terms: TermJudges

    def method(
        self,
        *,
        tree: Tree | None = None,
        structure: Structure | None = None,
        override: TemperatureOverride | None = None,
    ) -> Method:
        """How to roll out: as in training, or with what an evaluation changes."""
        return Method(
            structure=structure or self.spec.structure,
            shape=tree or self.spec.rollout.tree,
            limits=self.spec.rollout.limits,
            roles=self.spec.roles,
            served={
                role: Served(
                    role, self.policies.for_role(role), self.renderers[role], sampled(which.sampling, override)
                )
                for role, which in self.spec.roles.items()
            },
            builder=self.builder,
            judge=self.judge,
        )

    def judge(self, question: Question, answer: str | None) -> Grade:
        """Grades an answer by the question's benchmark."""
        return self.benchmarks[question.benchmark].judge(question.gold, answer)


def sampled(sampling: Sampling, override: TemperatureOverride | None) -> Sampling:
    """A role's sampling with what an evaluation changes."""
    if override is None:
        return sampling
    return sampling.model_copy(update=override.model_dump(exclude_none=True))
