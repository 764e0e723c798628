"""References to states of other runs: the spec, its arm, stage, step and role exist, and the state is kept."""

from __future__ import annotations

from pathlib import Path

from mxspec.load.checks.where import Checker
from mxspec.load.errors import SpecErrors, did_you_mean, shown
from mxspec.load.references import CircleError, Reference, is_kept, load_referenced, longest, references_of


def check_references(checker: Checker) -> None:
    """Checks `init` and roles whose model is a checkpoint."""
    _init(checker)
    for one in references_of(checker.spec):
        _reference(checker, one)


def _init(checker: Checker) -> None:
    init = checker.spec.init
    if init is None:
        return
    if (init.run is None) == (init.path is None):
        checker.error("init", ("init",), "a start is a `run`, or a `path`", "give one of the two")
    if init.run is not None:
        for name in ("stage", "step"):
            if getattr(init, name) is None:
                checker.error("missing", ("init",), f"{name!r} is missing", f"say which {name} of the run is meant")
    if init.path is not None and init.sha256 is None:
        hint = "write the sha256 of its MANIFEST.json: what a run starts from is identity"
        checker.error("missing", ("init", "path"), "'sha256' is missing", hint)


def _reference(checker: Checker, one: Reference) -> None:
    file = Path(one.run.spec)
    where = (*one.path, "run", "spec")
    if str(file) == str(Path(checker.root.at.file).absolute()):
        checker.error("reference-cycle", where, "the spec refers to itself", "name the spec that it starts from")
        return
    try:
        loaded = load_referenced(file)
    except CircleError as error:
        checker.error("reference-cycle", where, f"the specs refer to each other: {error}")
        return
    except SpecErrors as error:
        number = len(error.diagnostics)
        what = f"{shown(file)} has {number} error{'s' if number > 1 else ''}"
        checker.error("reference", where, what, f"run `mxspec validate {shown(file)}`")
        return
    except OSError as error:
        checker.error("no-file", where, f"{shown(file)} cannot be read: {error.strerror}")
        return
    arms = {arm.name: arm for arm in loaded.arms}
    if one.run.arm not in arms:
        hint = did_you_mean(one.run.arm, arms) or f"arms are {', '.join(arms)}"
        checker.error("unknown-arm", (*one.path, "run", "arm"), f"{shown(file)} has no arm {one.run.arm!r}", hint)
        return
    spec = arms[one.run.arm].spec
    stages = [stage.name for stage in spec.stages]
    if one.role is not None and one.role not in spec.roles:
        hint = did_you_mean(one.role, spec.roles) or f"roles are {', '.join(spec.roles)}"
        checker.error("unknown-role", (*one.path, "role"), f"{shown(file)} has no role {one.role!r}", hint)
    if one.stage not in stages:
        hint = did_you_mean(one.stage, stages) or f"stages are {', '.join(stages)}"
        checker.error("unknown-stage", (*one.path, "stage"), f"{shown(file)} has no stage {one.stage!r}", hint)
        return
    index = stages.index(one.stage)
    most = longest(spec.stages[index])
    step = (*one.path, "step")
    if most is None and one.step:
        after = f"step 0 of {stages[index + 1]!r}" if index + 1 < len(stages) else "a stage after it"
        message = f"the number of steps of {one.stage!r} is not known before it has run"
        checker.error("unknown-step", step, message, f"refer to {after}")
    elif most is not None and one.step > most:
        checker.error("unknown-step", step, f"the stage {one.stage!r} has {most} steps", f"write at most {most}")
    elif not is_kept(spec, index, one.step):
        message = f"{shown(file)} does not keep the checkpoint after {one.step} steps of {one.stage!r}"
        checker.error("not-kept", step, message, f"add {_keeps(one.step)} to its runtime.checkpoints.keep")


def _keeps(step: int) -> str:
    return f"{{multiple_of: {step}}}" if step else "stage_end"
