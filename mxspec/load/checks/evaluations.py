"""Evaluations: due at some time, on data that was not trained on."""

from __future__ import annotations

from mxspec.load.checks.where import Checker
from mxspec.spec.evaluate import Evaluation, Every
from mxspec.spec.stages import SftStage


def check_evaluations(checker: Checker) -> None:
    """Checks `evaluate`."""
    spec = checker.spec
    trains_on = {use.use for use in spec.questions.source if use.split == "train"} if spec.stages else set()
    trains_on |= {stage.data.use for stage in spec.stages if isinstance(stage, SftStage)}
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
        if not _is_due(checker, evaluation):
            checker.warn("never-due", ("evaluate", name, "at"), "is never due in these stages")
    for index, use in enumerate(spec.questions.source):
        if use.split != "train":
            message = f"trains on the {use.split} split of {use.use!r}"
            if any(one.use == use.use and one.split == use.split for e in spec.evaluate.values() for one in e.on):
                where = ("questions", "from", index, "split")
                checker.error("overlap", where, f"{message}, which an evaluation judges on", "write split: train")
            elif use.split == "test":
                checker.error("overlap", ("questions", "from", index, "split"), message, "write split: train")


def _is_due(checker: Checker, evaluation: Evaluation) -> bool:
    kinds = {stage.kind for stage in checker.spec.stages}
    for at in evaluation.at:
        if at == "start":
            return True
        if isinstance(at, Every) or at == "block_end":
            if any(
                stage.kind == "rl" and (not isinstance(at, Every) or at.every <= stage.steps)
                for stage in checker.spec.stages
            ):
                return True
        elif at == "epoch":
            if "sft" in kinds:
                return True
        elif kinds:
            return True
    return False
