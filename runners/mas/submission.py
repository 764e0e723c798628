"""From what a script submitted to a graph; nothing about it is taken on trust."""

from __future__ import annotations

from typing import Any, Literal

from runners.mas.graph import Agent, Ensemble, Graph, Node, Reflection
from runners.mas.verdicts import RefusedError

_STRATEGIES: dict[object, Literal["majority_vote", "weighted_vote", "consensus"]] = {
    "majority_vote": "majority_vote",
    "weighted_vote": "weighted_vote",
    "consensus": "consensus",
}


def read_graph(name: Any, nodes: Any, asks: Any) -> Graph:
    """The graph in a submission (name, nodes as the prelude records them, what `run` was given).

    Raises:
        RefusedError: `no_run` for a workflow without nodes, `runtime_error` for data that
            the prelude does not record.
    """
    if not (isinstance(name, str) and isinstance(nodes, list) and (asks is None or isinstance(asks, str))):
        raise _odd("workflow")
    if not nodes:
        raise RefusedError("no_run", "workflow.run was called on a workflow without nodes")
    return Graph(name, tuple(_node(node) for node in nodes), asks)


def _node(data: Any) -> Node:
    if not isinstance(data, tuple) or not data:
        raise _odd("node")
    if data[0] == "ensemble":
        return _ensemble(data)
    if data[0] == "reflection":
        return _reflection(data)
    return _agent(data)


def _agent(data: Any) -> Agent:
    match data:
        case ("agent", str(name), str(instructions), int(max_turns)):
            return Agent(name, instructions, max_turns)
        case _:
            raise _odd("agent")


def _ensemble(data: Any) -> Ensemble:
    match data:
        case ("ensemble", str(name), list(children), strategy, list(weights), judge) if strategy in _STRATEGIES:
            if not all(isinstance(weight, float) for weight in weights):
                raise _odd("weights")
            return Ensemble(
                name,
                tuple(_node(child) for child in children),
                _STRATEGIES[strategy],
                tuple(weights),
                None if judge is None else _agent(judge),
            )
        case _:
            raise _odd("ensemble")


def _reflection(data: Any) -> Reflection:
    match data:
        case ("reflection", str(name), agent, critic, int(rounds), bool(include_history)):
            return Reflection(name, _node(agent), _node(critic), rounds, include_history)
        case _:
            raise _odd("reflection")


def _odd(what: str) -> RefusedError:
    return RefusedError("runtime_error", f"a {what} that the API does not make")
