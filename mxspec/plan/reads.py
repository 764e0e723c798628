"""What a step, an evaluation or the first state reads of a spec: all of it is identity, nothing else is."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel

from mxspec.plan.canonical import leaves, leaves_by_name
from mxspec.spec import Spec
from mxspec.spec.benchmark import Benchmark, Hub, Jsonl
from mxspec.spec.evaluate import Evaluation, TemperatureOverride
from mxspec.spec.policy import FromConfig, Shared
from mxspec.spec.roles import CheckpointModel, Role
from mxspec.spec.stages import DemonstrationFile, PluggedStage, PreferenceStage, RlStage, SearchStage, SftStage, Stage

Reads = dict[str, object]


def root_reads(spec: Spec) -> Reads:
    """The policies before any step: model, sharing, numerics, seed, and the corpus of a trained tokenizer.

    Where roles have parameters or adapters of their own, these are drawn by name, so the names count.
    """
    found: Reads = {"policy": leaves(spec.policy), "numerics": leaves(spec.numerics), "seed": spec.seed}
    if not isinstance(spec.policy.sharing, Shared):
        found["roles"] = sorted(name for name, role in spec.roles.items() if role.model is None)
    if spec.init is not None:
        found["init"] = {"state": spec.init.state or spec.init.sha256, "take": spec.init.take}
    if isinstance(spec.policy.model, FromConfig):
        stage = corpus_stage(spec, spec.policy.model)
        found["corpus"] = {"stage": stage.name, **demonstration_reads(spec, stage)}
    return found


def corpus_stage(spec: Spec, model: FromConfig) -> SftStage:
    """The stage whose corpus the tokenizer is trained on."""
    stage = next(one for one in spec.stages if one.name == model.tokenizer.train_on)
    assert isinstance(stage, SftStage)
    return stage


def demonstration_reads(spec: Spec, stage: SftStage) -> Reads:
    """The demonstrations of an sft stage: teacher and benchmark, or a file, and the prompts that they stand in."""
    prompts = {role: leaves(spec.roles[role].prompt) for role in stage.train}
    if isinstance(stage.data, DemonstrationFile):
        data = {key: value for key, value in leaves(stage.data).items() if key != "file"}
        return {"data": data, "prompts": prompts}
    return {
        "data": leaves(stage.data),
        "benchmarks": benchmark_reads(spec, [stage.data.use]),
        "prompts": prompts,
    }


def stretch_reads(spec: Spec, stage: Stage, trains: tuple[str, ...]) -> Reads:
    """What one step of a stage does and reads while it trains some roles."""
    what: Reads = {"kind": stage.kind, "stage": stage.name, "trains": list(trains)}
    match stage:
        case SftStage():
            return what | _sft_reads(spec, stage)
        case RlStage():
            return what | _rl_reads(spec, stage, trains)
        case PreferenceStage():
            return what | _preference_reads(spec, stage)
        case SearchStage():
            return what | _search_reads(spec, stage)
        case PluggedStage():
            return what | _plugged_reads(spec, stage)


def _sft_reads(spec: Spec, stage: SftStage) -> Reads:
    assert spec.learn.sft is not None
    found = {"learn": leaves(spec.learn.sft), **demonstration_reads(spec, stage)}
    if stage.gate is not None:
        found["gate"] = leaves(stage.gate)
        found["watched"] = _watched(spec, *(measure.watch for measure in stage.gate.all))
    return found


def _watched(spec: Spec, *watches: str) -> Reads:
    """The evaluations that decide when a stage ends."""
    names = sorted({watch.split(".")[1] for watch in watches})
    return {name: evaluation_reads(spec.evaluate[name], spec) for name in names}


def _rl_reads(spec: Spec, stage: RlStage, trains: tuple[str, ...]) -> Reads:
    assert spec.learn.rl is not None
    found = {
        **_rollout_reads(spec),
        "credit": {role: leaves(spec.credit[role]) for role in trains},
        "learn": leaves(spec.learn.rl),
    }
    if stage.stop is not None:
        found["stop"] = leaves(stage.stop)
        found["watched"] = _watched(spec, stage.stop.watch)
        found["watched_at"] = [_leaf_of(at) for at in spec.evaluate[stage.stop.watch.split(".")[1]].at]
    return found


def _leaf_of(at: object) -> object:
    return leaves(at) if isinstance(at, BaseModel) else at


def _rollout_reads(spec: Spec) -> Reads:
    """What rolling out and scoring a batch of questions reads."""
    assert spec.questions is not None
    return {
        "questions": leaves(spec.questions),
        "benchmarks": benchmark_reads(spec, [use.use for use in spec.questions.source]),
        "structure": leaves(spec.structure),
        "roles": leaves_by_name(spec.roles, role_reads),
        "rollout": leaves(spec.rollout),
        "reward": leaves(spec.reward),
        "engine": _engine_reads(spec),
    }


def _preference_reads(spec: Spec, stage: PreferenceStage) -> Reads:
    assert spec.learn.preference is not None
    own = {name: value for name, value in leaves(stage).items() if name not in ("name", "train", "rounds", "set")}
    return {**_rollout_reads(spec), "credit": {}, "learn": leaves(spec.learn.preference), "stage_reads": own}


def _search_reads(spec: Spec, stage: SearchStage) -> Reads:
    own = {name: value for name, value in leaves(stage).items() if name not in ("name", "rounds", "set")}
    return {
        "structure": leaves(spec.structure),
        "benchmarks": benchmark_reads(spec, [use.use for use in stage.score_on]),
        "roles": {name: role_reads(role) for name, role in spec.roles.items()},
        "limits": leaves(spec.rollout.limits),
        "serve": spec.numerics.serve,
        "engine": _engine_reads(spec),
        "seed": spec.seed,
        "stage_reads": own,
    }


def _plugged_reads(spec: Spec, stage: PluggedStage) -> Reads:
    """Nobody knows what a plugin's stage reads: all that any stage may."""
    own = {name: value for name, value in leaves(stage).items() if name not in ("name", "train", "rounds", "set")}
    parts = ("structure", "questions", "rollout", "reward", "credit", "learn")
    return {
        **{name: value for name, value in leaves(spec).items() if name in parts},
        "benchmarks": benchmark_reads(spec, sorted(spec.benchmarks)),
        "roles": {name: role_reads(role) for name, role in spec.roles.items()},
        "engine": _engine_reads(spec),
        "stage_reads": own,
    }


def _engine_reads(spec: Spec) -> object:
    """The kind of the engine; of a plugin's also its code."""
    plugged = spec.runtime.engine.plugged
    return spec.runtime.engine.kind if plugged is None else {"kind": plugged.kind, "plugin code": plugged.digest}


def role_reads(role: Role) -> Reads:
    """A role; of a checkpoint the state and whose parameters, not the spec that names them."""
    if isinstance(role.model, CheckpointModel):
        model = {"kind": "checkpoint", "state": role.model.state, "role": role.model.role}
        return {**leaves(role), "model": model}
    return leaves(role)


def evaluation_reads(evaluation: Evaluation, spec: Spec) -> Reads:
    """What an evaluation reads besides the states that serve the roles: never its name, nor when it is due."""
    override = evaluation.sampling if isinstance(evaluation.sampling, TemperatureOverride) else None
    changed = override.model_dump(exclude_none=True) if override else {}
    roles = {
        name: role_reads(role.model_copy(update={"sampling": role.sampling.model_copy(update=changed)}))
        for name, role in spec.roles.items()
    }
    return {
        "on": [leaves(use) for use in evaluation.on],
        "benchmarks": benchmark_reads(spec, [use.use for use in evaluation.on]),
        "tree": leaves(evaluation.tree),
        "structure": leaves(evaluation.structure or spec.structure),
        "roles": roles,
        "limits": leaves(spec.rollout.limits),
        "serve": spec.numerics.serve,
        "engine": _engine_reads(spec),
        "seed": spec.seed,
    }


def benchmark_reads(spec: Spec, names: Iterable[str]) -> Reads:
    """Benchmarks by name; of a data file its content, neither its path nor its name."""
    return leaves_by_name({name: spec.benchmarks[name] for name in names}, _benchmark_reads)


def _benchmark_reads(benchmark: Benchmark) -> Reads:
    source = benchmark.source
    if not isinstance(source, (Jsonl, Hub)):
        return leaves(benchmark)
    assert isinstance(source, Hub) or source.sha256 is not None, "the data has not been pinned"
    left = {key: value for key, value in leaves(source).items() if key not in ("data", "licence")}
    return {**leaves(benchmark), "source": left}
