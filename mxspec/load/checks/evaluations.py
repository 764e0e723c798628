"""Evaluations: due at some time, on data that was not trained on."""

from __future__ import annotations

from mxspec.load.checks.data import teachers_of
from mxspec.load.checks.where import Checker
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec.evaluate import Best, Evaluation, Every
from mxspec.spec.stages import RlStage, SearchStage


def check_evaluations(checker: Checker) -> None:
    """Checks `evaluate`."""
    spec = checker.spec
    asked = spec.questions.source if spec.questions else ()
    trains_on = {use.use for use in asked if use.split == "train"} if spec.stages else set()
    trains_on |= {teacher.use for teacher in teachers_of(spec)}
    for name, evaluation in spec.evaluate.items():
        if evaluation.tree.designs > 1 and (evaluation.structure is not None or checker.writer is None):
            path = ("evaluate", name, "tree", "designs")
            checker.error("fixed-designs", path, "a fixed structure has one design per question", "write designs: 1")
        for index, use in enumerate(evaluation.on):
            if use.split == "train" and use.use in trains_on:
                message = f"judges on the train split of {use.use!r}, which is trained on"
                checker.warn(
                    "train-split", ("evaluate", name, "on", index), message, "write split: validation, or test"
                )
        for index, at in enumerate(evaluation.at):
            if isinstance(at, Best):
                _best(checker, ("evaluate", name, "at", index, "best"), at)
        if not _is_due(checker, evaluation):
            checker.warn("never-due", ("evaluate", name, "at"), "is never due in these stages")
    for index, use in enumerate(asked):
        if use.split != "train":
            message = f"trains on the {use.split} split of {use.use!r}"
            if any(one.use == use.use and one.split == use.split for e in spec.evaluate.values() for one in e.on):
                where = ("questions", "from", index, "split")
                checker.error("overlap", where, f"{message}, which an evaluation judges on", "write split: train")
            elif use.split == "test":
                checker.error("overlap", ("questions", "from", index, "split"), message, "write split: train")


def _best(checker: Checker, path: tuple[Step, ...], at: Best) -> None:
    searches = [stage.name for stage in checker.spec.stages if isinstance(stage, SearchStage)]
    if at.best not in searches:
        hint = did_you_mean(at.best, searches) or f"searches are {', '.join(searches) or 'none'}"
        checker.error("no-search", path, f"no stage of kind search is called {at.best!r}", hint)


def _is_due(checker: Checker, evaluation: Evaluation) -> bool:
    kinds = {stage.kind for stage in checker.spec.stages}
    for at in evaluation.at:
        if at == "start":
            return True
        if isinstance(at, Every) or at == "block_end":
            if any(
                isinstance(stage, RlStage) and (not isinstance(at, Every) or at.every <= stage.steps)
                for stage in checker.spec.stages
            ):
                return True
        elif isinstance(at, Best):
            return True
        elif at == "epoch":
            if "sft" in kinds:
                return True
        elif kinds:
            return True
    return False
