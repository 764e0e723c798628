"""A plugin with a kind for every extension point, for tests."""

from __future__ import annotations

PLUGIN = '''
"""A grader, a reward term, a source of questions, a launcher; and kinds that no runner takes yet."""

from typing import Literal

from mxspec.plugins import PluggedStage, PluggedStructure, SpecModel, leaf, register


@register("grader", implementation=":make_prefix")
class Prefix(SpecModel):
    """The answer begins with the gold."""

    kind: Literal["prefix"]
    least: int = leaf("Characters that an answer has.", default=1, gt=0)


def make_prefix(spec):
    from runners.grading import Grade

    def judge(gold, answer):
        if answer is None or len(answer.strip()) < spec.least:
            return Grade("no_answer", None, "empty")
        return Grade("correct" if answer.startswith(gold) else "incorrect", answer, "prefix")

    return judge


@register("reward", implementation=":make_few")
class Few(SpecModel):
    """1 where an execution made few calls."""

    kind: Literal["few"]
    most: int = leaf("Calls.", gt=0)


def make_few(spec):
    return lambda execution: float(execution.result.calls <= spec.most)


@register("benchmark", implementation=":make_counting")
class Counting(SpecModel):
    """What follows a number."""

    kind: Literal["counting"]
    first: int = leaf("The first number.", default=0)


class CountingSource:
    def __init__(self, spec, name):
        self.spec, self.name = spec, name

    def one(self, split, number):
        from runners.benchmarks.question import make_question

        number = 3 * (self.spec.first + number) + ("train", "validation", "test").index(split)
        return make_question(self.name, split, f"after {number}", str(number + 1), None)

    def at(self, split, position, count, seed, difficulty):
        return tuple(self.one(split, seed + index) for index in range(position, position + count))

    def fixed(self, split, limit, difficulty):
        return tuple(self.one(split, index) for index in range(limit or 100))


def make_counting(spec, name):
    return CountingSource(spec, name)


@register("launcher", implementation=":make_here")
class Here(SpecModel):
    """Runs jobs in this process."""

    kind: Literal["here"]


def make_here(spec, *, patience, run_job):
    from runners.launch.local import LocalLauncher

    return LocalLauncher(patience, run_job=run_job)


def other(point, base=SpecModel):
    class Kind(base):
        """A kind that no runner takes yet."""

        kind: Literal["mine"]
        size: float = leaf("A size.", default=1.0)

    return register(point, implementation="no.such.module:make")(Kind)


Policy = other("policy")
Sharing = other("sharing")
Structure = other("structure", PluggedStructure)
Loss = other("loss")
Preference = other("preference_loss")
Schedule = other("schedule")
Search = other("search")
Engine = other("engine")

Stage = other("stage", PluggedStage)
'''
