"""Pieces of the prelude that describe nodes and tools."""

from __future__ import annotations

CORE = """
def _mx_stop(verdict, detail):
    _mx_refuse(verdict, detail)
    raise RuntimeError(verdict + ": " + detail)

def _mx_exit():
    raise SystemExit("the script ends here")

def _mx_text(owner, what, value):
    if not isinstance(value, str):
        raise TypeError(owner + ": " + what + " must be text")
    return value

def _mx_count(owner, what, value):
    if not isinstance(value, int):
        raise TypeError(owner + ": " + what + " must be a whole number")
    return int(value)

def _mx_node(owner, value):
    if hasattr(value, "_mx_close"):
        return value._mx_close()
    if not hasattr(value, "_mx"):
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

_mx_functions = []
"""
"""What every piece uses."""

FUNCTIONS = """
def _mx_function(owner, what, value):
    if value is None or isinstance(value, (str, int, float, list, dict, tuple, set)):
        raise TypeError(owner + ": " + what + " must be a function")
    _mx_functions.append(value)
    return len(_mx_functions) - 1
"""
"""Functions of the script are remembered by number."""

AGENT = """
class AgentNode:
    def __init__(self, name, system_prompt="", tool_registry=None, max_turns=10, **more):
        _mx_unknown("AgentNode", more)
        self.name = _mx_text("AgentNode", "name", name)
        if not name.strip() or len(name) > 200:
            raise ValueError("AgentNode: name must have 1 to 200 characters")
        self.system_prompt = _mx_text("AgentNode", "system_prompt", system_prompt)
        self.max_turns = _mx_count("AgentNode", "max_turns", max_turns)
        if tool_registry is not None and not hasattr(tool_registry, "_mx_tools"):
            _mx_stop("unsupported", "AgentNode(tool_registry=...) that is no ToolRegistry")
        self._mx_agents = 1
        self._mx_depth = 1
        tools = [] if tool_registry is None else tool_registry._mx_tools
        self._mx = ("agent", name, system_prompt, self.max_turns, [tool for tool in tools])
"""
"""`AgentNode`."""

ENSEMBLE = """
class EnsembleNode:
    def __init__(self, name, agents, strategy="majority_vote", consensus_agent=None, weights=None, **more):
        _mx_unknown("EnsembleNode", more)
        self.name = _mx_text("EnsembleNode", "name", name)
        if strategy not in ("majority_vote", "weighted_vote", "consensus"):
            known = "; there are majority_vote, weighted_vote, consensus"
            raise ValueError("EnsembleNode: unknown strategy " + repr(strategy) + known)
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
"""
"""`EnsembleNode`."""

REFLECTION = """
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
"""
"""`ReflectionNode`."""

DEBATE = """
class DebateNode:
    def __init__(self, name, debaters, judge=None, num_rounds=2, **more):
        _mx_unknown("DebateNode", more)
        self.name = _mx_text("DebateNode", "name", name)
        self.debaters = [_mx_node("DebateNode debaters", one) for one in debaters]
        if not self.debaters:
            raise ValueError("DebateNode: no debaters")
        rounds = _mx_count("DebateNode", "num_rounds", num_rounds)
        if rounds < 1:
            raise ValueError("DebateNode: num_rounds must be 1 or more")
        self.judge = self.debaters[0] if judge is None else _mx_node("DebateNode judge", judge)
        self._mx_agents, self._mx_depth = _mx_size("DebateNode", self.debaters + [self.judge])
        self._mx = ("debate", name, [one._mx for one in self.debaters], self.judge._mx, rounds)
"""
"""`DebateNode`."""

ROUTER = """
class RouterNode:
    def __init__(self, name, routes, routing_func, default_route="default", **more):
        _mx_unknown("RouterNode", more)
        self.name = _mx_text("RouterNode", "name", name)
        self.routes = {}
        for key, node in routes.items():
            self.routes[_mx_text("RouterNode", "route", key)] = _mx_node("RouterNode routes", node)
        if default_route not in self.routes:
            raise ValueError("RouterNode: no route " + repr(default_route))
        below = list(self.routes.values())
        self._mx_agents, self._mx_depth = _mx_size("RouterNode", below)
        ways = [(key, node._mx) for key, node in self.routes.items()]
        self._mx = ("router", name, ways, default_route, _mx_function("RouterNode", "routing_func", routing_func))
"""
"""`RouterNode`."""

TOOLS = """
class ToolRegistry:
    def __init__(self, *unused, **more):
        self._mx_tools = []

    def register(self, name, func=None, description="", parameters=None, **more):
        _mx_text("ToolRegistry", "name", name)
        for key in more:
            raise TypeError("ToolRegistry.register() got an unexpected keyword argument " + repr(key))
        if any(tool[0] == name for tool in self._mx_tools):
            raise ValueError("ToolRegistry: two tools are called " + repr(name))
        number = -1
        if name not in ("python_execute", "search"):
            number = _mx_function("ToolRegistry", "func", func)
        self._mx_tools.append((name, str(description), _mx_json(parameters or {}), number))
        return self
"""
"""`ToolRegistry`."""

ENVIRONMENTS = """
def _mx_host(name):
    def called(*args, **kwargs):
        raise RuntimeError(name + " is a tool of agents, not a function of scripts")
    return called

class MathEnvironment:
    def __init__(self, *unused, **more):
        self.python_execute = _mx_host("python_execute")
        self.execute_python = self.python_execute
        self.execute = self.python_execute

class SearchEnvironment:
    def __init__(self, *unused, **more):
        self.search = _mx_host("search")
        self.google_search = self.search
"""
"""`MathEnvironment` and `SearchEnvironment`."""
