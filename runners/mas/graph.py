"""The graph of a design, as plain frozen data: what a script built, without the script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Agent:
    """A node that calls a model."""

    name: str
    instructions: str = ""
    max_turns: int = 10


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


Node = Agent | Ensemble | Reflection


@dataclass(frozen=True, slots=True)
class Graph:
    """A linear workflow of nodes; the last node's response is the answer."""

    name: str
    nodes: tuple[Node, ...]
    asks: str | None = None
    """What the script gave to `run`; None where it passed the question on."""

    def agents(self) -> tuple[str, ...]:
        """Names of all agents, in the order in which they stand in the graph."""
        return tuple(name for node in self.nodes for name in agent_names(node))

    def shape(self) -> str:
        """A short text that names the structure, e.g. `reduce > vote(solve, solve, solve)`."""
        return " > ".join(node_shape(node) for node in self.nodes)


def agent_names(node: Node) -> tuple[str, ...]:
    """Names of the agents below a node."""
    if isinstance(node, Agent):
        return (node.name,)
    if isinstance(node, Reflection):
        return agent_names(node.agent) + agent_names(node.critic)
    below = tuple(name for child in node.children for name in agent_names(child))
    return below + ((node.judge.name,) if node.judge else ())


def node_shape(node: Node) -> str:
    """The structure below a node as a short text."""
    if isinstance(node, Agent):
        return node.name
    if isinstance(node, Reflection):
        return f"reflect({node_shape(node.agent)}, {node_shape(node.critic)})"
    rule = {"majority_vote": "vote", "weighted_vote": "weighted_vote", "consensus": "consensus"}[node.strategy]
    parts = [node_shape(child) for child in node.children] + ([f"judge={node.judge.name}"] if node.judge else [])
    return f"{rule}({', '.join(parts)})"


def fewest_calls(node: Node) -> int:
    """Calls that a node makes at least: every vote unanimous, every first draft right."""
    if isinstance(node, Agent):
        return 1
    if isinstance(node, Reflection):
        return fewest_calls(node.agent) + (fewest_calls(node.critic) if node.rounds else 0)
    return sum(fewest_calls(child) for child in node.children)
