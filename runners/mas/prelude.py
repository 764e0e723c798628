"""The workflow API as scripts see it inside the sandbox: classes that only record.

Each class keeps its arguments as plain data (`_mx`, with the number of agents in
it and its depth); `Workflow.run` hands the whole graph to the host.
"""

from __future__ import annotations

MAX_DEPTH = 16
"""Depth of nested nodes; a deeper graph is `limit:nesting`."""

SUBMIT = "_mx_submit"
"""Host function (name, nodes, question): takes a graph."""

REFUSE = "_mx_refuse"
"""Host function (verdict, detail): notes a verdict that the script cannot take back."""

LIMITS = "_mx_limits"
"""Input: (most agents, greatest depth)."""

PRELUDE = """
def _mx_stop(verdict, detail):
    _mx_refuse(verdict, detail)
    raise RuntimeError(verdict + ": " + detail)

def _mx_text(owner, what, value):
    if not isinstance(value, str):
        raise TypeError(owner + ": " + what + " must be text")
    return value

def _mx_count(owner, what, value):
    if not isinstance(value, int):
        raise TypeError(owner + ": " + what + " must be a whole number")
    return int(value)

def _mx_node(owner, value):
    if not isinstance(value, (AgentNode, EnsembleNode, ReflectionNode)):
        raise TypeError(owner + ": not a node")
    return value

def _mx_unknown(owner, more):
    for key in more:
        if key.endswith("prompt") or key.endswith("prompt_template"):
            _mx_stop("unsupported", owner + "(" + key + "=...)")
        raise TypeError(owner + "() got an unexpected keyword argument " + repr(key))

def _mx_size(owner, nodes):
    agents = 0
    depth = 0
    for node in nodes:
        agents += node._mx_agents
        depth = max(depth, node._mx_depth)
    if agents > _mx_limits[0]:
        _mx_stop("limit:agents", str(agents) + " agents, at most " + str(_mx_limits[0]))
    if depth >= _mx_limits[1]:
        _mx_stop("limit:nesting", owner + " is nested " + str(depth + 1) + " deep, at most " + str(_mx_limits[1]))
    return agents, depth + 1

class ToolRegistry:
    def __init__(self):
        pass

class MathEnvironment:
    def __init__(self):
        pass

class AgentNode:
    def __init__(self, name, system_prompt="", tool_registry=None, max_turns=10, **more):
        _mx_unknown("AgentNode", more)
        self.name = _mx_text("AgentNode", "name", name)
        if not name.strip() or len(name) > 200:
            raise ValueError("AgentNode: name must have 1 to 200 characters")
        self.system_prompt = _mx_text("AgentNode", "system_prompt", system_prompt)
        self.max_turns = _mx_count("AgentNode", "max_turns", max_turns)
        if tool_registry is not None and not isinstance(tool_registry, ToolRegistry):
            _mx_stop("unsupported", "AgentNode(tool_registry=...) that is no ToolRegistry")
        self._mx_agents = 1
        self._mx_depth = 1
        self._mx = ("agent", name, system_prompt, self.max_turns)

class EnsembleNode:
    def __init__(self, name, agents, strategy="majority_vote", consensus_agent=None, weights=None, **more):
        _mx_unknown("EnsembleNode", more)
        self.name = _mx_text("EnsembleNode", "name", name)
        if strategy not in ("majority_vote", "weighted_vote", "consensus"):
            raise ValueError("EnsembleNode: unknown strategy " + repr(strategy))
        self.agents = [_mx_node("EnsembleNode agents", agent) for agent in agents]
        if not self.agents:
            raise ValueError("EnsembleNode: no agents")
        if isinstance(weights, dict):
            weights = [weights.get(agent.name, 1.0) for agent in self.agents]
        weights = [float(weight) for weight in weights or ()]
        if weights and len(weights) != len(self.agents):
            raise ValueError("EnsembleNode: " + str(len(weights)) + " weights for " + str(len(self.agents)) + " agents")
        below = list(self.agents)
        judge = None
        if consensus_agent is not None:
            if not isinstance(consensus_agent, AgentNode):
                _mx_stop("unsupported", "EnsembleNode(consensus_agent=...) that is no AgentNode")
            below.append(consensus_agent)
            judge = consensus_agent._mx
        self._mx_agents, self._mx_depth = _mx_size("EnsembleNode", below)
        self._mx = ("ensemble", name, [agent._mx for agent in self.agents], strategy, weights, judge)

class ReflectionNode:
    def __init__(self, name, agent, critic_agent=None, num_iterations=2, include_history=True, **more):
        _mx_unknown("ReflectionNode", more)
        self.name = _mx_text("ReflectionNode", "name", name)
        self.agent = _mx_node("ReflectionNode agent", agent)
        critic = agent if critic_agent is None else _mx_node("ReflectionNode critic_agent", critic_agent)
        rounds = _mx_count("ReflectionNode", "num_iterations", num_iterations)
        if rounds < 0:
            raise ValueError("ReflectionNode: num_iterations must not be negative")
        self._mx_agents, self._mx_depth = _mx_size("ReflectionNode", [agent, critic])
        self._mx = ("reflection", name, agent._mx, critic._mx, rounds, bool(include_history))

class Workflow:
    def __init__(self, name="workflow", ai_client=None, **more):
        _mx_unknown("Workflow", more)
        self.name = _mx_text("Workflow", "name", name)
        self.nodes = []

    def add_node(self, node):
        self.nodes.append(_mx_node("add_node", node))
        _mx_size("Workflow", self.nodes)
        return self

    def add_edge(self, *parts, **more):
        _mx_stop("unsupported", "Workflow.add_edge")

    def run(self, question):
        _mx_text("Workflow.run", "question", question)
        _mx_size("Workflow", self.nodes)
        _mx_submit(self.name, [node._mx for node in self.nodes], question)
        return None
"""
