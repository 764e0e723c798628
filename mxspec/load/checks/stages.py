"""Stages: names, trained roles, what a stage needs to learn, and when it ends."""

from __future__ import annotations

import re

from mxspec.load.checks.where import Checker, trained_roles
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec.policy import FromConfig
from mxspec.spec.stages import Alternate, SftStage

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
        if getattr(spec.learn, stage.kind) is None:
            message = f"the stage {stage.name!r} is of kind {stage.kind}, and learn.{stage.kind} is missing"
            checker.error("missing-learn", (*path, "kind"), message, f"add learn.{stage.kind}")
        roles = stage.train if isinstance(stage, SftStage) else trained_roles(stage)
        where = (
            (*path, "train", "order") if stage.kind == "rl" and isinstance(stage.train, Alternate) else (*path, "train")
        )
        _trained(checker, where, stage.name, roles, repeats=where[-1] == "order")
        if not roles:
            checker.error(
                "nobody-trains", where, f"the stage {stage.name!r} trains no role", "name one, or remove the stage"
            )
        if isinstance(stage, SftStage):
            _sft(checker, path, stage)
    model = spec.policy.model
    if isinstance(model, FromConfig):
        _tokenizer(checker, model)


def _trained(checker: Checker, path: tuple[Step, ...], stage: str, roles: tuple[str, ...], *, repeats: bool) -> None:
    written = checker.spec.stages[path[1] if isinstance(path[1], int) else 0].train
    given = written.order if isinstance(written, Alternate) else written
    for index, role in enumerate(given):
        if not checker.known_role(role, (*path, index)):
            continue
        if checker.spec.roles[role].agents is None and role != checker.writer:
            kind = checker.spec.structure.kind
            message = f"the stage {stage!r} trains {role!r}, which does nothing under a {kind} structure"
            checker.error("untrainable", (*path, index), message, "train a role that plays agents")
        if role in given[:index] and not repeats:
            checker.error("repeated-role", (*path, index), f"{role!r} stands twice", "name each role once")


def _sft(checker: Checker, path: tuple[Step, ...], stage: SftStage) -> None:
    if (stage.epochs is None) == (stage.gate is None):
        if stage.epochs is None:
            checker.error("no-end", path, f"nothing ends the stage {stage.name!r}", "give `epochs`, or a `gate`")
        else:
            hint = "keep one; the gate bounds the epochs by `max_epochs`"
            checker.error("two-ends", (*path, "epochs"), "both `epochs` and a `gate` end the stage", hint)
    unknown = [role for role in stage.train if role not in checker.spec.roles]
    for role in stage.data.rows:
        if role not in stage.train and not unknown:
            checker.error(
                "rows", (*path, "data", "rows", role), f"rows for {role!r}, which the stage does not train", key=True
            )
    for role in stage.train:
        if role not in stage.data.rows and role in checker.spec.roles:
            checker.error("rows", (*path, "data", "rows"), f"no rows for {role!r}, which the stage trains")
    for index, measure in enumerate(stage.gate.all if stage.gate else ()):
        _watch(checker, (*path, "gate", "all", index, "watch"), measure.watch)


def _watch(checker: Checker, path: tuple[Step, ...], watch: str) -> None:
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
    if "epoch" not in evaluations[name].at:
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
    elif not isinstance(stages[name], SftStage):
        checker.error("tokenizer", path, f"the stage {name!r} has no corpus", "name a stage of kind sft")
