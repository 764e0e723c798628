"""Any text gets a verdict, and a script that builds a graph gives back that graph."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mxspec.spec.rollout import Limits
from runners.mas.build import ScriptBuilder
from runners.mas.graph import Agent, Ensemble, Graph, Node, Reflection

IMPORTS = "from workflow import AgentNode, Workflow\nfrom workflow.nodes import EnsembleNode, ReflectionNode\n"
TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
NAMES = TEXT.filter(lambda name: bool(name.strip()))
AGENTS = st.builds(Agent, NAMES, TEXT, st.integers(0, 20))


def deeper(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    children = st.lists(nodes, min_size=1, max_size=3).map(tuple)
    strategies = st.sampled_from(["majority_vote", "consensus"])
    return st.one_of(
        st.builds(Ensemble, NAMES, children, strategies, st.just(()), st.none() | AGENTS),
        st.builds(Reflection, NAMES, nodes, nodes, st.integers(0, 3), st.booleans()),
    )


NODES: st.SearchStrategy[Node] = st.recursive(AGENTS, deeper, max_leaves=5)
GRAPHS = st.builds(Graph, TEXT, st.lists(NODES, min_size=1, max_size=3).map(tuple))


def written(node: Node) -> str:
    if isinstance(node, Agent):
        return f"AgentNode(name={node.name!r}, system_prompt={node.instructions!r}, max_turns={node.max_turns})"
    if isinstance(node, Reflection):
        return (
            f"ReflectionNode({node.name!r}, {written(node.agent)}, {written(node.critic)}, "
            f"num_iterations={node.rounds}, include_history={node.include_history})"
        )
    judge = written(node.judge) if node.judge else "None"
    children = ", ".join(map(written, node.children))
    return f"EnsembleNode({node.name!r}, [{children}], strategy={node.strategy!r}, consensus_agent={judge})"


@pytest.fixture(scope="module")
def builder() -> Iterator[ScriptBuilder]:
    with ScriptBuilder(Limits(calls=1000)) as opened:
        yield opened


@settings(max_examples=40, deadline=None)
@given(graph=GRAPHS)
def test_a_graph_survives_its_script(builder: ScriptBuilder, graph: Graph) -> None:
    added = "".join(f"w.add_node({written(node)})\n" for node in graph.nodes)
    script = f"{IMPORTS}w = Workflow({graph.name!r})\n{added}print(w.run(question).content)\n"
    design = builder.build(f"```python\n{script}```" if "```" not in script else script, "3+4")
    assert (design.detail, design.graph) == ("", graph)
    assert design.agents == len(graph.agents())


@settings(max_examples=40, deadline=None)
@given(text=st.text(max_size=200), prefix=st.sampled_from(["", IMPORTS, IMPORTS + "w = Workflow()\n", "```python\n"]))
def test_any_text_has_a_verdict(builder: ScriptBuilder, text: str, prefix: str) -> None:
    design = builder.build(prefix + text, "3+4")
    assert design.design_verdict != "ok"
    assert design.detail and design.graph is None
