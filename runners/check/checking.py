"""What every check works with: a spec, its benchmarks loaded once, the places of its values, and where findings go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mxspec.load.errors import Findings, Position
from mxspec.plan.data import find_data
from mxspec.plugins import PluginError
from mxspec.spec import Spec
from mxspec.spec.benchmark import Benchmark, Hub
from runners.benchmarks import LoadedBenchmark, load_benchmark
from runners.benchmarks.rows import DataError
from runners.grading import HAVE_RUNNER


@dataclass(slots=True)
class Checking:
    """Specs under check.

    Attributes:
        origins: Dotted path -> where its value stands.
        file: The spec file.
        base_dir: Where relative data paths start from.
        findings: Where errors and warnings go.
        notes: What was looked at, and what could not be; each once.
    """

    origins: Mapping[str, Position]
    file: str
    base_dir: Path
    findings: Findings = field(default_factory=Findings)
    notes: dict[str, None] = field(default_factory=dict)
    _loaded: dict[tuple[str, int], tuple[Benchmark, LoadedBenchmark | None]] = field(default_factory=dict)

    def at(self, path: str) -> Position:
        """Where a value stands: the first leaf at or below a path, else the nearest one above it, else the file."""
        while path:
            for leaf, position in self.origins.items():
                if leaf == path or leaf.startswith((f"{path}.", f"{path}[")):
                    return position
            path = path.rpartition(".")[0]
        return Position(self.file)

    def error(self, code: str, path: str, message: str, hint: str = "") -> None:
        """Adds an error at a path."""
        self.findings.error(code, message, hint=hint, path=path, at=self.at(path))

    def warn(self, code: str, path: str, message: str, hint: str = "") -> None:
        """Adds a warning at a path."""
        self.findings.warn(code, message, hint=hint, path=path, at=self.at(path))

    def note(self, text: str) -> None:
        """Says what was looked at, or why not."""
        self.notes[text] = None

    def benchmark(self, spec: Spec, name: str) -> LoadedBenchmark | None:
        """A benchmark with its questions; None where it cannot be loaded, which was told."""
        declared = spec.benchmarks[name]
        key = (name, id(declared))
        if key not in self._loaded:
            self._loaded[key] = (declared, self._load(spec, name, declared))
        return self._loaded[key][1]

    def _load(self, spec: Spec, name: str, declared: Benchmark) -> LoadedBenchmark | None:
        path = f"benchmarks.{name}"
        if isinstance(declared.source, Hub):
            self.note(f"{name}: not looked at: nothing loads datasets of the hub yet")
            return None
        if declared.grader.plugged is None and declared.grader.kind not in HAVE_RUNNER:
            self.note(f"{name}: golds not graded: no runner yet for the grader {declared.grader.kind}")
            return None
        found = {data: find_data(candidates, self.base_dir) for data, candidates in spec.runtime.data.items()}
        paths = {data: one for data, one in found.items() if one is not None}
        try:
            return load_benchmark(name, declared, data_paths=paths)
        except (DataError, PluginError, ValueError) as error:
            self.error("data", f"{path}.source", str(error))
            return None
