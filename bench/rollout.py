"""How fast a rollout tree is, against one call at a time and against the engine's own best.

The policies are those of a quickstart cold start, so prompts, scripts and
answers have the lengths that training sees. The engine's best is taken over
batch sizes on exactly the calls that the tree made, with nothing around it.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
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

ROUNDS = 9
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

    few = {name: calls[:: max(1, len(calls) // 60)] for name, calls in asked.items()}
    works: dict[str, Callable[[], int]] = {
        "whole tree": tree,
        "one call at a time": lambda: sum(generated(engines[name], [one]) for name in few for one in few[name]),
    }
    for batch in BATCHES:
        works[f"engine alone, batch {batch}"] = partial(bare, engines, asked, batch)
    rates = measured(works)
    whole, single, *alone = works
    best = max(alone, key=lambda name: statistics.median(rates[name]))
    calls = sum(len(one) for one in asked.values())
    print_table(
        f"rollout: {len(questions)} questions, {calls} calls in a tree",
        ("what", "tokens/s", "tree / it", "target"),
        [
            (name, f"{statistics.median(rates[name]):,.0f}", f"{ratio(rates[whole], rates[name]):.2f}", target)
            for name, target in ((whole, ""), (single, ">= 10"), (best, ">= 0.80"))
        ],
    )


def bare(engines: Mapping[str, TransformersEngine], asked: Mapping[str, list[GenerationRequest]], batch: int) -> int:
    """Generates what was asked and nothing else; returns its tokens."""
    return sum(generated(engine.with_batch(batch), asked[name]) for name, engine in engines.items())


def generated(engine: Engine, requests: Sequence[GenerationRequest]) -> int:
    """Tokens of the completions of some requests."""
    return sum(len(one.ids) for one in engine.generate(requests))


def measured(works: dict[str, Callable[[], int]]) -> dict[str, list[float]]:
    """Tokens per second of works that return their tokens.

    Each in turn, round after round, so that all meet the same machine.
    """
    found: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(ROUNDS + 1):
        for name, work in works.items():
            since = perf_counter()
            tokens = work()
            if turn:  # the first warms up
                found[name].append(tokens / (perf_counter() - since))
    return found


def ratio(one: list[float], other: list[float]) -> float:
    """Median over rounds of the ratio within a round."""
    return statistics.median(a / b for a, b in zip(one, other, strict=True))


if __name__ == "__main__":
    main()
