"""From what a script submitted to a graph; nothing about it is taken on trust."""

from __future__ import annotations

from typing import Any, Literal

from runners.mas.graph import (
    Agent,
    Debate,
    Edge,
    Ensemble,
    Graph,
    Loop,
    Machine,
    Node,
    Reflection,
    Router,
    Sequence,
    Step,
    Tool,
)
from runners.mas.verdicts import RefusedError

_STRATEGIES: dict[object, Literal["majority_vote", "weighted_vote", "consensus"]] = {
    "majority_vote": "majority_vote",
    "weighted_vote": "weighted_vote",
    "consensus": "consensus",
}


def read_graph(name: Any, nodes: Any, asks: Any, state: Any = (), functions: bytes = b"") -> Graph:
    """The graph in a submission (name, nodes as the prelude records them, what `run` was given).

    Args:
        name: Of the workflow.
        nodes: Its nodes.
        asks: The question that it was run on; None for the one that was asked.
        state: What its context begins with: name, value as JSON.
        functions: The state of the interpreter that functions are called in.

    Raises:
        RefusedError: `no_run` for a workflow without nodes, `runtime_error` for data that
            the prelude does not record.
    """
    if not (isinstance(name, str) and isinstance(nodes, list) and (asks is None or isinstance(asks, str))):
        raise _odd("workflow")
    if not nodes:
        raise RefusedError("no_run", "workflow.run was called on a workflow without nodes")
    pairs = tuple(_pair(one) for one in state)
    return Graph(name, tuple(_node(node) for node in nodes), asks, functions, pairs)


def _pair(data: Any) -> tuple[str, str]:
    match data:
        case (str(key), str(value)):
            return key, value
        case _:
            raise _odd("state")


def _node(data: Any) -> Node:
    match data:
        case ("agent", str(name), str(instructions), int(max_turns), list(tools)):
            return Agent(name, instructions, max_turns, tuple(_tool(one) for one in tools))
        case ("ensemble", str(name), list(children), strategy, list(weights), judge) if strategy in _STRATEGIES:
            if not all(isinstance(weight, float) for weight in weights):
                raise _odd("weights")
            below = tuple(_node(child) for child in children)
            return Ensemble(name, below, _STRATEGIES[strategy], tuple(weights), _judge(judge))
        case ("reflection", str(name), agent, critic, int(rounds), bool(include_history)):
            return Reflection(name, _node(agent), _node(critic), rounds, include_history)
        case ("debate", str(name), list(debaters), judge, int(rounds)) if rounds > 0 and debaters:
            return Debate(name, tuple(_node(one) for one in debaters), _node(judge), rounds)
        case ("router", str(name), list(routes), str(default), int(chosen_by)) if routes:
            return Router(name, tuple(_named(one) for one in routes), default, chosen_by)
        case ("sequence", str(name), list(steps)) if steps:
            return Sequence(name, tuple(_step(one) for one in steps))
        case ("loop", str(name), list(steps), int(most), int(until)) if steps:
            return Loop(name, tuple(_step(one) for one in steps), most, _function(until))
        case ("graph", str(name), list(nodes), list(edges), list(routers), str(entry), list(finish), int(most)):
            named = tuple(_named(one) for one in nodes)
            known = {key for key, _ in named}
            if entry not in known or not all(isinstance(one, str) for one in finish):
                raise _odd("graph")
            ways = tuple((str(key), int(number)) for key, number in routers)
            return Machine(name, named, tuple(_edge(one) for one in edges), ways, entry, tuple(finish), most)
        case ("sequence" | "loop", *_):
            raise RefusedError("no_run", "a workflow without nodes")
        case _:
            raise _odd("node")


def _judge(data: Any) -> Agent | None:
    judge = None if data is None else _node(data)
    if judge is not None and not isinstance(judge, Agent):
        raise _odd("judge")
    return judge


def _tool(data: Any) -> Tool:
    match data:
        case (str(name), str(description), str(parameters), int(number)):
            return Tool(name, description, parameters, _function(number))
        case _:
            raise _odd("tool")


def _named(data: Any) -> tuple[str, Node]:
    match data:
        case (str(key), node):
            return key, _node(node)
        case _:
            raise _odd("node")


def _step(data: Any) -> Step:
    match data:
        case (node, int(condition)):
            return Step(_node(node), _function(condition))
        case _:
            raise _odd("step")


def _edge(data: Any) -> Edge:
    match data:
        case (str(source), str(target), int(condition)):
            return Edge(source, target, _function(condition))
        case _:
            raise _odd("edge")


def _function(number: int) -> int | None:
    return None if number < 0 else number


def _odd(what: str) -> RefusedError:
    return RefusedError("runtime_error", f"a {what} that the API does not make")
