"""What a step, an evaluation or the first state reads of a spec: all of it is identity, nothing else is."""

from __future__ import annotations

from collections.abc import Iterable

from mxspec.plan.canonical import leaves
from mxspec.spec import Spec
from mxspec.spec.benchmark import Jsonl
from mxspec.spec.evaluate import Evaluation, TemperatureOverride
from mxspec.spec.policy import FromConfig, Split
from mxspec.spec.stages import RlStage, SftStage, Stage

Reads = dict[str, object]


def root_reads(spec: Spec) -> Reads:
    """The policies before any step: model, sharing, numerics, seed, and the corpus of a trained tokenizer.

    Under `split` each role's parameters are drawn by its name, so the names count.
    """
    found: Reads = {"policy": leaves(spec.policy), "numerics": leaves(spec.numerics), "seed": spec.seed}
    if isinstance(spec.policy.sharing, Split):
        found["roles"] = sorted(spec.roles)
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
    """The demonstrations of an sft stage: teacher, benchmark, and the prompts that they are written into."""
    return {
        "data": leaves(stage.data),
        "benchmarks": benchmark_reads(spec, [stage.data.use]),
        "prompts": {role: leaves(spec.roles[role].prompt) for role in stage.train},
    }


def stretch_reads(spec: Spec, stage: Stage, trains: tuple[str, ...]) -> Reads:
    """What one step of a stage does and reads while it trains some roles."""
    what: Reads = {"kind": stage.kind, "stage": stage.name, "trains": list(trains)}
    return what | (_sft_reads(spec, stage) if isinstance(stage, SftStage) else _rl_reads(spec, stage, trains))


def _sft_reads(spec: Spec, stage: SftStage) -> Reads:
    assert spec.learn.sft is not None
    found = {"learn": leaves(spec.learn.sft), **demonstration_reads(spec, stage)}
    if stage.gate is not None:
        watched = sorted({measure.watch.split(".")[1] for measure in stage.gate.all})
        found["gate"] = leaves(stage.gate)
        found["watched"] = {name: evaluation_reads(spec.evaluate[name], spec) for name in watched}
    return found


def _rl_reads(spec: Spec, stage: RlStage, trains: tuple[str, ...]) -> Reads:
    assert spec.learn.rl is not None
    return {
        "questions": leaves(spec.questions),
        "benchmarks": benchmark_reads(spec, [use.use for use in spec.questions.source]),
        "structure": leaves(spec.structure),
        "roles": {name: leaves(role) for name, role in spec.roles.items()},
        "rollout": leaves(spec.rollout),
        "reward": leaves(spec.reward),
        "credit": {role: leaves(spec.credit[role]) for role in trains},
        "learn": leaves(spec.learn.rl),
        "engine": spec.runtime.engine.kind,
    }


def evaluation_reads(evaluation: Evaluation, spec: Spec) -> Reads:
    """What an evaluation reads besides the states that serve the roles: never its name, nor when it is due."""
    override = evaluation.sampling if isinstance(evaluation.sampling, TemperatureOverride) else None
    changed = override.model_dump(exclude_none=True) if override else {}
    roles = {
        name: leaves(role.model_copy(update={"sampling": role.sampling.model_copy(update=changed)}))
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
        "engine": spec.runtime.engine.kind,
        "seed": spec.seed,
    }


def benchmark_reads(spec: Spec, names: Iterable[str]) -> Reads:
    """Benchmarks by name; of a data file its content, neither its path nor its name."""
    found: Reads = {}
    for name in names:
        benchmark = spec.benchmarks[name]
        one = leaves(benchmark)
        if isinstance(benchmark.source, Jsonl):
            assert benchmark.source.sha256 is not None, f"the data of {name} has not been pinned"
            source = leaves(benchmark.source)
            del source["data"]
            one["source"] = source
        found[name] = one
    return found
