"""A benchmark, loaded: its questions by position, by fixed list, and its faulty golds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mxspec.spec.benchmark import Benchmark, Jsonl, Procedural, SplitName
from runners.benchmarks.question import Question
from runners.benchmarks.rows import read_rows
from runners.benchmarks.source import ProceduralSource, RowSource, Source
from runners.grading import Judge, judge_for
from runners.plugged import made


@dataclass(frozen=True, slots=True)
class LoadedBenchmark:
    """A benchmark that can be asked for questions.

    Attributes:
        name: Its name.
        spec: Its declaration.
        source: Where its questions come from.
        judge: Judges an answer against a gold.
        faulty: Questions of a file whose gold does not grade as correct against itself.
            They stay among the questions, so that a benchmark is never silently smaller.
    """

    name: str
    spec: Benchmark
    source: Source
    judge: Judge
    faulty: tuple[Question, ...]

    def questions_at(
        self, split: SplitName, position: int, count: int, seed: int, difficulty: tuple[int, ...] | None = None
    ) -> tuple[Question, ...]:
        """The next questions of a training order.

        A function of its arguments alone: a run that has consumed `position` questions
        goes on with the same ones, resumed or not. Rows of a file come in epochs, each a
        permutation of its own, and a batch may hold the end of one and the start of the
        next; generated questions are fresh at every position.

        Args:
            split: Split that they are in.
            position: Questions of this order that are consumed already.
            count: How many.
            seed: Which order.
            difficulty: Only these levels.

        Raises:
            ValueError: The split has no such question.
        """
        return self.source.at(split, position, count, seed, difficulty)

    def held_out(
        self, split: SplitName, limit: int | None, difficulty: tuple[int, ...] | None = None
    ) -> tuple[Question, ...]:
        """The fixed questions of an evaluation: distinct, and a prefix of those of a larger limit.

        A split that has fewer yields fewer.

        Raises:
            ValueError: The split has no such question, or a generated benchmark got no limit.
        """
        return self.source.fixed(split, limit, difficulty)


def load_benchmark(name: str, benchmark: Benchmark, *, data_paths: Mapping[str, Path]) -> LoadedBenchmark:
    """Loads a benchmark, and grades the golds of a file against themselves.

    Args:
        name: Its name, part of every question.
        benchmark: Its declaration.
        data_paths: Where the data files are, by the names that benchmarks use.

    Raises:
        ValueError: An unknown generator or level, a data file without a path.
        DataError: A file that cannot be used.
    """
    spec, judge = benchmark.source, judge_for(benchmark.grader)
    if spec.plugged is not None:
        return LoadedBenchmark(name, benchmark, made(spec, name), judge, ())
    if isinstance(spec, Procedural):
        return LoadedBenchmark(name, benchmark, ProceduralSource(name, spec), judge, ())
    assert isinstance(spec, Jsonl), "`run` refuses datasets of the hub"
    if spec.data not in data_paths:
        raise ValueError(f"benchmark {name}: no path for the data {spec.data!r}; set runtime.data.{spec.data}")
    rows = read_rows(name, spec, Path(data_paths[spec.data]))
    faulty = tuple(row for row in rows if judge(row.gold, row.gold).verdict != "correct")
    return LoadedBenchmark(name, benchmark, RowSource(name, rows), judge, faulty)
