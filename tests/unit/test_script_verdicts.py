"""Every script gets a verdict and none touches the host."""

from collections.abc import Iterator

import pytest

from mxspec.spec.rollout import Limits
from runners.mas.build import Design, ScriptBuilder, build

API = (
    "from workflow import AgentNode, Workflow, ToolRegistry\n"
    "from workflow.nodes import EnsembleNode, ReflectionNode, DebateNode, RouterNode\n"
    "from workflow import AgentGraph, ConditionalWorkflow, LoopWorkflow\n"
    "from utils.environments.math_env import MathEnvironment\n"
    "import os, sys\n"
)
HEAD = API + 'workflow = Workflow(name="w")\nworkflow.add_node(AgentNode(name="solve"))\n'
TAIL = "result = workflow.run(question)\nprint(result.content)\n"


@pytest.fixture(scope="module")
def builder() -> Iterator[ScriptBuilder]:
    with ScriptBuilder(Limits()) as opened:
        yield opened


def within(builder: ScriptBuilder, lines: str) -> Design:
    return builder.build(HEAD + lines + "\n" + TAIL, "3+4")


@pytest.mark.parametrize(
    ("lines", "verdict", "names"),
    [
        ("while True: pass", "limit:time", "too long"),
        ("while True:\n    try:\n        while True: pass\n    except BaseException: pass", "limit:time", "too long"),
        ("def f(): return f()\nf()", "limit:recursion", ""),
        ("x = [0] * (10**9)", "limit:memory", ""),
        ("x = 9**9**9", "limit:memory", ""),
        ("print('x' * 1000000 * 50)", "limit:output", ""),
        ("open('/etc/passwd')", "forbidden", "open"),
        ("os.system('id')", "forbidden", "os.system"),
        ("print(os.environ)", "forbidden", "os.environ"),
        ("from os import system", "forbidden", "os"),
        ("import subprocess", "forbidden", "subprocess"),
        ("import socket", "forbidden", "socket"),
        ("().__class__.__bases__[0].__subclasses__()", "forbidden", "__"),
        ('"{0.__init__.__globals__}".format(workflow)', "forbidden", "format"),
        ("eval('1')", "forbidden", "eval"),
        ("run = exec", "forbidden", "exec"),
        ("__import__('os')", "forbidden", "__import__"),
        ("_mx_submit('w', [], '')", "forbidden", "_mx_submit"),
        ("getattr(workflow, 'run')(question)", "forbidden", "run"),
        ("getattr(workflow, 'r' + 'un')(question)", "unsupported", "getattr"),
        ("x = (", "syntax_error", "never closed"),
        ("def g():\n    yield 1", "unsupported", "yield"),
        ("class B(AgentNode): pass", "unsupported", "inheritance"),
        ("import numpy", "unsupported", "numpy"),
        ("sys.exit(0)", "no_run", "never called"),
        ("DebateNode(name='d')", "runtime_error", "debaters"),
        ("DebateNode('d', [AgentNode('a')], num_rounds=0)", "runtime_error", "num_rounds must be 1 or more"),
        ("RouterNode('r', {'a': AgentNode('a')}, lambda c: 'a')", "runtime_error", "no route 'default'"),
        ("RouterNode('r', {'default': AgentNode('a')}, 'a')", "runtime_error", "must be a function"),
        ("AgentGraph().run(question)", "runtime_error", "no entry point"),
        ("AgentGraph().add_edge('a', 'b')", "runtime_error", "no node 'a'"),
        ("LoopWorkflow('l', max_iterations=0)", "runtime_error", "max_iterations must be 1 or more"),
        ("r = ToolRegistry(); r.register('t', 5)", "runtime_error", "must be a function"),
        (
            "r = ToolRegistry(); r.register('search'); workflow.add_node(AgentNode('s', '', r))",
            "unsupported",
            "'search'",
        ),
        ("def _mx_size(owner, nodes): return (1, 1)", "forbidden", "_mx"),
        ("class _mx_node: pass", "forbidden", "_mx"),
        ("import math as _mx_size", "forbidden", "_mx"),
        ("f = lambda _mx_size: 1", "forbidden", "_mx"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as _mx_size:\n    pass", "forbidden", "_mx"),
        ("match 1:\n    case _mx_size: pass", "forbidden", "_mx"),
        ("match {}:\n    case {**_mx_size}: pass", "forbidden", "_mx"),
        ("def f():\n    global _mx_size", "forbidden", "_mx"),
        ("EnsembleNode('e', [AgentNode('a')], 'majority')", "runtime_error", "there are majority_vote"),
        ("workflow.add_edge('a', 'b')", "unsupported", "add_edge"),
        ("ReflectionNode('r', AgentNode('a'), critic_prompt='hm')", "unsupported", "critic_prompt"),
        ("for _ in range(3): workflow.add_node(None)", "runtime_error", "not a node"),
        ("AgentNode(name=5)", "runtime_error", "name"),
        ("AgentNode(name='a', temperature=1)", "runtime_error", "temperature"),
        ("from workflow import Agent", "runtime_error", "Agent"),
        ("1 / 0", "runtime_error", "ZeroDivisionError"),
        ("x = EnsembleNode('e', [AgentNode(str(i)) for i in range(500)])", "limit:agents", "500"),
        ("for _ in range(2000): workflow.add_node(AgentNode('a'))", "limit:agents", "64"),
        ("for _ in range(50): workflow.add_node(AgentNode('a'))", "limit:calls", "51"),
        ("x = AgentNode('a')\nfor _ in range(100): x = EnsembleNode('e', [x])", "limit:nesting", "17"),
        ("x = AgentNode('a')\nfor _ in range(100): x = EnsembleNode('e', [x, x])", "limit:agents", "128"),
        ("x = " + "-" * 50_000 + "1", "limit:nesting", ""),
        ("x = '" + "y" * 200_000 + "'", "limit:script", ""),
    ],
)
def test_a_bad_script_has_a_verdict(builder: ScriptBuilder, lines: str, verdict: str, names: str) -> None:
    design = within(builder, lines)
    assert (design.design_verdict, design.graph, design.kind, design.agents) == (verdict, None, None, 0)
    assert names in design.detail
    assert within(builder, "pass").design_verdict == "ok"


@pytest.mark.parametrize(
    "lines",
    [
        "import time\nfor _ in range(1000): time.sleep(100)",
        "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
        "sys.path.append(os.path.dirname(os.path.abspath(__file__)))",
        "tools = ToolRegistry()\nenv = MathEnvironment()\nAgentNode('a', 'You solve.', tools, max_turns=3)",
        "from typing import List\nnames: List[str] = ['a']",
        "x = 'a \\d latex \\frac{1}{2}'",
    ],
)
def test_harmless_lines_change_nothing(builder: ScriptBuilder, lines: str) -> None:
    design = within(builder, lines)
    assert (design.design_verdict, design.detail) == ("ok", "")
    assert design.graph is not None and design.graph.shape() == "solve"


@pytest.mark.parametrize(
    ("script", "verdict"),
    [
        (HEAD + "print('5')\n", "no_run"),
        (API + "w = Workflow()\nw.run(question)\n", "no_run"),
        ("no script here", "no_script"),
        (HEAD + "if False:\n    workflow.run(question)\n", "no_run"),
    ],
)
def test_a_script_that_runs_nothing(builder: ScriptBuilder, script: str, verdict: str) -> None:
    assert builder.build(script, "3+4").design_verdict == verdict


@pytest.mark.parametrize(
    "script",
    [
        HEAD.replace("workflow =", "wf =").replace("workflow.add", "wf.add")
        + "out = wf.run(question)\nprint(out.content)\n",
        HEAD
        + "def main():\n    r = workflow.run(question)\n    print(r.content)\nif __name__ == '__main__':\n    main()\n",
        (HEAD + TAIL).replace("\n", "\r\n"),
        HEAD + "async def main():\n    print(workflow.run(question).content)\nimport asyncio\nasyncio.run(main())\n",
        "from workflow import AgentNode as A, Workflow as W\nw = W()\nw.add_node(A('solve'))\nw.run(question)\n",
        "from workflow import *\nw = Workflow()\nw.add_node(AgentNode('solve'))\nw.run(question)\n",
    ],
)
def test_other_ways_to_write_the_same(builder: ScriptBuilder, script: str) -> None:
    design = builder.build(script, "3+4")
    assert (design.detail, design.agents) == ("", 1)
    assert design.graph is not None and design.graph.asks is None and design.graph.agents() == ("solve",)


def test_names_may_repeat_and_be_in_any_script(builder: ScriptBuilder) -> None:
    design = within(builder, "workflow.add_node(AgentNode('解く'))\nworkflow.add_node(AgentNode('解く'))")
    assert design.graph is not None and design.graph.agents() == ("solve", "解く", "解く")


def test_a_question_of_its_own_is_what_is_asked(builder: ScriptBuilder) -> None:
    design = builder.build(HEAD + "question = 'What?'\n" + TAIL, "3+4")
    assert design.graph is not None and design.graph.asks == "What?"
    rephrased = builder.build(HEAD + "workflow.run(question + '!')\n", "3+4")
    assert rephrased.graph is not None and rephrased.graph.asks == "3+4!"
    again = builder.build(HEAD + "workflow.run(question + '!')\n", "1+1")
    assert again.graph is not None and again.graph.asks == "1+1!"


def test_a_literal_that_equals_the_question_stays_a_literal(builder: ScriptBuilder) -> None:
    script = HEAD + "workflow.run('3+4')\n"
    graphs = [builder.build(script, question).graph for question in ("3+4", "1+1")]
    assert [graph and graph.asks for graph in graphs] == ["3+4", "3+4"]


def test_a_run_of_its_own_sees_the_question(builder: ScriptBuilder) -> None:
    script = (
        HEAD + "class Mine:\n    def run(self, q):\n        for _ in range(len(q)): workflow.add_node(AgentNode('a'))\n"
        "Mine().run(question)\n" + TAIL
    )
    assert [builder.build(script, question).agents for question in ("3+4", "3+4+1")] == [4, 6]


def test_clock_and_random_stand_still(builder: ScriptBuilder) -> None:
    script = HEAD + (
        "import datetime, random, time\n"
        "workflow.add_node(AgentNode(f'{datetime.datetime.now()} {time.time()} {random.random()}'))\n"
    )
    first = builder.build(script + TAIL, "3+4").graph
    second = builder.build(script + "\n# again\n" + TAIL, "3+4").graph
    assert first is not None and first == second


def test_scripts_do_not_share_state(builder: ScriptBuilder) -> None:
    within(builder, "AgentNode = None\nleft_behind = 1")
    assert "left_behind" in within(builder, "print(left_behind)").detail


def test_equal_scripts_share_a_graph(builder: ScriptBuilder) -> None:
    first, second = (builder.build(HEAD + TAIL, question) for question in ("3+4", "1+1"))
    assert first is second
    assert first.script_hash == builder.build(f"```python\n{HEAD}{TAIL}```", "0+0").script_hash


def test_limits_decide(builder: ScriptBuilder) -> None:
    lines = HEAD + "for _ in range(3): workflow.add_node(AgentNode('a'))\n" + TAIL
    assert build(lines, "3+4", Limits()).design_verdict == "ok"
    assert build(lines, "3+4", Limits(agents=3)).design_verdict == "limit:agents"
    assert build(lines, "3+4", Limits(calls=3)).design_verdict == "limit:calls"


def test_a_closed_builder_opens_again() -> None:
    builder = ScriptBuilder(Limits())
    builder.build(HEAD + TAIL, "3+4")
    builder.close()
    assert builder.build(HEAD + "x = 1\n" + TAIL, "3+4").design_verdict == "ok"
    builder.close()
