"""Random graphs: the runtime keeps its promises whatever the responses are."""

import hashlib

from hypothesis import given, settings
from hypothesis import strategies as st

from mxspec.spec.rollout import Limits
from runners.mas.calls import CallRequest, CallResult, ExecutionResult
from runners.mas.graph import Agent, Ensemble, Graph, Node, Reflection
from runners.mas.runtime import execute
from runners.mas.shape import fewest_calls

AGENTS = st.builds(Agent, st.sampled_from(["solve", "check", "reduce"]))
STRATEGIES = st.sampled_from(["majority_vote", "weighted_vote", "consensus"])


def deeper(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    children = st.lists(nodes, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Ensemble, st.just("e"), children, STRATEGIES, st.just(()), st.none() | AGENTS),
        st.builds(Reflection, st.just("r"), nodes, nodes, st.integers(0, 2), st.booleans()),
    )


NODES: st.SearchStrategy[Node] = st.recursive(AGENTS, deeper, max_leaves=6)
GRAPHS = st.builds(Graph, st.just("g"), st.lists(NODES, min_size=1, max_size=3).map(tuple))
LIMITS = st.builds(Limits, calls=st.integers(1, 60), turns=st.integers(1, 6), tokens=st.integers(1, 200))
TEXTS = ("CORRECT", "INCORRECT", "1", "2", "\\boxed{1}", "", "FINAL ANSWER: 2")


def respond(request: CallRequest, salt: int) -> CallResult:
    """A response that is a function of everything that is asked."""
    drawn = hashlib.sha256(repr((request, salt)).encode()).digest()
    return CallResult(TEXTS[drawn[0] % len(TEXTS)], drawn[1] % 5, "stop")


def drive(graph: Graph, limits: Limits, salt: int) -> tuple[ExecutionResult, list[CallRequest], list[CallResult]]:
    running = execute(graph, "3+4", limits)
    requests: list[CallRequest] = []
    results: list[CallResult] = []
    try:
        wave = next(running)
        while True:
            assert wave, "a wave asks for something"
            made = tuple(respond(request, salt) for request in wave)
            requests += wave
            results += made
            wave = running.send(made)
    except StopIteration as end:
        return end.value, requests, results


@settings(max_examples=150, deadline=None)
@given(GRAPHS, LIMITS, st.integers(0, 3))
def test_every_execution_keeps_its_promises(graph: Graph, limits: Limits, salt: int) -> None:
    result, requests, results = drive(graph, limits, salt)
    assert [request.position for request in requests] == list(range(result.calls))
    assert result.tokens == sum(made.tokens for made in results)
    assert result.calls <= limits.calls
    assert all(request.turn < limits.turns for request in requests)
    assert {request.agent for request in requests} <= set(graph.agents())
    if result.verdict == "ok":
        assert result.tokens <= limits.tokens
        assert result.source is not None and result.answer == results[result.source].text
        assert result.calls >= sum(fewest_calls(node) for node in graph.nodes)
    else:
        assert result.verdict.startswith("limit:") and result.detail
        assert result.answer is None and result.source is None
    assert drive(graph, limits, salt) == (result, requests, results)
