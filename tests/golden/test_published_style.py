r"""Scripts in the style of MetaAgent-X's designers run unmodified; written for this test.

Long prompts with LaTeX and fences in them, an empty tool registry, banners, a question
in the script, other names than `workflow`, one combinator or several.
"""

from collections.abc import Iterator

import pytest

from mxspec.spec.rollout import Limits
from runners.mas.build import ScriptBuilder
from runners.mas.graph import Agent

HEAD = r'''
import os
import sys
from workflow import AgentNode, Workflow, ToolRegistry
from workflow.nodes import EnsembleNode, ReflectionNode, DebateNode, RouterNode
from utils.environments.math_env import MathEnvironment

# No tools: pure reasoning.
tool_registry = ToolRegistry()

SOLVER_PROMPT = """You solve problems step by step.
Show Python only as text, e.g.
```python
print(1 + 1)
```
End with <delivery>...</delivery> and FINAL ANSWER: \boxed{...}, e.g. \boxed{\frac{1}{2}}."""
CRITIC_PROMPT = "Check every step. Say CORRECT or INCORRECT."

solver = AgentNode(name="Solver", system_prompt=SOLVER_PROMPT, tool_registry=tool_registry, max_turns=3)
critic = AgentNode(name="Critic", system_prompt=CRITIC_PROMPT, tool_registry=tool_registry, max_turns=2)
'''
TAIL = r"""
if __name__ == "__main__":
    print("=" * 60)
    print("Math workflow")
    print("=" * 60)
    result = workflow.run(question)
    print("\n" + "=" * 60)
    print("FINAL:")
    print(result.content)
"""
SINGLE = HEAD + 'workflow = Workflow(name="single")\nworkflow.add_node(solver)\n' + TAIL
VOTE = (
    HEAD
    + r"""
styles = ["algebra", "cases", "estimates"]
solvers = [
    AgentNode(name=f"solver_{i}", system_prompt=SOLVER_PROMPT + f" Use {style}.", tool_registry=tool_registry)
    for i, style in enumerate(styles, 1)
]
judge = AgentNode(name="judge", system_prompt="Pick the best answer.")
ensemble = EnsembleNode(name="vote", agents=solvers, strategy="majority_vote", consensus_agent=judge)
workflow = Workflow(name="vote")
workflow.add_node(ensemble)
"""
    + TAIL
)
REFLECT = (
    HEAD
    + r'''
question = r"""Find all $x$ with $\frac{x}{2} = 3$."""
reflection = ReflectionNode(name="reflect", agent=solver, critic_agent=critic, num_iterations=2)
mas = Workflow(name="reflection")
mas.add_node(reflection)
result = mas.run(question)
print(f"Answer: {result.content}")
'''
)
PIPELINE = (
    HEAD
    + r"""
import re


def build():
    flow = Workflow(name="pipeline")
    flow.add_node(AgentNode(name="planner", system_prompt="Plan the solution."))
    pair = [solver, ReflectionNode(name="inner", agent=solver, critic_agent=critic, num_iterations=1)]
    flow.add_node(EnsembleNode(name="pair", agents=pair, strategy="weighted_vote", weights=[1.0, 2.0]))
    flow.add_node(critic)
    return flow


def main():
    flow = build()
    result = flow.run(question)
    if result and hasattr(result, "content"):
        boxed = re.findall(r"\\boxed\{(.*)\}", result.content)
        print("Boxed:", boxed[-1] if boxed else "none")
    else:
        print("no result")


main()
"""
)
SHAPES = {
    "single": (SINGLE, "Solver"),
    "vote": (VOTE, "vote(solver_1, solver_2, solver_3, judge=judge)"),
    "reflect": (REFLECT, "reflect(Solver, Critic)"),
    "pipeline": (PIPELINE, "planner > weighted_vote(Solver, reflect(Solver, Critic)) > Critic"),
}


@pytest.fixture(scope="module")
def builder() -> Iterator[ScriptBuilder]:
    with ScriptBuilder(Limits()) as opened:
        yield opened


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(
    "form", ["{}", "<think>\nUse a team.\n</think>\n<code>\n```python\n{}\n```\n</code>", "```python\n{}\n```"]
)
def test_published_style(builder: ScriptBuilder, name: str, form: str) -> None:
    script, shape = SHAPES[name]
    design = builder.build(form.replace("{}", script), "What is 3+4?")
    assert (design.detail, design.kind) == ("", "static")
    assert design.graph is not None and design.graph.shape() == shape
    assert design.graph.asks == (r"Find all $x$ with $\frac{x}{2} = 3$." if name == "reflect" else None)


def test_prompts_reach_the_graph_as_python_reads_them(builder: ScriptBuilder) -> None:
    graph = builder.build(SINGLE, "What is 3+4?").graph
    assert graph is not None
    (solver,) = graph.nodes
    assert isinstance(solver, Agent)
    assert (solver.name, solver.max_turns) == ("Solver", 3)
    assert "\nprint(1 + 1)\n" in solver.instructions
    assert "\x08oxed{\x0crac{1}{2}}" in solver.instructions, "a string that is not raw keeps its escapes"
