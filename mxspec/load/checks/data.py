"""Benchmarks and the data behind them."""

from __future__ import annotations

from collections.abc import Iterator

from mxspec.load.checks.where import Checker
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec import Spec
from mxspec.spec.benchmark import Jsonl, Use
from mxspec.spec.stages import SftStage


def check_data(checker: Checker) -> None:
    """Checks `benchmarks`, their uses, and that each data file has a candidate path."""
    spec = checker.spec
    for name, benchmark in spec.benchmarks.items():
        source, path = benchmark.source, ("benchmarks", name, "source")
        if source.split.test + source.split.validation >= 1:
            checker.error("split", (*path, "split"), "test and validation leave nothing to train on")
        if isinstance(source, Jsonl) and source.data not in spec.runtime.data:
            known = list(spec.runtime.data)
            hint = did_you_mean(source.data, known) or f"add runtime.data.{source.data}: [<path>]"
            checker.error("no-data", (*path, "data"), f"runtime.data has no {source.data!r}", hint)
    for use, where in uses_of(spec):
        _difficulty(checker, use, where)


def uses_of(spec: Spec) -> Iterator[tuple[Use, tuple[Step, ...]]]:
    """Every use of a benchmark as questions, with its path."""
    for index, use in enumerate(spec.questions.source):
        yield use, ("questions", "from", index)
    for name, evaluation in spec.evaluate.items():
        for index, use in enumerate(evaluation.on):
            yield use, ("evaluate", name, "on", index)


def used_benchmarks(spec: Spec) -> tuple[str, ...]:
    """Names of the benchmarks that a spec uses, in order of name."""
    names = {use.use for use, _ in uses_of(spec)}
    names |= {stage.data.use for stage in spec.stages if isinstance(stage, SftStage)}
    return tuple(sorted(names))


def _difficulty(checker: Checker, use: Use, path: tuple[Step, ...]) -> None:
    benchmark = checker.spec.benchmarks.get(use.use)
    if benchmark is None or use.difficulty is None:
        return
    if isinstance(benchmark.source, Jsonl):
        checker.error("difficulty", (*path, "difficulty"), f"{use.use!r} has no levels of difficulty", "remove it")
        return
    missing = [level for level in use.difficulty if level not in benchmark.source.difficulty]
    if missing:
        levels = ", ".join(map(str, benchmark.source.difficulty))
        message = f"{use.use!r} has no level {', '.join(map(str, missing))}"
        checker.error("difficulty", (*path, "difficulty"), message, f"levels are {levels}")
