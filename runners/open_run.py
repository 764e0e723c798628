"""Opens a run: builds its workbench and puts it where its chain of states says that it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

from lightning.fabric import Fabric

from mxspec.compile.job import Job
from mxspec.plan.data import find_data, sha256_of
from mxspec.rundir import Lineage, RunDir
from mxspec.spec import Spec
from mxspec.spec.benchmark import Jsonl
from mxspec.spec.policy import FromConfig
from mxspec.spec.stages import SftStage, Teacher
from runners.benchmarks import LoadedBenchmark, load_benchmark
from runners.benchmarks.teachers import demonstrations
from runners.engines.draws import seed_of
from runners.errors import MissingEnvironment
from runners.learning.learner import Learner, deterministic
from runners.mas.build import ScriptBuilder
from runners.outcome import Progress
from runners.policies.build import PRECISION, build_policies
from runners.policies.checkpoint import load_policies
from runners.position import Position, Start, find_start, max_steps
from runners.record import Recorder
from runners.rollout.outcomes import term_judges
from runners.rollout.prompts import PromptRenderer, fill
from runners.run import Run
from runners.workbench import Workbench


def open_run(job: Job, run_dir: RunDir, *, stop: Event, on_progress: Callable[[Progress], None]) -> Run:
    """Builds everything that a run works with and loads the furthest checkpoint of its chain.

    Args:
        job: What to run.
        run_dir: Its directory; the caller holds the lock.
        stop: Set from outside to have the run stop after its present step.
        on_progress: Called after every step.

    Raises:
        MissingEnvironment: A model, package or data file is not there.
    """
    start = find_start(job)
    recorder = Recorder.start(run_dir, from_step=start.step if start else 0)
    try:
        return _opened(job, start, recorder, stop, on_progress)
    except BaseException as error:
        recorder.give_up(error, step=start.step if start else 0)
        raise


def _opened(
    job: Job, start: Start | None, recorder: Recorder, stop: Event, on_progress: Callable[[Progress], None]
) -> Run:
    deterministic(job.spec.runtime.trainer.threads)
    bench = open_workbench(job)
    position = Position()
    if start is not None:
        if start.run != job.run:
            recorder.lineage(Lineage(child=job.run, parent=start.run, step=start.step, state=start.state, take="all"))
        questions = load_policies(start.checkpoint.path, bench.policies, bench.fabric)
        position = Position(start.stretch, start.done, start.step, start.stage_step, questions)
        if start.done == 0 and new_stage(job, start.stretch):
            position.stage_step = 0
    else:
        for policy in bench.policies.by_name.values():
            policy.sync(job.root_state)
    return Run(
        job=job,
        bench=bench,
        learner=Learner(
            bench.policies,
            bench.fabric,
            micro_tokens=job.spec.runtime.trainer.micro_tokens,
            seed=job.spec.seed,
        ),
        recorder=recorder,
        position=position,
        stop=stop,
        on_progress=on_progress,
        total_steps=sum(max_steps(job, i) for i in range(len(job.chain))),
        state=start.state if start else job.root_state,
    )


def new_stage(job: Job, stretch: int) -> bool:
    """Whether a stretch is the first of its stage."""
    return stretch < len(job.chain) and (
        stretch == 0 or job.chain[stretch].stage_index != job.chain[stretch - 1].stage_index
    )


def open_workbench(job: Job) -> Workbench:
    """Benchmarks, policies in their root state, prompts, and the script sandbox."""
    spec = job.spec
    benchmarks = load_benchmarks(spec, Path(job.base_dir))
    trainer = spec.runtime.trainer
    fabric = Fabric(accelerator=trainer.accelerator, devices=1, precision=PRECISION[spec.numerics.train])  # type: ignore[arg-type]
    policies = build_policies(
        spec,
        fabric,
        corpus=lambda: tokenizer_corpus(spec, benchmarks),
        cache_dir=Path(job.runs_dir) / ".cache",
    )
    renderers = {
        role: PromptRenderer(which.prompt, policies.for_role(role).tokenizer) for role, which in spec.roles.items()
    }
    builder = ScriptBuilder(spec.rollout.limits)
    return Workbench(spec, fabric, policies, benchmarks, builder, renderers, term_judges(spec.reward))


def load_benchmarks(spec: Spec, base_dir: Path) -> dict[str, LoadedBenchmark]:
    """Every declared benchmark, its data file found and the one that the plan hashed.

    Raises:
        MissingEnvironment: A data file has changed since the plan.
    """
    found = {name: find_data(candidates, base_dir) for name, candidates in spec.runtime.data.items()}
    paths = {name: path for name, path in found.items() if path is not None}
    for name, one in spec.benchmarks.items():
        if isinstance(one.source, Jsonl) and one.source.sha256 and one.source.data in paths:
            path = paths[one.source.data]
            if sha256_of(path) != one.source.sha256:
                raise MissingEnvironment(
                    f"{path} is not the file that benchmark {name!r} was planned with", "restore it, or plan again"
                )
    return {name: load_benchmark(name, one, data_paths=paths) for name, one in spec.benchmarks.items()}


def tokenizer_corpus(spec: Spec, benchmarks: dict[str, LoadedBenchmark]) -> Iterator[str]:
    """Prompts and responses of the cold-start stage that a fresh tokenizer is trained on."""
    model = spec.policy.model
    assert isinstance(model, FromConfig)
    stage = next(stage for stage in spec.stages if stage.name == model.tokenizer.train_on)
    assert isinstance(stage, SftStage) and isinstance(stage.data, Teacher)
    share = model.tokenizer.rows / sum(stage.data.rows.values())
    few = {role: max(1, round(count * share)) for role, count in stage.data.rows.items()}
    data = stage.data.model_copy(update={"rows": few})
    seed = seed_of(spec.seed, "tokenizer")
    for shown in demonstrations(data, benchmarks[stage.data.use], seed=seed):
        yield fill(spec.roles[shown.role].prompt, shown.request) + shown.response
