"""The rollout tree: one type of node for every level of every system.

A node has a path (question, design, execution, call), a parent, and what it
holds. Paths serve three ends alike: they order waves, seed draws, and key the
rows of the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from runners.benchmarks.question import Question
from runners.engines.engine import Completion
from runners.grading import Grade
from runners.mas.build import Design
from runners.mas.calls import ExecutionResult

_PREFIX = {"question": "q", "design": "d", "execution": "e", "call": "c"}
_WIDTH = {"question": 4, "design": 2, "execution": 2, "call": 3}


class Path(str):
    """The place of a node from the root down, e.g. `q0003/d01/e02/c004`.

    Paths order as the nodes do, up to a width of ten thousand questions a batch.
    """

    __slots__ = ()

    @classmethod
    def root(cls, level: str, index: int) -> Path:
        """The path of a node without a parent."""
        return cls(_name(level, index))

    def child(self, level: str, index: int) -> Path:
        """The path of a child."""
        return Path(f"{self}/{_name(level, index)}")


@lru_cache(maxsize=16_384)
def _name(level: str, index: int) -> str:
    return f"{_PREFIX[level]}{index:0{_WIDTH[level]}d}"


P = TypeVar("P")


class Node(NamedTuple, Generic[P]):
    """A node: where it stands and what it holds."""

    path: Path
    parent: Path | None
    value: P


class Call(NamedTuple):
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


class Execution(NamedTuple):
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
