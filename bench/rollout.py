"""How fast a rollout tree is, against one call at a time and against the engine's own best.

The policies are those of a quickstart cold start, so prompts, scripts and
answers have the lengths that training sees. The engine's best is taken over
batch sizes on exactly the calls that the tree made, with nothing around it.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import perf_counter

from bench.table import print_table
from mxspec.compile.jobs import compile_jobs
from mxspec.load import load_spec
from mxspec.load.shipped import specs_dir
from mxspec.plan.make import make_plan
from mxspec.rundir import RunDir
from runners.coevolve import coevolve
from runners.engines.engine import Completion, Engine, GenerationRequest
from runners.engines.transformers_engine import TransformersEngine
from runners.memory import settled_memory
from runners.open_run import open_run
from runners.rollout.rollout import rollout
from runners.rollout.wave import SeedParts
from runners.run import Run

REPEATS = 5
BATCHES = (64, 128, 256, 512, 1024)


@dataclass(slots=True)
class Listening:
    """An engine that remembers what it was asked."""

    engine: Engine
    asked: list[GenerationRequest] = field(default_factory=list)

    @property
    def context(self) -> int:
        """As the engine's."""
        return self.engine.context

    def sync(self, version: str) -> None:
        """As the engine's."""
        self.engine.sync(version)

    def generate(self, requests: Sequence[GenerationRequest]) -> list[Completion]:
        """As the engine's."""
        self.asked += requests
        return self.engine.generate(requests)


def main() -> None:
    """Trains a cold start, then measures."""
    with tempfile.TemporaryDirectory() as runs:
        run = cold_start(Path(runs))
        try:
            with settled_memory():  # as in training
                measure(run)
        finally:
            run.bench.builder.close()


def cold_start(runs: Path) -> Run:
    """A run of the quickstart's cold start, done."""
    loaded = load_spec(specs_dir() / "quickstart.yaml", sets=["stages[1].steps=1"])
    [job] = compile_jobs(make_plan(loaded, runs))
    run = open_run(job, RunDir(runs / job.run), stop=Event(), on_progress=lambda progress: None)
    coevolve(run)
    return run


def measure(run: Run) -> None:
    """Prints tokens per second of the tree, of single calls, and of the bare engine."""
    questions = run.draw_questions()
    listening = {name: Listening(policy.engine) for name, policy in run.bench.policies.by_name.items()}
    for name, policy in run.bench.policies.by_name.items():
        policy.engine = listening[name]

    def tree(seed: SeedParts = ("bench", 0)) -> int:
        grown = rollout(questions, run.bench.method(), seed)
        return sum(len(node.value.completion.ids) for node in grown.calls)

    tree()
    asked = {name: list(one.asked) for name, one in listening.items()}
    engines: dict[str, TransformersEngine] = {}
    for name, policy in run.bench.policies.by_name.items():
        policy.engine = listening[name].engine
        assert isinstance(policy.engine, TransformersEngine)
        engines[name] = policy.engine

    whole = rate(tree)
    few = {name: calls[:: max(1, len(calls) // 60)] for name, calls in asked.items()}
    single = rate(lambda: sum(len(engines[n].generate([one])[0].ids) for n, calls in few.items() for one in calls))
    best, at = 0.0, 0
    for batch in BATCHES:
        bare = {name: engine.with_batch(batch) for name, engine in engines.items()}
        found = rate(lambda bare=bare: sum(len(c.ids) for n in bare for c in bare[n].generate(asked[n])))  # type: ignore[misc]
        if found > best:
            best, at = found, batch
    calls = sum(len(one) for one in asked.values())
    print_table(
        f"rollout: {len(questions)} questions, {calls} calls in a tree",
        ("what", "tokens/s", "tree / it", "target"),
        [
            ("whole tree", f"{whole:,.0f}", "1.00", ""),
            ("one call at a time", f"{single:,.0f}", f"{whole / single:.1f}", ">= 10"),
            (f"engine alone, batch {at}", f"{best:,.0f}", f"{whole / best:.2f}", ">= 0.80"),
        ],
    )


def rate(work: Callable[[], int]) -> float:
    """Median tokens per second of some work that returns its tokens."""
    work()
    found = []
    for _ in range(REPEATS):
        since = perf_counter()
        tokens = work()
        found.append(tokens / (perf_counter() - since))
    return statistics.median(found)


if __name__ == "__main__":
    main()
