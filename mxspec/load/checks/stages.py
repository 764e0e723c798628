"""Stages: names, trained roles, what a stage needs to learn, and when it ends."""

from __future__ import annotations

import re

from mxspec.load.checks.where import Checker
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec.evaluate import Every
from mxspec.spec.policy import FromConfig
from mxspec.spec.stages import Alternate, PluggedStage, PreferenceStage, RlStage, SearchStage, SftStage, Teacher
from mxspec.spec.structure import Searched

WATCH = re.compile(r"evaluate\.([^.]+)\.(accuracy|valid_designs)")


def check_stages(checker: Checker) -> None:
    """Checks `stages`, their gates, and the tokenizer that a stage's corpus trains."""
    spec = checker.spec
    if not spec.stages and not spec.evaluate:
        checker.error("nothing-to-do", (), "no stage and no evaluation: there is nothing to do", "add `stages`")
    first: dict[str, int] = {}
    for index, stage in enumerate(spec.stages):
        path: tuple[Step, ...] = ("stages", index)
        if stage.name in first:
            line = checker.at("stages", first[stage.name], "name").line
            hint = "names make paths; give each stage its own"
            checker.error("duplicate-stage", (*path, "name"), f"a stage {stage.name!r} stands in line {line}", hint)
        first.setdefault(stage.name, index)
        if isinstance(stage, PluggedStage):
            for number, role in enumerate(stage.train):
                checker.known_role(role, (*path, "train", number))
            continue
        if stage.kind != "search" and getattr(spec.learn, stage.kind) is None:
            message = f"the stage {stage.name!r} is of kind {stage.kind}, and learn.{stage.kind} is missing"
            checker.error("missing-learn", (*path, "kind"), message, f"add learn.{stage.kind}")
        if isinstance(stage, SearchStage):
            _search(checker, path, stage)
            continue
        _trained(checker, path, stage)
        match stage:
            case SftStage():
                _sft(checker, path, stage)
            case RlStage():
                _rl(checker, path, stage)
            case PreferenceStage():
                _preference(checker, path, stage)
    model = spec.policy.model
    if isinstance(model, FromConfig):
        _tokenizer(checker, model)


def _trained(checker: Checker, path: tuple[Step, ...], stage: SftStage | RlStage | PreferenceStage) -> None:
    alternates = isinstance(stage.train, Alternate)
    given = stage.train.order if isinstance(stage.train, Alternate) else stage.train
    path = (*path, "train", "order") if alternates else (*path, "train")
    for index, role in enumerate(given):
        if not checker.known_role(role, (*path, index)):
            continue
        if checker.spec.roles[role].agents is None and role != checker.writer and role not in checker.levels:
            kind = checker.spec.structure.kind
            message = f"the stage {stage.name!r} trains {role!r}, which does nothing under a {kind} structure"
            checker.error("untrainable", (*path, index), message, "train a role that plays agents")
        model = checker.spec.roles[role].model
        if model is not None:
            message = (
                f"the stage {stage.name!r} trains {role!r}, which has a model of its own ({model.kind}) and is frozen"
            )
            checker.error("frozen-role", (*path, index), message, f"remove roles.{role}.model, or train another role")
        if role in given[:index] and not alternates:
            checker.error("repeated-role", (*path, index), f"{role!r} stands twice", "name each role once")
    if not given:
        checker.error(
            "nobody-trains", path, f"the stage {stage.name!r} trains no role", "name one, or remove the stage"
        )


def _rl(checker: Checker, path: tuple[Step, ...], stage: RlStage) -> None:
    spec = checker.spec
    for what, there in (
        (("questions",), spec.questions is not None),
        (("rollout", "tree"), checker.written("rollout", "tree")),
        (("reward", "terms"), bool(spec.reward.terms)),
    ):
        if not there and stage is next(one for one in spec.stages if isinstance(one, RlStage)):
            name = ".".join(what)
            checker.error("missing", what, f"{name!r} is missing", f"the rl stage {stage.name!r} needs it")
    if stage.stop is not None:
        _watch(checker, (*path, "stop", "watch"), stage.stop.watch, epoch=False)
        _can_stop(checker, path, stage)


def _can_stop(checker: Checker, path: tuple[Step, ...], stage: RlStage) -> None:
    """A plateau needs one measurement to compare with, and `patience` more."""
    assert stage.stop is not None
    match = WATCH.fullmatch(stage.stop.watch)
    evaluation = checker.spec.evaluate.get(match[1]) if match else None
    if evaluation is None:
        return
    block = stage.train.every if isinstance(stage.train, Alternate) else stage.steps
    spacings = [at.every for at in evaluation.at if isinstance(at, Every)]
    spacings += [block] if "block_end" in evaluation.at else []
    if not spacings:
        message = f"the stage {stage.name!r} can never stop early: its watched evaluation is not made while it runs"
        hint = f"add {{every: n}} to evaluate.{match[1] if match else ''}.at"
        checker.error("stop-never", (*path, "stop"), message, hint)
        return
    measured = sum(stage.steps // spacing for spacing in spacings)
    if measured <= stage.stop.patience:
        message = f"{measured} measurements in {stage.steps} steps can never be {stage.stop.patience} without a rise"
        checker.error("stop-never", (*path, "stop"), message, "measure more often, or lower `patience`")


def _preference(checker: Checker, path: tuple[Step, ...], stage: PreferenceStage) -> None:
    spec = checker.spec
    if checker.writer is None:
        checker.error("no-designs", (*path, "pairs", "of"), f"a {spec.structure.kind} structure has no designs to pair")
    elif spec.rollout.tree.designs < 2:
        message = "pairs are made of the designs of a question, and there is one"
        checker.error("group-of-one", ("rollout", "tree", "designs"), message, "raise designs")
    if spec.questions is None:
        checker.error("missing", ("questions",), "'questions' is missing", f"the stage {stage.name!r} needs it")


def _search(checker: Checker, path: tuple[Step, ...], stage: SearchStage) -> None:
    if not isinstance(checker.spec.structure, Searched):
        kind = checker.spec.structure.kind
        message = f"the stage {stage.name!r} searches for a script, and the structure is {kind}"
        checker.error("no-search", (*path, "kind"), message, "write structure: {kind: searched, ..}")
    for index, use in enumerate(stage.score_on):
        if use.split == "test":
            message = f"the stage {stage.name!r} scores candidates on a test split, which nothing may be tuned on"
            checker.error("watch-test", (*path, "score_on", index), message, "score on a validation split")


def _sft(checker: Checker, path: tuple[Step, ...], stage: SftStage) -> None:
    if (stage.epochs is None) == (stage.gate is None):
        if stage.epochs is None:
            checker.error("no-end", path, f"nothing ends the stage {stage.name!r}", "give `epochs`, or a `gate`")
        else:
            hint = "keep one; the gate bounds the epochs by `max_epochs`"
            checker.error("two-ends", (*path, "epochs"), "both `epochs` and a `gate` end the stage", hint)
    for index, measure in enumerate(stage.gate.all if stage.gate else ()):
        _watch(checker, (*path, "gate", "all", index, "watch"), measure.watch)
    if not isinstance(stage.data, Teacher):
        return
    unknown = [role for role in stage.train if role not in checker.spec.roles]
    for role in stage.data.rows:
        if role not in stage.train and not unknown and role not in checker.spec.roles:
            hint = did_you_mean(role, checker.spec.roles) or f"roles are {', '.join(checker.spec.roles)}"
            where = (*path, "data", "rows", role)
            checker.error("rows", where, f"rows for {role!r}, which is no role", hint, key=True)
    for role in stage.train:
        if role not in stage.data.rows and role in checker.spec.roles:
            checker.error("rows", (*path, "data", "rows"), f"no rows for {role!r}, which the stage trains")


def _watch(checker: Checker, path: tuple[Step, ...], watch: str, *, epoch: bool = True) -> None:
    match = WATCH.fullmatch(watch)
    if match is None:
        hint = "write evaluate.<name>.accuracy or evaluate.<name>.valid_designs"
        checker.error("watch", path, f"{watch!r} is nothing that is measured", hint)
        return
    name, evaluations = match[1], checker.spec.evaluate
    if name not in evaluations:
        known = list(evaluations)
        hint = did_you_mean(name, known) or (f"there is {', '.join(known)}" if known else "declare it under `evaluate`")
        checker.error("watch", path, f"no evaluation {name!r}", hint)
        return
    if epoch and "epoch" not in evaluations[name].at:
        hint = f"add `epoch` to evaluate.{name}.at"
        checker.error("watch", path, f"the evaluation {name!r} is not made after each epoch", hint)
    if any(use.split == "test" for use in evaluations[name].on):
        hint = "watch a validation split"
        checker.error(
            "watch-test", path, f"the evaluation {name!r} judges on a test split, which nothing may be tuned on", hint
        )


def _tokenizer(checker: Checker, model: FromConfig) -> None:
    stages = {stage.name: stage for stage in reversed(checker.spec.stages)}
    name, path = model.tokenizer.train_on, ("policy", "model", "tokenizer", "train_on")
    if name not in stages:
        hint = did_you_mean(name, stages) or f"stages are {', '.join(stages) or 'none'}"
        checker.error("tokenizer", path, f"no stage {name!r}", hint)
    else:
        stage = stages[name]
        if not isinstance(stage, SftStage) or not isinstance(stage.data, Teacher):
            hint = "name a stage of kind sft with a teacher"
            checker.error("tokenizer", path, f"the stage {name!r} has no corpus", hint)
