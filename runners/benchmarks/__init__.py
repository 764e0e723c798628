"""Questions: where they come from, which split they are in, in which order they are asked."""

from runners.benchmarks.load import LoadedBenchmark, load_benchmark
from runners.benchmarks.question import Question

__all__ = ["LoadedBenchmark", "Question", "load_benchmark"]
