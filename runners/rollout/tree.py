"""The rollout tree: one type of node for every level of every system.

A node has a path of keys (question, design, execution, call), a parent, and
what it holds. Paths serve four ends alike: they order waves, seed draws, name
the groups that an advantage is normalised over, and key the rows of the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from runners.benchmarks.question import Question
from runners.engines.engine import Completion
from runners.grading import Grade
from runners.mas.build import Design
from runners.mas.calls import ExecutionResult

_PREFIX = {"question": "q", "design": "d", "execution": "e", "call": "c"}
_WIDTH = {"question": 4, "design": 2, "execution": 2, "call": 3}


@dataclass(frozen=True, slots=True)
class Path:
    """The keys of a node from the root down, and their text, e.g. `q0003/d01/e02/c004`.

    Texts order as the keys do, up to a width of ten thousand questions a batch.
    """

    keys: tuple[tuple[str, int], ...]
    text: str

    @classmethod
    def root(cls, level: str, index: int) -> Path:
        """The path of a node without a parent."""
        return cls(((level, index),), _text(level, index))

    def child(self, level: str, index: int) -> Path:
        """The path of a child."""
        return Path((*self.keys, (level, index)), f"{self.text}/{_text(level, index)}")

    def parent(self) -> Path:
        """The path of the parent."""
        return Path(self.keys[:-1], self.text[: self.text.rindex("/")])

    def group(self, levels: Sequence[str]) -> str:
        """The part of the path made of some levels: nodes with equal parts are in one group."""
        return "/".join(_text(level, index) for level, index in self.keys if level in levels)

    def __str__(self) -> str:
        return self.text


def _text(level: str, index: int) -> str:
    return f"{_PREFIX[level]}{index:0{_WIDTH[level]}d}"


P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Node(Generic[P]):
    """A node: where it stands and what it holds."""

    path: Path
    parent: Path | None
    value: P


@dataclass(frozen=True, slots=True)
class Call:
    """One generation, token ids from prompt to loss.

    Attributes:
        role: Role that generated.
        agent: Agent that the role played; None for the writer of a design.
        turn: Turn of the agent.
        prompt: Prompt token ids.
        prompt_text: The prompt as text, for the store.
        text: The response as text, without the end token.
        completion: What the engine drew.
    """

    role: str
    agent: str | None
    turn: int
    prompt: tuple[int, ...]
    prompt_text: str
    text: str
    completion: Completion

    @property
    def response(self) -> NDArray[np.int32]:
        """Response token ids, shape (T,)."""
        return self.completion.ids


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a design and the judgement of its answer."""

    result: ExecutionResult
    grade: Grade


@dataclass(slots=True)
class Tree:
    """A forest of questions, each with its designs, their executions and their calls.

    `calls` holds executors' calls (children of executions) and the writer's
    (whose path is that of the design it wrote).
    """

    questions: list[Node[Question]] = field(default_factory=list)
    designs: list[Node[Design]] = field(default_factory=list)
    executions: list[Node[Execution]] = field(default_factory=list)
    calls: list[Node[Call]] = field(default_factory=list)
