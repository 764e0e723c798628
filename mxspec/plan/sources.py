"""The files that a plan is made of, and what has become of them since."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from mxspec.load.loaded import Loaded
from mxspec.plan.data import find_data, sha256_of
from mxspec.plan.plan import Plan, SourceFile
from mxspec.spec.stages import DemonstrationFile, SftStage


class ContentChanged(ValueError):
    """A prompt, script or data file is not the one that a plan was made with.

    Attributes:
        paths: The files.
    """

    def __init__(self, paths: tuple[str, ...]) -> None:
        super().__init__(f"changed since the plan was made: {', '.join(paths)}; plan again, or restore it")
        self.paths = paths


def sources_of(loaded: Loaded) -> tuple[SourceFile, ...]:
    """Spec files, prompts, scripts and data of a spec, with the hash of each."""
    found: dict[Path, Literal["spec", "content", "data"]] = {
        path: "content" if holds == "content" else "spec" for path, holds in loaded.files.items() if path.is_file()
    }
    spec = loaded.whole
    for candidates in spec.runtime.data.values():
        path = find_data(candidates, loaded.base_dir)
        if path is not None:
            found[path] = "data"
    for stage in spec.stages:
        if isinstance(stage, SftStage) and isinstance(stage.data, DemonstrationFile):
            path = find_data([stage.data.file], loaded.base_dir)
            if path is not None:
                found[path] = "data"
    return tuple(SourceFile(path=str(path), sha256=sha256_of(path), holds=holds) for path, holds in found.items())


def changed_since(plan: Plan) -> tuple[str, ...]:
    """Spec files that are others than when a plan was made; it runs as it was reviewed all the same.

    Raises:
        ContentChanged: A prompt, script or data file is another: what the plan says is not what would run.
    """
    others = [one for one in plan.sources if not Path(one.path).is_file() or sha256_of(Path(one.path)) != one.sha256]
    content = tuple(one.path for one in others if one.holds != "spec")
    if content:
        raise ContentChanged(content)
    return tuple(one.path for one in others)
