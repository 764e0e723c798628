"""The workflow API as scripts see it inside the sandbox: classes that only record.

Each class keeps its arguments as plain data (`_mx`, with the number of agents in
it and its depth); `Workflow.run` hands the whole graph to the host. A script gets the
pieces that it names, since every piece costs time to load.
"""

from __future__ import annotations

from functools import lru_cache

from runners.mas.prelude_flow import CONDITIONAL, CONTEXT, GRAPH, LOOP, MESSAGE, RESULTS, RUNS, STATE, SUBMITS, WORKFLOW
from runners.mas.prelude_nodes import AGENT, CORE, DEBATE, ENSEMBLE, ENVIRONMENTS, FUNCTIONS, REFLECTION, ROUTER, TOOLS

MAX_DEPTH = 16
"""Depth of nested nodes; a deeper graph is `limit:nesting`."""

SUBMIT = "_mx_submit"
"""Host function (name, nodes, question, state, number of functions): takes a graph."""

REFUSE = "_mx_refuse"
"""Host function (verdict, detail): notes a verdict that the script cannot take back."""

LIMITS = "_mx_limits"
"""Input: (most agents, greatest depth)."""

RUN = "_mx_run"
"""Host function (name, nodes, question, state) of a dynamic script: runs a graph; replies as `_mx_ask` reads it."""

REPLY = "_mx_reply"
"""Host function (outcome) of a dynamic script: what a function of the script returned."""

END = "_mx_end"
"""Host function ("result", source) or ("text", text): what a dynamic script gives as its answer."""

_PIECES = {
    "EnsembleNode": (ENSEMBLE,),
    "ReflectionNode": (REFLECTION,),
    "DebateNode": (DEBATE,),
    "RouterNode": (ROUTER, FUNCTIONS),
    "ToolRegistry": (TOOLS, FUNCTIONS),
    "MathEnvironment": (ENVIRONMENTS,),
    "SearchEnvironment": (ENVIRONMENTS,),
    "ConditionalWorkflow": (CONDITIONAL, FUNCTIONS),
    "LoopWorkflow": (LOOP, FUNCTIONS),
    "AgentGraph": (GRAPH, FUNCTIONS),
    "Message": (MESSAGE, CONTEXT),
    "MessageType": (MESSAGE, CONTEXT),
    "Context": (MESSAGE, CONTEXT),
}
"""Name of the API -> the pieces that it needs, besides those that all scripts have."""
NAMES = frozenset({"AgentNode", "Workflow", *_PIECES})
"""Names of the workflow API."""


@lru_cache(maxsize=64)
def prelude(names: frozenset[str], *, dynamic: bool) -> str:
    """The prelude of a script.

    Args:
        names: Names of the API that it uses.
        dynamic: Whether `run` waits for its result.
    """
    pieces = [CORE, AGENT, WORKFLOW, *((MESSAGE, RUNS, RESULTS) if dynamic else (SUBMITS,))]
    for name in sorted(names & _PIECES.keys()):
        pieces += _PIECES[name]
    if FUNCTIONS in pieces:
        pieces += [MESSAGE, CONTEXT]
    return "\n".join(dict.fromkeys([*pieces, STATE]))
