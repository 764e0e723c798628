"""The graph of a design, as plain frozen data: what a script built, without the script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Tool:
    """What an agent may use between two of its calls."""

    name: str
    description: str = ""
    parameters: str = "{}"
    """JSON Schema of its arguments."""
    function: int | None = None
    """Number of the script's function that does it; None for a tool of the host."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A node that calls a model, and a tool between two calls where it has some."""

    name: str
    instructions: str = ""
    max_turns: int = 10
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Children that run at the same time, and a rule that picks one response."""

    name: str
    children: tuple[Node, ...]
    strategy: Literal["majority_vote", "weighted_vote", "consensus"] = "majority_vote"
    weights: tuple[float, ...] = ()
    judge: Agent | None = None


@dataclass(frozen=True, slots=True)
class Reflection:
    """An agent, a critic, and rounds of revision until the critic says CORRECT."""

    name: str
    agent: Node
    critic: Node
    rounds: int = 2
    include_history: bool = True
    """Whether the agent and the critic see all drafts and critiques so far, or the last ones only."""


@dataclass(frozen=True, slots=True)
class Debate:
    """Debaters who answer at the same time, read each other and answer again, and a judge who ends it."""

    name: str
    debaters: tuple[Node, ...]
    judge: Node
    rounds: int = 2


@dataclass(frozen=True, slots=True)
class Router:
    """One of several nodes, chosen by a function of the script."""

    name: str
    routes: tuple[tuple[str, Node], ...]
    default: str
    chosen_by: int
    """Number of the function that names a route."""


@dataclass(frozen=True, slots=True)
class Step:
    """A node in a line of nodes, left out where a function of the script says no."""

    node: Node
    condition: int | None = None


@dataclass(frozen=True, slots=True)
class Sequence:
    """A workflow within a workflow: nodes in line, some of them on a condition."""

    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """Nodes in line, again and again until a function of the script says that it is enough."""

    name: str
    steps: tuple[Step, ...]
    most: int = 10
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A way from one node of a machine to another, open where its condition holds."""

    source: str
    target: str
    condition: int | None = None


@dataclass(frozen=True, slots=True)
class Machine:
    """Named nodes and edges (`AgentGraph`): the first open edge leads on, until a finish or a node without one."""

    name: str
    nodes: tuple[tuple[str, Node], ...]
    edges: tuple[Edge, ...]
    routers: tuple[tuple[str, int], ...]
    """Node and the function that names the next one; it goes before edges."""
    entry: str
    finish: tuple[str, ...]
    most: int = 50


Node = Agent | Ensemble | Reflection | Debate | Router | Sequence | Loop | Machine


@dataclass(frozen=True, slots=True)
class Graph:
    """A linear workflow of nodes; the last node's response is the answer."""

    name: str
    nodes: tuple[Node, ...]
    asks: str | None = None
    """What the script gave to `run`; None where it passed the question on."""
    functions: bytes = b""
    """The state of the interpreter that the script's functions are called in; empty where it has none."""
    state: tuple[tuple[str, str], ...] = ()
    """What `run` was given as the context's state: name, value as JSON."""

    def agents(self) -> tuple[str, ...]:
        """Names of all agents, in the order in which they stand in the graph."""
        from runners.mas.shape import agent_names

        return tuple(name for node in self.nodes for name in agent_names(node))

    def shape(self) -> str:
        """A short text that names the structure, e.g. `reduce > vote(solve, solve, solve)`."""
        from runners.mas.shape import node_shape

        return " > ".join(node_shape(node) for node in self.nodes)
