"""Pieces of the prelude that run nodes: workflows, loops and graphs, and calls of the script's functions."""

from __future__ import annotations

SUBMITS = """
def _mx_ask(name, nodes, question, state):
    _mx_text("run", "question", question)
    _mx_submit(name, nodes, question, state, len(_mx_functions))
"""
"""`run` of a static script."""

RUNS = """
def _mx_ask(name, nodes, question, state):
    _mx_text("run", "question", question)
    reply = _mx_run(name, nodes, question, state)
    while reply[0] == "call":
        reply = _mx_reply(_mx_try(reply[1], reply[2], reply[3], reply[4], reply[5]))
    return _mx_results(reply[1], reply[2], reply[3])

def _mx_try(number, what, messages, state, arguments):
    try:
        return ("ok", _mx_call(number, what, messages, state, arguments))
    except Exception as error:
        return ("error", type(error).__name__ + ": " + str(error))
"""
"""`run` of a dynamic script."""

RESULTS = """
_mx_said = []

def _mx_results(text, sender, source):
    found = Message(text, "agent_response", None, sender)
    _mx_said.append((found, source))
    return found

def _mx_done(value):
    for found, source in _mx_said:
        if found is value:
            return _mx_end("result", source)
    if value is not None:
        return _mx_end("text", value if isinstance(value, str) else str(value))
"""
"""Results of a dynamic script."""

STATE = """
def _mx_json(value):
    import json
    return json.dumps(value)

def _mx_state(state):
    if state is None:
        return []
    if not isinstance(state, dict):
        raise TypeError("run: initial_state must be a dict")
    return [(str(key), _mx_json(value)) for key, value in state.items()]
"""
"""The state that a run begins with."""

MESSAGE = """
class Message:
    def __init__(self, content, message_type="agent_response", metadata=None, sender=None, **more):
        self.content = content
        self.type = message_type
        self.message_type = message_type
        self.metadata = {} if metadata is None else metadata
        self.sender = sender
"""
"""What a run returns."""

CONTEXT = """
class MessageType:
    USER_INPUT = "user_input"
    AGENT_RESPONSE = "agent_response"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    SYSTEM = "system"
    ERROR = "error"

class Context:
    def __init__(self, messages=None, state=None):
        self.messages = [] if messages is None else messages
        self.state = {} if state is None else state
        self.metadata = {}

    def get_latest_message(self, *unused):
        return self.messages[-1] if self.messages else None

    def get_messages(self, *unused):
        return self.messages

    def get_state(self, key, default=None):
        return self.state.get(key, default)

    def set_state(self, key, value):
        self.state[key] = value

    def add_message(self, message):
        self.messages.append(message)

def _mx_context(messages, state):
    import json
    said = []
    for sender, text in messages:
        said.append(Message(text, "agent_response" if sender else "user_input", None, sender or "user"))
    return Context(said, {key: json.loads(value) for key, value in state})

def _mx_call(number, what, messages, state, arguments):
    function = _mx_functions[number]
    if what == "tool":
        found = function(**arguments)
        return found if isinstance(found, str) else str(found)
    found = function(_mx_context(messages, state))
    if what == "condition":
        return bool(found)
    return found if isinstance(found, str) else str(found)
"""
"""What functions of the script see."""

WORKFLOW = """
class Workflow:
    def __init__(self, name="workflow", ai_client=None, **more):
        _mx_unknown("Workflow", more)
        self.name = _mx_text("Workflow", "name", name)
        self.nodes = []
        self._mx_steps = []

    def add_node(self, node):
        return self._mx_add(node, None)

    def _mx_add(self, node, condition):
        added = _mx_node("add_node", node)
        self.nodes.append(node)
        self._mx_steps.append((added, -1 if condition is None else _mx_function("add_node", "condition", condition)))
        _mx_size("Workflow", [one for one, _ in self._mx_steps])
        return self

    def add_edge(self, *parts, **more):
        _mx_stop("unsupported", "Workflow.add_edge")

    def _mx_line(self):
        return [(one._mx, condition) for one, condition in self._mx_steps]

    def _mx_close(self):
        if len(self.nodes) != len(self._mx_steps):
            self._mx_steps = [(_mx_node("nodes", one), -1) for one in self.nodes]
        self._mx_agents, self._mx_depth = _mx_size("Workflow", [one for one, _ in self._mx_steps])
        self._mx = ("sequence", self.name, self._mx_line())
        return self

    def run(self, question, initial_state=None):
        self._mx_close()
        plain = all(condition == -1 for _, condition in self._mx_steps)
        nodes = [one._mx for one, _ in self._mx_steps] if plain else [self._mx]
        return _mx_ask(self.name, nodes, question, [] if initial_state is None else _mx_state(initial_state))
"""
"""`Workflow`."""

CONDITIONAL = """
class ConditionalWorkflow:
    def __init__(self, name="workflow", ai_client=None, **more):
        self._mx_inner = Workflow(name, ai_client, **more)
        self.name = self._mx_inner.name
        self.nodes = self._mx_inner.nodes

    def add_node(self, node, condition=None):
        self._mx_inner._mx_add(node, condition)
        return self

    def add_conditional_node(self, node, condition):
        return self.add_node(node, condition)

    def _mx_close(self):
        return self._mx_inner._mx_close()

    def run(self, question, initial_state=None):
        return self._mx_inner.run(question, initial_state)
"""
"""`ConditionalWorkflow`."""

LOOP = """
class LoopWorkflow:
    def __init__(self, name="workflow", max_iterations=10, stop_condition=None, ai_client=None, **more):
        self._mx_inner = Workflow(name, ai_client, **more)
        self.name = self._mx_inner.name
        self.nodes = self._mx_inner.nodes
        self.max_iterations = _mx_count("LoopWorkflow", "max_iterations", max_iterations)
        if self.max_iterations < 1:
            raise ValueError("LoopWorkflow: max_iterations must be 1 or more")
        self._mx_until = -1
        if stop_condition is not None:
            self.set_stop_condition(stop_condition)

    def add_node(self, node):
        self._mx_inner.add_node(node)
        return self

    def set_stop_condition(self, condition):
        self._mx_until = _mx_function("LoopWorkflow", "stop_condition", condition)
        return self

    def _mx_close(self):
        inner = self._mx_inner._mx_close()
        self._mx_agents, self._mx_depth = inner._mx_agents, inner._mx_depth
        self._mx = ("loop", self.name, self._mx_inner._mx_line(), self.max_iterations, self._mx_until)
        return self

    def run(self, question, initial_state=None):
        nodes = [self._mx_close()._mx] if self.nodes else []
        return _mx_ask(self.name, nodes, question, [] if initial_state is None else _mx_state(initial_state))
"""
"""`LoopWorkflow`."""

GRAPH = """
class AgentGraph:
    def __init__(self, name="agent_graph", max_steps=50, ai_client=None, **more):
        _mx_unknown("AgentGraph", more)
        self.name = _mx_text("AgentGraph", "name", name)
        self.max_steps = _mx_count("AgentGraph", "max_steps", max_steps)
        self.nodes = {}
        self.edges = []
        self.entry_point = None
        self.finish_points = []
        self._mx_nodes = {}
        self._mx_edges = []
        self._mx_routers = {}

    def _mx_known(self, name):
        if name not in self._mx_nodes:
            raise ValueError("AgentGraph: no node " + repr(name))
        return name

    def add_node(self, name, node=None):
        if node is None and not isinstance(name, str):
            name, node = name.name, name
        _mx_text("AgentGraph", "name", name)
        self._mx_nodes[name] = _mx_node("AgentGraph", node)
        self.nodes[name] = node
        _mx_size("AgentGraph", list(self._mx_nodes.values()))
        return self

    def add_edge(self, source, target, condition=None):
        number = -1 if condition is None else _mx_function("AgentGraph", "condition", condition)
        self._mx_edges.append((self._mx_known(source), self._mx_known(target), number))
        self.edges.append((source, target))
        return self

    def add_conditional_edges(self, source, routing_func):
        self._mx_routers[self._mx_known(source)] = _mx_function("AgentGraph", "routing_func", routing_func)
        return self

    def set_entry_point(self, name):
        self.entry_point = self._mx_known(name)
        return self

    def set_finish_point(self, name):
        self.finish_points.append(self._mx_known(name))
        return self

    def _mx_close(self):
        if self.entry_point is None:
            raise ValueError("AgentGraph: no entry point")
        self._mx_agents, self._mx_depth = _mx_size("AgentGraph", list(self._mx_nodes.values()))
        nodes = [(name, node._mx) for name, node in self._mx_nodes.items()]
        routers = [(name, number) for name, number in self._mx_routers.items()]
        ends = (self.entry_point, self.finish_points, self.max_steps)
        self._mx = ("graph", self.name, nodes, self._mx_edges, routers, *ends)
        return self

    def run(self, input_message, initial_state=None):
        state = [] if initial_state is None else _mx_state(initial_state)
        return _mx_ask(self.name, [self._mx_close()._mx], input_message, state)
"""
"""`AgentGraph`."""
