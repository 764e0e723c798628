"""What loading a spec gives: the models, the plain tree, the origins, the arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from mxspec.load.compose import Dropped
from mxspec.load.errors import Diagnostic, Position
from mxspec.load.nodes import Plain
from mxspec.spec import Spec


@dataclass(frozen=True, slots=True)
class Arm:
    """One point of a sweep.

    Attributes:
        name: Its name; `main` where there is no sweep.
        arm: The declared arm that it is a point of.
        changes: Path -> value, as declared.
        spec: The spec with the changes made, without `sweep`.
        tree: The same as plain data.
    """

    name: str
    arm: str
    changes: Mapping[str, Plain]
    spec: Spec
    tree: dict[str, Plain]


@dataclass(frozen=True, slots=True)
class Pruned:
    """An inherited part that nothing reads, left out."""

    path: str
    origin: Position
    why: str

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.path}: left out ({self.why}); it stands in {self.origin}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Loaded:
    """A spec that was read, resolved and checked.

    Attributes:
        path: The file.
        spec: The spec, self-contained; `sweep` included.
        tree: The same as plain data, with what was left out left out.
        origins: Dotted path of a leaf -> where its value stands.
        arms: The points of the sweep, the baseline first.
        warnings: What is worth knowing and no error.
        dropped: Inherited list items that later files replaced.
        pruned: Inherited parts that nothing reads.
        files: Every file that was read: `spec`, or `content` for prompts and scripts.
        part: `base` or `benchmark` for such a file (then there are no spec and no arms).
        reseeded: An arm's spec with another seed.
        origins_of: The same as `origins` for one of the arms.
    """

    path: FilePath
    spec: Spec | None
    tree: dict[str, Plain]
    origins: Mapping[str, Position]
    arms: tuple[Arm, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    pruned: tuple[Pruned, ...] = ()
    files: Mapping[FilePath, str] = field(default_factory=dict)
    part: str | None = None
    reseeded: Callable[[Arm, int], Spec] = field(default=lambda arm, seed: with_seed(arm.spec, seed), repr=False)

    origins_of: Callable[[Arm], Mapping[str, Position]] = field(default=lambda arm: {}, repr=False)

    @property
    def base_dir(self) -> FilePath:
        """Directory of the file, which relative paths of the worker's start from."""
        return self.path.parent

    @property
    def whole(self) -> Spec:
        """The spec of a file that is one.

        Raises:
            ValueError: The file is a base or a benchmark.
        """
        if self.spec is None:
            raise ValueError(f"{self.path} holds a {self.part}, not a whole spec")
        return self.spec


def with_seed(spec: Spec, seed: int) -> Spec:
    """A spec with another seed."""
    return spec.model_copy(update={"seed": seed})
