"""Benchmarks and the data behind them."""

from __future__ import annotations

from collections.abc import Iterator

from mxspec.load.checks.where import Checker
from mxspec.load.errors import did_you_mean
from mxspec.load.nodes import Step
from mxspec.spec import Spec
from mxspec.spec.benchmark import Hub, Jsonl, Procedural, Use
from mxspec.spec.stages import SearchStage, SftStage, Teacher


def check_data(checker: Checker) -> None:
    """Checks `benchmarks`, their uses, and that each data file has a candidate path."""
    spec = checker.spec
    for name, benchmark in spec.benchmarks.items():
        source, path = benchmark.source, ("benchmarks", name, "source")
        if isinstance(source, Hub):
            _hub(checker, name, source)
            continue
        if source.plugged is not None:
            continue
        if source.split.test + source.split.validation >= 1:
            checker.error("split", (*path, "split"), "test and validation leave nothing to train on")
        if isinstance(source, Jsonl) and source.data not in spec.runtime.data:
            known = list(spec.runtime.data)
            hint = did_you_mean(source.data, known) or f"add runtime.data.{source.data}: [<path>]"
            checker.error("no-data", (*path, "data"), f"runtime.data has no {source.data!r}", hint)
    for use, where in uses_of(spec):
        _limit(checker, use, where)
        _difficulty(checker, use, where)
        _split(checker, use, where)


def uses_of(spec: Spec) -> Iterator[tuple[Use, tuple[Step, ...]]]:
    """Every use of a benchmark as questions, with its path."""
    for index, use in enumerate(spec.questions.source if spec.questions else ()):
        yield use, ("questions", "from", index)
    for number, stage in enumerate(spec.stages):
        for index, use in enumerate(stage.score_on if isinstance(stage, SearchStage) else ()):
            yield use, ("stages", number, "score_on", index)
    for name, evaluation in spec.evaluate.items():
        for index, use in enumerate(evaluation.on):
            yield use, ("evaluate", name, "on", index)


def teachers_of(spec: Spec) -> tuple[Teacher, ...]:
    """The rule-based teachers of the sft stages."""
    stages = (stage for stage in spec.stages if isinstance(stage, SftStage))
    return tuple(stage.data for stage in stages if isinstance(stage.data, Teacher))


def used_benchmarks(spec: Spec) -> tuple[str, ...]:
    """Names of the benchmarks that a spec uses, in order of name."""
    names = {use.use for use, _ in uses_of(spec)}
    names |= {teacher.use for teacher in teachers_of(spec)}
    return tuple(sorted(names))


def _limit(checker: Checker, use: Use, path: tuple[Step, ...]) -> None:
    """Generated questions never end, so whoever judges on them says how many."""
    benchmark = checker.spec.benchmarks.get(use.use)
    if benchmark is None or path[0] == "questions" or use.limit is not None:
        return
    if isinstance(benchmark.source, Procedural):
        checker.error("no-limit", path, f"the questions of {use.use!r} are generated and never end", "add limit: 200")


def _difficulty(checker: Checker, use: Use, path: tuple[Step, ...]) -> None:
    benchmark = checker.spec.benchmarks.get(use.use)
    if benchmark is None or use.difficulty is None:
        return
    if not isinstance(benchmark.source, Procedural):
        checker.error("difficulty", (*path, "difficulty"), f"{use.use!r} has no levels of difficulty", "remove it")
        return
    missing = [level for level in use.difficulty if level not in benchmark.source.difficulty]
    if missing:
        levels = ", ".join(map(str, benchmark.source.difficulty))
        message = f"{use.use!r} has no level {', '.join(map(str, missing))}"
        checker.error("difficulty", (*path, "difficulty"), message, f"levels are {levels}")


def _hub(checker: Checker, name: str, source: Hub) -> None:
    path: tuple[Step, ...] = ("benchmarks", name, "source")
    if bool(source.splits) == (source.partition is not None):
        checker.error("split", path, "a dataset has `splits`, or one that is parted", "give `splits` or `partition`")
    part = source.partition
    if part is not None and part.test + part.validation > 1:
        checker.error("split", (*path, "partition"), "test and validation are more than there is")
    uses = [(use.split, where) for use, where in uses_of(checker.spec) if use.use == name]
    for split, where in uses:
        rows = source.splits.get(split)
        others = (one for one, _ in uses if one != split and rows is not None and source.splits.get(one) == rows)
        other = next(others, None)
        if other is not None and split != "test" and (other == "test" or split == "train"):
            message = f"{name!r} has the same questions as {split} and as {other}, and both are used"
            checker.error("overlap", (*where, "split"), message, "judge on another benchmark")


def _split(checker: Checker, use: Use, path: tuple[Step, ...]) -> None:
    """A dataset of the hub has the splits that its declaration says."""
    benchmark = checker.spec.benchmarks.get(use.use)
    if benchmark is None or not isinstance(benchmark.source, Hub):
        return
    part = benchmark.source.partition
    known: list[str] = list(benchmark.source.splits)
    if part is not None:
        shares = {"train": 1 - part.test - part.validation, "validation": part.validation, "test": part.test}
        known = [split for split, share in shares.items() if share > 1e-9]
    if use.split not in known:
        hint = f"splits are {', '.join(known)}"
        checker.error("no-split", (*path, "split"), f"{use.use!r} has no {use.split} split", hint)
