"""What can be said of a node without running it: its agents, its structure in a line, the calls it makes at least."""

from __future__ import annotations

from runners.mas.graph import Agent, Debate, Ensemble, Graph, Loop, Machine, Node, Reflection, Router, Sequence, Step

_RULES = {"majority_vote": "vote", "weighted_vote": "weighted_vote", "consensus": "consensus"}


def parts_of(node: Node) -> tuple[Node, ...]:
    """The nodes that a node is made of, in the order in which they stand in it."""
    match node:
        case Agent():
            return ()
        case Ensemble():
            return (*node.children, *((node.judge,) if node.judge else ()))
        case Reflection():
            return (node.agent, node.critic)
        case Debate():
            return (*node.debaters, node.judge)
        case Router():
            return tuple(one for _, one in node.routes)
        case Sequence() | Loop():
            return tuple(step.node for step in node.steps)
        case Machine():
            return tuple(one for _, one in node.nodes)


def agent_names(node: Node) -> tuple[str, ...]:
    """Names of the agents below a node."""
    if isinstance(node, Agent):
        return (node.name,)
    return tuple(name for part in parts_of(node) for name in agent_names(part))


def node_shape(node: Node) -> str:
    """The structure below a node as a short text."""
    match node:
        case Agent():
            return node.name
        case Ensemble():
            parts = [node_shape(child) for child in node.children]
            parts += [f"judge={node.judge.name}"] if node.judge else []
            return f"{_RULES[node.strategy]}({', '.join(parts)})"
        case Reflection():
            return f"reflect({node_shape(node.agent)}, {node_shape(node.critic)})"
        case Debate():
            return f"debate({', '.join(map(node_shape, node.debaters))}, judge={node_shape(node.judge)})"
        case Router():
            return f"route({', '.join(f'{name}: {node_shape(one)}' for name, one in node.routes)})"
        case Sequence():
            return f"({_in_line(node.steps)})"
        case Loop():
            return f"loop({_in_line(node.steps)})"
        case Machine():
            named = dict(node.nodes)
            ways = [f"{edge.source} -> {edge.target}" for edge in node.edges]
            ways += [f"{source} -> ?" for source, _ in node.routers]
            return f"graph({'; '.join(ways) or node_shape(named[node.entry])})"


def _in_line(steps: tuple[Step, ...]) -> str:
    return " > ".join(node_shape(step.node) + ("?" if step.condition is not None else "") for step in steps)


def fewest_calls(node: Node) -> int:
    """Calls that a node makes at least: every vote unanimous, every first draft right, every way the shortest."""
    match node:
        case Agent():
            return 1
        case Ensemble():
            return sum(map(fewest_calls, node.children))
        case Reflection():
            return fewest_calls(node.agent) + (fewest_calls(node.critic) if node.rounds else 0)
        case Debate():
            return node.rounds * sum(map(fewest_calls, node.debaters)) + fewest_calls(node.judge)
        case Router():
            return min(fewest_calls(one) for _, one in node.routes)
        case Sequence() | Loop():
            return sum(fewest_calls(step.node) for step in node.steps if step.condition is None)
        case Machine():
            return fewest_calls(dict(node.nodes)[node.entry])


def tools_of(graph: Graph) -> frozenset[str]:
    """Names of the host's tools that agents of a graph have."""

    def below(node: Node) -> frozenset[str]:
        own = {tool.name for tool in node.tools if tool.function is None} if isinstance(node, Agent) else set()
        return frozenset(own).union(*map(below, parts_of(node)))

    return frozenset().union(*map(below, graph.nodes))
