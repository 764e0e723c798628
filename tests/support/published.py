"""Scripts in the published style of MetaAgent-X, put together from the ways in which designers write their parts.

Each part has several spellings, all of them seen in the style that the paper shows: imports, where the question comes
from, how agents are made, how they are combined, how the run is called and what is printed. A seeded draw over the
product gives a corpus whose coverage says what share of such scripts the interpreter runs.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

IMPORTS = (
    "from workflow import AgentNode, Workflow, ToolRegistry\n"
    "from workflow.nodes import EnsembleNode, ReflectionNode, DebateNode, RouterNode\n",
    "import os\nimport sys\nsys.path.append(os.path.dirname(os.path.abspath(__file__)))\n"
    "from workflow import AgentNode, Workflow, ToolRegistry\n"
    "from workflow.nodes import EnsembleNode, ReflectionNode, DebateNode, RouterNode\n",
    "from workflow import *\nfrom workflow.nodes import *\n",
    "from workflow.core import Context, Message\nfrom workflow import AgentNode, Workflow, ToolRegistry\n"
    "from workflow.nodes.ensemble import EnsembleNode\nfrom workflow.nodes.reflection import ReflectionNode\n"
    "from workflow.nodes.debate import DebateNode\nfrom workflow.nodes.router import RouterNode\n",
    "import json\nimport re\nfrom typing import Any, Dict, List, Optional\n"
    "from workflow import AgentNode, Workflow, ToolRegistry\n"
    "from workflow.nodes import EnsembleNode, ReflectionNode, DebateNode, RouterNode\n"
    "from utils.environments.math_env import MathEnvironment\n",
)
QUESTIONS = (
    "",
    'question = "What is the remainder of 7 to the power of 100 divided by 5?"\n',
    'question = r"""Find all $x$ with $\\frac{x}{2} = 3$.\nGive the answer in \\boxed{}."""\n',
    "question = '''How many positive divisors does 360 have?'''\n",
    "# the question is given\n",
)
REGISTRIES = (
    "tool_registry = ToolRegistry()\n",
    "tools = ToolRegistry()  # pure reasoning\ntool_registry = tools\n",
    'env = MathEnvironment()\ntool_registry = ToolRegistry()\ntool_registry.register(\n    name="python_execute",\n'
    '    func=env.python_execute,\n    description="Execute Python code and return its output.",\n    parameters={\n'
    '        "type": "object",\n        "properties": {"code": {"type": "string", "description": "Python code"}},\n'
    '        "required": ["code"],\n    },\n)\n',
    "def add(a: float, b: float) -> float:\n    return a + b\n\ntool_registry = ToolRegistry()\n"
    'tool_registry.register("add", add, "Adds two numbers.", {"type": "object"})\n',
)
AGENTS = (
    'solver = AgentNode(\n    name="solver",\n    system_prompt="""You are an expert in mathematics.\n\n'
    "1. Read the problem.\n"
    '2. Solve it step by step.\n3. Put the final answer in \\\\boxed{}.\n""",\n    tool_registry=tool_registry,\n'
    "    max_turns=3,\n)\n"
    'checker = AgentNode(name="checker", system_prompt="Check the solution. Say CORRECT or INCORRECT.", '
    "tool_registry=tool_registry)\n"
    'judge = AgentNode(name="judge", system_prompt="Choose the best answer.")\n',
    'PROMPTS = {\n    "solver": "Solve the problem.",\n    "checker": "Check it: CORRECT or INCORRECT?",\n'
    '    "judge": "Decide.",\n}\n'
    "agents = {name: AgentNode(name=name, system_prompt=prompt, tool_registry=tool_registry) for name, "
    "prompt in PROMPTS.items()}\n"
    'solver, checker, judge = agents["solver"], agents["checker"], agents["judge"]\n',
    'def make_agent(name: str, role: str, turns: int = 2) -> AgentNode:\n    """An agent with a role."""\n'
    '    return AgentNode(name=name, system_prompt=f"You are the {role}. Think carefully.\\n", '
    "tool_registry=tool_registry, max_turns=turns)\n\n"
    'solver = make_agent("solver", "solver")\nchecker = make_agent("checker", "critic", turns=1)\n'
    'judge = make_agent("judge", "judge")\n',
    "BASE = 'You are a careful mathematician. '\n"
    "solver = AgentNode('solver', BASE + 'Solve: ' + question[:50], tool_registry, 5)\n"
    "checker = AgentNode('checker', '\\n'.join([BASE, 'Verify.', 'CORRECT or INCORRECT']))\n"
    "judge = AgentNode('judge', BASE * 2)\n",
    "roles = [('solver', 'algebra'), ('checker', 'verification'), ('judge', 'decision')]\nnodes = []\n"
    "for index, (name, field) in enumerate(roles):\n"
    "    nodes.append(AgentNode(name=name, system_prompt='Agent %d: expert in %s' % (index + 1, field), "
    "tool_registry=tool_registry))\n"
    "solver, checker, judge = nodes\n",
)
RARE = (
    "class Solver(AgentNode):\n    pass\n\nsolver = Solver('solver')\nchecker = AgentNode('checker')\n"
    "judge = AgentNode('judge')\n",
    "def made():\n    for name in ('solver', 'checker', 'judge'):\n        yield AgentNode(name)\n\n"
    "solver, checker, judge = made()\n",
    "import logging\nlogging.basicConfig(level=logging.INFO)\n"
    "solver, checker, judge = (AgentNode(name) for name in ('solver', 'checker', 'judge'))\n",
    "import numpy as np\nsolver, checker, judge = AgentNode('solver'), AgentNode('checker'), AgentNode('judge')\n"
    "weights = np.ones(3)\n",
)
"""Spellings that are seen now and then, one script in twenty: what the interpreter lacks."""
COMBINED = {
    "single": "main = solver\n",
    "vote": 'main = EnsembleNode(name="vote", agents=[solver, checker, judge], strategy="majority_vote")\n',
    "self-consistency": 'samples = [AgentNode(name=f"solver_{i}", system_prompt="Solve it.") for i in range(1, 4)]\n'
    'main = EnsembleNode(name="consistency", agents=samples, strategy="majority_vote", consensus_agent=judge)\n',
    "consensus": 'main = EnsembleNode("panel", [solver, checker], strategy="consensus", consensus_agent=judge)\n',
    "weighted": 'main = EnsembleNode("panel", [solver, checker], strategy="weighted_vote", weights=[0.7, 0.3])\n',
    "reflection": 'main = ReflectionNode(name="refine", agent=solver, critic_agent=checker, num_iterations=2)\n',
    "debate": 'main = DebateNode(name="debate", debaters=[solver, checker], judge=judge, num_rounds=2)\n',
    "router": "def pick(context):\n    text = context.get_latest_message().content.lower()\n"
    '    if "divisor" in text or re_found(text):\n'
    '        return "careful"\n    return "default"\n\ndef re_found(text):\n    return text.count("$") > 1\n\n'
    'main = RouterNode(name="router", routes={"careful": ReflectionNode("r", solver, checker), "default": solver}, '
    'routing_func=pick, default_route="default")\n',
    "reflection of vote": 'team = EnsembleNode("team", [solver, judge], strategy="majority_vote")\n'
    'main = ReflectionNode("refine", agent=team, critic_agent=checker, num_iterations=1)\n',
    "vote then check": "main = None\n",
    "loop": "main = None\n",
    "graph": "main = None\n",
}
BUILT = {
    "vote then check": 'workflow = Workflow(name="ensemble_then_verifier")\n'
    'workflow.add_node(EnsembleNode(name="vote", agents=[solver, judge], strategy="majority_vote"))\n'
    "workflow.add_node(checker)\n",
    "loop": 'from workflow import LoopWorkflow\nworkflow = LoopWorkflow(name="loop", max_iterations=3, '
    'stop_condition=lambda context: "CORRECT" in context.get_latest_message().content)\n'
    "workflow.add_node(solver)\nworkflow.add_node(checker)\n",
    "graph": 'from workflow import AgentGraph\nworkflow = AgentGraph(name="graph", max_steps=6)\n'
    'workflow.add_node("solve", solver)\n'
    'workflow.add_node("check", checker)\nworkflow.add_edge("solve", "check")\n'
    'workflow.add_edge("check", "solve", condition=lambda context: "INCORRECT" in '
    "context.get_latest_message().content)\n"
    'workflow.set_entry_point("solve")\nworkflow.set_finish_point("check")\n',
}
PLAIN = (
    'workflow = Workflow(name="workflow")\nworkflow.add_node(main)\n',
    'wf = Workflow("math_workflow")\nwf.add_node(main)\nworkflow = wf\n',
    "workflow = Workflow()\nfor node in [main]:\n    workflow.add_node(node)\n",
)
RUNS = (
    'print("=" * 60)\nprint("Multi-agent system")\nresult = workflow.run(question)\nprint(result.content)\n',
    'if __name__ == "__main__":\n    result = workflow.run(question)\n    print(f"Answer: {result.content}")\n',
    "def main_run():\n    result = workflow.run(question)\n    print(result.content)\n    return result\n\n"
    "main_run()\n",
    "try:\n    result = workflow.run(question)\n    print('Final answer:', result.content)\n"
    "except Exception as error:\n    print(f'failed: {error}')\n",
    "result = workflow.run(question)\ncontent = result.content if result else ''\nprint(content.strip()[:200])\n",
    "print(workflow.run(question).content)\n",
    "result = workflow.run(question)\nanswer = result.content\nif 'boxed' in answer:\n"
    "    print('Boxed:', answer)\nelse:\n    print(answer)\n",
    "result = workflow.run(question)\nmatch = re_search = None\nprint(json_dump({'answer': result.content}))\n",
    "result = workflow.run(question)\nfinal_answer = result.content\nif 'boxed' not in final_answer:\n"
    "    result = workflow.run(question + '\\nPut the answer in a box.')\n    final_answer = result.content\n"
    "print(final_answer)\n",
    "results = []\nfor attempt in range(2):\n    results.append(workflow.run(question))\n"
    "final_answer = results[-1].content\nprint(final_answer)\n",
    "import asyncio\n\nasync def ask():\n    return workflow.run(question)\n\nresult = asyncio.run(ask())\n"
    "print(result.content)\n",
    "import sys\nresult = workflow.run(question)\nif result is None:\n    sys.exit(1)\nprint(result.content)\n",
)
WRAPS = (
    "<code>\n```python\n{script}```\n</code>",
    "<think>\nProblem type: algebra. A small team will do.\n</think>\n<code>\n```python\n{script}```\n</code>",
    "Here is the system:\n\n```python\n{script}```\nIt uses few agents.",
    "{script}",
)
HELPERS = {"json_dump": "import json\n\ndef json_dump(value):\n    return json.dumps(value)\n\n"}


@dataclass(frozen=True)
class Published:
    """One response in the published style.

    Attributes:
        text: The whole response.
        pattern: How its agents are combined.
        tools: Whether an agent may run programs.
    """

    text: str
    pattern: str
    tools: bool


def corpus(count: int, seed: int = 0) -> list[Published]:
    """Responses drawn from all spellings, no two alike."""
    rng = random.Random(seed)
    patterns = list(COMBINED)
    found: dict[str, Published] = {}
    while len(found) < count:
        pattern = patterns[len(found) % len(patterns)]
        imports, question = rng.choice(IMPORTS), rng.choice(QUESTIONS)
        registry, agents, run = rng.choice(REGISTRIES), rng.choice(AGENTS), rng.choice(RUNS)
        agents = rng.choice(RARE) if rng.random() < 0.05 else agents
        if "MathEnvironment" in registry and "MathEnvironment" not in imports:
            imports += "from utils.environments.math_env import MathEnvironment\n"
        helpers = "".join(text for name, text in HELPERS.items() if f"{name}(" in run)
        built = BUILT.get(pattern) or rng.choice(PLAIN)
        script = "\n".join((imports, question, registry, agents, COMBINED[pattern], built, helpers + run))
        text = rng.choice(WRAPS).replace("{script}", script)
        found.setdefault(text, Published(text, pattern, "python_execute" in registry))
    return list(found.values())
