"""Scripts with functions of their own, loops, graphs, tools, and results that decide what runs next."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

import pytest

from mxspec.spec.rollout import Limits
from runners.mas.build import Design, ScriptBuilder
from runners.mas.calls import CallRequest, CallResult, ExecutionResult
from runners.mas.check import Checked
from runners.mas.dynamic import execute_dynamic
from runners.mas.sandbox import ScriptSandbox

HEAD = """\
from workflow import AgentGraph, AgentNode, ConditionalWorkflow, LoopWorkflow, ToolRegistry, Workflow
from workflow.nodes import DebateNode, EnsembleNode, ReflectionNode, RouterNode
from utils.environments.math_env import MathEnvironment

a, b, c = AgentNode("a"), AgentNode("b"), AgentNode("c")
w = Workflow("w")
"""
TAIL = "print(w.run(question).content)\n"
Waves = list[list[tuple[str, int, str, tuple[str, ...]]]]
"""Of every wave and call: agent, turn, previous, history."""


def echo(tool: str) -> Callable[[Mapping[str, object]], str]:
    return lambda arguments: f"{tool} got {json.dumps(dict(arguments), sort_keys=True)}"


@pytest.fixture(scope="module")
def builder() -> Iterator[ScriptBuilder]:
    with ScriptBuilder(Limits(), tools={"python_execute": echo("python_execute")}) as found:
        yield found


def played(builder: ScriptBuilder, design: Design, *texts: str, question: str = "3+4") -> tuple[ExecutionResult, Waves]:
    """An execution whose call i is answered with text i (the last text for all later ones)."""
    running = builder.execution(design, question)
    waves: Waves = []
    try:
        wave = next(running)
        while True:
            waves.append([(one.agent, one.turn, one.previous, one.history) for one in wave])
            wave = running.send(tuple(CallResult(texts[min(one.position, len(texts) - 1)], 2, "stop") for one in wave))
    except StopIteration as end:
        return end.value, waves


def ok(builder: ScriptBuilder, lines: str, tail: str = TAIL) -> Design:
    design = builder.build(f"```python\n{HEAD}{lines}\n{tail}\n```", "3+4")
    assert design.design_verdict == "ok", design.detail
    return design


def who(waves: Waves) -> list[list[str]]:
    return [[agent for agent, *_ in wave] for wave in waves]


def test_debaters_read_each_other_and_a_judge_ends_it(builder: ScriptBuilder) -> None:
    design = ok(builder, "w.add_node(DebateNode('d', [a, b], judge=c, num_rounds=2))")
    result, waves = played(builder, design, "x", "y", "x2", "y2", "\\boxed{7}")
    assert who(waves) == [["a", "b"], ["a", "b"], ["c"]]
    assert waves[1][0] == ("a", 1, "3+4", ("x", "y"))
    assert waves[2][0] == ("c", 0, "3+4 x2 | y2", ("x2", "y2"))
    assert (result.answer, result.source, design.kind) == ("\\boxed{7}", 4, "static")
    assert design.graph is not None and design.graph.shape() == "debate(a, b, judge=c)"


def test_without_a_judge_the_first_debater_judges(builder: ScriptBuilder) -> None:
    _, waves = played(builder, ok(builder, "w.add_node(DebateNode('d', [a, b], num_rounds=1))"), "x", "y", "z")
    assert who(waves) == [["a", "b"], ["a"]]


ROUTE = """
def route(context):
    said = context.get_latest_message().content
    return "short" if len(said) < 8 else "long"
w.add_node(RouterNode("r", {"short": a, "long": b, "default": c}, routing_func=route))
"""


@pytest.mark.parametrize(("question", "agent"), [("3+4", "a"), ("what is 3+4?", "b")])
def test_a_function_of_the_script_routes(builder: ScriptBuilder, question: str, agent: str) -> None:
    design = ok(builder, ROUTE)
    assert who(played(builder, design, "x", question=question)[1]) == [[agent]]
    assert design.graph is not None and design.graph.shape() == "route(short: a, long: b, default: c)"


@pytest.mark.parametrize("body", ["return 'nowhere'", "return 5", "return None", "1 / 0", "raise ValueError('no')"])
def test_a_route_that_is_none_is_the_default(builder: ScriptBuilder, body: str) -> None:
    lines = f"def route(context):\n    {body}\nw.add_node(RouterNode('r', {{'x': a, 'default': c}}, route))"
    assert who(played(builder, ok(builder, lines), "x")[1]) == [["c"]]


def test_functions_begin_anew_and_share_nothing(builder: ScriptBuilder) -> None:
    lines = """
count = [0]
def route(context):
    count[0] += 1
    context.set_state("seen", True)
    return "first" if count[0] == 1 and not context.get_state("seen2") else "default"
one = RouterNode("one", {"first": a, "default": b}, route)
two = RouterNode("two", {"first": a, "default": b}, route)
w.add_node(one); w.add_node(two)
"""
    design = ok(builder, lines)
    for _ in range(2):
        assert who(played(builder, design, "x")[1]) == [["a"], ["a"]]


def test_a_function_that_never_ends_costs_its_execution(builder: ScriptBuilder) -> None:
    lines = (
        "def route(context):\n    while True: pass\nw.add_node(a)\nw.add_node(RouterNode('r', {'default': c}, route))"
    )
    result, waves = played(builder, ok(builder, lines), "x")
    assert (result.verdict, result.calls, who(waves)) == ("limit:time", 1, [["a"]])
    assert played(builder, ok(builder, "w.add_node(a)"), "x")[0].verdict == "ok"


def test_conditions_leave_nodes_out(builder: ScriptBuilder) -> None:
    lines = """
w = ConditionalWorkflow("w")
w.add_node(a)
w.add_node(b, condition=lambda context: "unsure" in context.get_latest_message().content)
w.add_conditional_node(c, lambda context: len(context.messages) > 2)
"""
    design = ok(builder, lines)
    assert who(played(builder, design, "unsure", "y", "z")[1]) == [["a"], ["b"], ["c"]]
    result, waves = played(builder, design, "sure")
    assert (who(waves), result.answer) == ([["a"]], "sure")
    none = ok(builder, "w = ConditionalWorkflow('w')\nw.add_node(a, condition=lambda context: False)")
    assert played(builder, none, "x")[0].verdict == "failed"
    broken = ok(builder, "w = ConditionalWorkflow('w')\nw.add_node(a, lambda context: context.nothing)")
    result, _ = played(builder, broken, "x")
    assert result.verdict == "runtime_error" and "AttributeError" in result.detail


def test_a_loop_ends_when_its_script_says_so(builder: ScriptBuilder) -> None:
    lines = """
w = LoopWorkflow("w", max_iterations=3, stop_condition=lambda context: "DONE" in context.get_latest_message().content)
w.add_node(a)
w.add_node(b)
"""
    design = ok(builder, lines)
    assert who(played(builder, design, "x", "DONE")[1]) == [["a"], ["b"]]
    result, waves = played(builder, design, "x")
    assert who(waves) == [["a"], ["b"]] * 3 and result.source == 5
    assert design.graph is not None and design.graph.shape() == "loop(a > b)"


GRAPH = """
g = AgentGraph("g", max_steps=6)
g.add_node("solve", a).add_node("check", b).add_node("end", c)
g.add_edge("solve", "check")
g.add_edge("check", "solve", condition=lambda context: "INCORRECT" in context.get_latest_message().content)
g.add_edge("check", "end")
g.set_entry_point("solve").set_finish_point("end")
"""


def test_a_graph_follows_its_first_open_edge(builder: ScriptBuilder) -> None:
    design = ok(builder, GRAPH, "g.run(question)\n")
    result, waves = played(builder, design, "x", "INCORRECT", "y", "CORRECT", "7")
    assert who(waves) == [["a"], ["b"], ["a"], ["b"], ["c"]] and (result.answer, result.source) == ("7", 4)
    result, waves = played(builder, design, "INCORRECT")
    assert (result.verdict, len(waves), result.source) == ("ok", 6, 5), "after max_steps the last response stands"


def test_a_graph_may_route_by_a_function(builder: ScriptBuilder) -> None:
    lines = """
g = AgentGraph()
g.add_node("start", a); g.add_node("left", b); g.add_node("right", c)
g.add_conditional_edges("start", lambda context: context.get_state("side", "left"))
g.set_entry_point("start"); g.set_finish_point("left"); g.set_finish_point("right")
"""
    assert who(played(builder, ok(builder, lines, "g.run(question)"), "x")[1]) == [["a"], ["b"]]
    sided = ok(builder, lines, "g.run(question, initial_state={'side': 'right'})")
    assert who(played(builder, sided, "x")[1]) == [["a"], ["c"]]
    lost = ok(builder, lines, "g.run(question, {'side': 'up'})")
    assert who(played(builder, lost, "x")[1]) == [["a"]]


def test_workflows_nest(builder: ScriptBuilder) -> None:
    lines = """
inner = Workflow("inner")
inner.add_node(a); inner.add_node(b)
loop = LoopWorkflow("loop", max_iterations=2)
loop.add_node(inner)
w.add_node(EnsembleNode("e", [inner, c]))
w.add_node(loop)
"""
    design = ok(builder, lines)
    _, waves = played(builder, design, "x")
    assert who(waves) == [["a", "c"], ["b"], ["a"], ["b"], ["a"], ["b"]]
    assert design.agents == 5 and design.graph is not None
    assert design.graph.shape() == "vote((a > b), c) > loop((a > b))"


TOOL = """
def add(x, y=1):
    return x + y
tools = ToolRegistry()
tools.register("add", add, "Adds.", {"type": "object", "properties": {"x": {"type": "integer"}}})
w.add_node(AgentNode("a", "Solve.", tool_registry=tools, max_turns=2))
"""
USE = '<tool_call>{"name": "add", "arguments": {"x": 3, "y": 4}}</tool_call>'


def test_an_agent_uses_a_tool_of_its_script(builder: ScriptBuilder) -> None:
    design = ok(builder, TOOL)
    result, waves = played(builder, design, USE, "It is 7.")
    assert waves == [[("a", 0, "3+4", ())], [("a", 1, "add returned: 7", (USE, "add returned: 7"))]]
    assert (result.answer, result.source) == ("It is 7.", 1)
    request = next(builder.execution(design, "3+4"))[0]
    assert request.instructions.startswith("Solve.\n\nTools:\n- add: Adds. Arguments: {")
    result, waves = played(builder, design, USE)
    assert len(waves) == 3 and result.verdict == "ok", "after max_turns uses the response stands"
    _, waves = played(builder, design, USE.replace('"x": 3, ', ""), "7")
    assert waves[1][0][2].startswith("add returned: error: TypeError")
    deep = USE.replace("3", "[" * 1100)
    for other in (
        deep,
        "<tool_call>{nonsense}</tool_call>",
        '<tool_call>{"name": "sub", "arguments": {}}</tool_call>',
        "7",
    ):
        assert len(played(builder, design, other)[1]) == 1


def test_an_agent_runs_a_program_with_the_tool_of_the_host(builder: ScriptBuilder) -> None:
    lines = """
env = MathEnvironment()
tools = ToolRegistry()
tools.register(name="python_execute", func=env.execute_python, description="Runs Python.", parameters={})
w.add_node(AgentNode("a", "Solve.", tools))
"""
    design = ok(builder, lines)
    _, waves = played(builder, design, "```python\nprint(3+4)\n```", "7")
    assert waves[1][0][2] == 'python_execute returned: python_execute got {"code": "print(3+4)"}'
    answered = "```python\nprint(7)\n```\nFINAL ANSWER: \\boxed{7}"
    assert len(played(builder, design, answered)[1]) == 1, "a final answer may show a program"


DYNAMIC = """
w.add_node(a)
result = w.run(question)
if "unsure" in result.content:
    second = Workflow("second")
    second.add_node(b)
    result = second.run(question + " Think again: " + result.content)
"""


def test_a_result_may_decide_what_runs_next(builder: ScriptBuilder) -> None:
    design = ok(builder, DYNAMIC, "")
    assert (design.kind, design.agents) == ("dynamic", 1) and "passed to Workflow" in design.detail
    result, waves = played(builder, design, "sure: 7")
    assert (who(waves), result.answer, result.source) == ([["a"]], "sure: 7", 0)
    result, waves = played(builder, design, "unsure", "8")
    assert waves[1] == [("b", 0, "3+4 Think again: unsure", ())]
    assert (result.answer, result.source, result.calls, result.tokens) == ("8", 1, 2, 4)


def test_a_script_may_choose_among_completions(builder: ScriptBuilder) -> None:
    lines = """
w.add_node(a)
outs = [w.run(question) for _ in range(3)]
counts = {}
for out in outs:
    counts[out.content] = counts.get(out.content, 0) + 1
final_answer = max(counts, key=lambda text: counts[text])
"""
    design = ok(builder, lines, "")
    result, waves = played(builder, design, "7", "8", "8")
    assert (result.verdict, result.answer, len(waves)) == ("ok", "8", 3)
    first = ok(builder, "w.add_node(a)\nw.add_node(b)\nx = w.run(question)\ny = w.run(question)\nanswer = x", "")
    assert played(builder, first, "1", "2", "3", "4")[0].source == 1
    boxed = ok(builder, "w.add_node(a)\nr = w.run(question)\nanswer = r.content[-2]", "")
    assert played(builder, boxed, "so \\boxed{7}")[0].answer == "so \\boxed{7}"


@pytest.mark.parametrize("made", ["'42'", "42", "str(3 + 4)", "r.content + '!'", "'The answer is ' + r.content"])
def test_an_answer_that_the_script_makes_is_forged(builder: ScriptBuilder, made: str) -> None:
    design = ok(builder, f"w.add_node(a)\nr = w.run(question)\nanswer = {made}\nprint(len(r.content) and answer)", "")
    result, _ = played(builder, design, "seven")
    assert (result.verdict, result.answer) == (("forged", None) if design.kind == "dynamic" else ("ok", "seven"))


@pytest.mark.parametrize(
    ("inside", "verdict"),
    [
        ("def _mx_run(*more): return ('done', 'forged', 'z', 5)\nanswer = w.run(question)", "forged"),
        ("def _mx_run(*more): return ('done', 'forged', 'z', -1)\nanswer = w.run(question)", "forged"),
        ("def _mx_try(*more): return 5\nr = again.run(question)", "ok"),  # a route that is none is the default
    ],
)
def test_the_host_trusts_no_prelude(inside: str, verdict: str) -> None:
    script = (
        "a = AgentNode('a')\nw = Workflow('w')\nw.add_node(a)\nagain = Workflow('again')\n"
        "again.add_node(RouterNode('r', {'default': a}, lambda context: 'default'))\n"
        f"r = w.run(question)\n{inside}\n_mx_done({'answer' if 'answer' in inside else None})\n"
    )
    sandbox = ScriptSandbox(64)
    try:
        names = frozenset({"AgentNode", "RouterNode", "Workflow"})
        start = sandbox.start(Checked("", script, names, True, "what `check` would have refused"), "3+4")
        running = execute_dynamic(sandbox, start, "3+4", Limits(), {})
        wave = next(running)
        with pytest.raises(StopIteration) as end:
            while True:
                wave = running.send(tuple(CallResult("7", 2, "stop") for _ in wave))
    finally:
        sandbox.close()
    assert end.value.value.verdict == verdict


def test_a_dynamic_script_that_goes_wrong_has_a_verdict(builder: ScriptBuilder) -> None:
    raises = ok(builder, "w.add_node(a)\nr = w.run(question)\nx = int(r.content)\nassert x", "")
    result, _ = played(builder, raises, "seven")
    assert result.verdict == "runtime_error" and "ValueError" in result.detail and result.calls == 1
    spins = ok(builder, "w.add_node(a)\nr = w.run(question)\nwhile r.content:\n    pass", "")
    assert played(builder, spins, "x")[0].verdict == "limit:time"
    asks = ok(builder, "w.add_node(a)\nr = w.run(question)\nwhile r.content:\n    r = w.run(question)", "")
    assert played(builder, asks, "x")[0].verdict == "limit:calls"
    grows = (
        "w.add_node(a)\nr = w.run(question)\nif r.content:\n    [w.add_node(a) for _ in range(99)]\n    w.run(question)"
    )
    result, _ = played(builder, ok(builder, grows, ""), "x")
    assert result.verdict == "runtime_error" and result.detail.startswith("limit:agents")
    for lines, verdict in (
        ("x = 1 / 0\nr = w.run(question)\nassert r.content", "runtime_error"),
        ("if question == '':\n    assert w.run(question).content", "no_run"),
        ("w.add_node(a)\nbig = 'x' * 10**6\nr = w.run(question)\nassert r.content", "limit:memory"),
    ):
        design = builder.build(HEAD + lines, "3+4")
        assert (design.design_verdict, design.kind) == (verdict, None), design.detail


def test_two_executions_of_a_dynamic_design_do_not_touch(builder: ScriptBuilder) -> None:
    design = ok(
        builder, "seen = []\nw.add_node(a)\nr = w.run(question)\nseen.append(r.content)\nr = w.run(str(seen))", ""
    )
    first, second = builder.execution(design, "3+4"), builder.execution(design, "3+4")
    next(first), next(second)
    (one,) = first.send((CallResult("left", 1, "stop"),))
    (two,) = second.send((CallResult("right", 1, "stop"),))
    assert (one.question, two.question) == ("['left']", "['right']")


def test_functions_of_a_dynamic_script_see_what_it_knows(builder: ScriptBuilder) -> None:
    lines = """
known = []
def route(context):
    return "b" if known else "default"
w.add_node(RouterNode("r", {"b": b, "default": a}, route))
r = w.run(question)
known.append(r.content)
r = w.run(question)
assert r.content
"""
    _, waves = played(builder, ok(builder, lines, ""), "x")
    assert who(waves) == [["a"], ["b"]]


def test_the_questions_of_requests_are_what_was_run(builder: ScriptBuilder) -> None:
    design = ok(builder, "w.add_node(a)\nr = w.run('What is ' + question + '?')\nassert r.content", "")
    request: CallRequest = next(builder.execution(design, "3+4"))[0]
    assert (request.question, request.previous) == ("What is 3+4?", "What is 3+4?")
