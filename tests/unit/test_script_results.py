"""A result merely reaches print, or the script is refused by name."""

import ast

import pytest

from runners.mas.check import check
from runners.mas.verdicts import RefusedError

HEAD = "from workflow import AgentNode, Workflow\nworkflow = Workflow()\nworkflow.add_node(AgentNode('a'))\n"
RUN = "result = workflow.run(question)\n"


@pytest.mark.parametrize(
    "lines",
    [
        "workflow.run(question)",
        RUN + "print(result.content)",
        RUN + "print(f'Answer: {result.content!r}', result, sep='')",
        RUN + "answer = result.content.strip()\nprint('A', answer[0])",
        RUN + "answer = str(result) if result is None else result.content\nanswer += '.'\nprint(answer)",
        RUN + "if hasattr(result, 'content'):\n    print(result.content)\nelif result:\n    pass\nelse:\n    print(1)",
        RUN + "if result:\n    text = result.content\nelse:\n    text = 'none'\nprint(text)",
        RUN + "print(getattr(result, 'content', ''))",
        "try:\n    result = workflow.run(question)\n    print(result.content)\nexcept Exception as e:\n    print(e)",
        "with_result = [1, 2]\nprint(workflow.run(question).content)",
        "text = workflow.run(question).content\nprint(text)",
    ],
)
def test_printing_is_no_use(lines: str) -> None:
    checked = check(HEAD + lines)
    assert not checked.uses_question
    assert "content" not in checked.code
    assert checked.code.count("workflow.run(question)") == 1


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (RUN + "if '5' in result.content:\n    workflow.run(question)", "decides more"),
        (RUN + "if '5' in result.content:\n    print(workflow.run(question))", "depends on a result"),
        (RUN + "while 'x' in result.content:\n    pass", "while"),
        (RUN + "for line in result.content:\n    print(line)", "loop"),
        (RUN + "assert result.content", "assert"),
        (RUN + "workflow.run(result.content)", "run on a result"),
        (RUN + "show(result)", "outside print"),
        (RUN + "print(show(result))", "passed to show"),
        (RUN + "found = [result]\nfound.append(result.content)", "outside print"),
        (RUN + "boxes = {}\nboxes['a'] = result", "structure"),
        (RUN + "first, second = result.content", "structure"),
        (RUN + "print((lambda: result)())", "lambda"),
        (RUN + "print(result.text)", "result.text"),
        (RUN + "match result:\n    case _:\n        workflow.run(question)", "match"),
        ("def ask():\n    return workflow.run(question)\nask()", "return"),
        ("run = workflow.run\nrun(question)", "without a call"),
        ("outs = [workflow.run(question) for _ in range(3)]", "skip or repeat"),
        ("out = workflow.run(question) if 1 else 2", "skip or repeat"),
        ("try:\n    result = workflow.run(question)\nexcept ValueError:\n    workflow.run(question)", "except block"),
        (RUN + "def f(x=result): pass", "function built"),
        (RUN + "def str(x): return workflow.run(question)\nprint(str(result))", "return"),
        (RUN + "print = show\nprint(result)", "passed to print"),
        (
            "class T:\n    def __str__(self):\n        workflow.run(question)\n        return ''\n"
            + RUN
            + "print(result, T())",
            "__str__",
        ),
        ("class X:\n    r = workflow.run(question)\nif X.r:\n    workflow.run('again')", "a result in a class body"),
        ("def f(print):\n    r = workflow.run(question)\n    print(r)\nf(show)", "passed to print"),
        ("from functools import partial as print\nr = workflow.run(question)\nprint(r)", "passed to print"),
        ("match workflow:\n    case Workflow(run=r):\n        r(question)", "captures run"),
    ],
)
def test_any_other_use_makes_a_script_dynamic(lines: str, names: str) -> None:
    try:
        checked = check(HEAD + "def show(x): return x\n" + lines)
    except RefusedError as refused:  # what no script may do
        assert (refused.verdict, names) == ("unsupported", "captures run")
        return
    assert names in checked.dynamic and "line" in checked.dynamic


def test_a_misspelt_name_in_a_print_is_still_looked_up() -> None:
    checked = check(HEAD + RUN + "print(f'{result.content} {reslut}')")
    names = {node.id for node in ast.walk(ast.parse(checked.code)) if isinstance(node, ast.Name)}
    assert {"result", "reslut"} <= names


@pytest.mark.parametrize(
    ("lines", "uses"),
    [
        ("workflow.run(question)", False),
        ("workflow.run('a literal')", False),
        ("workflow.run(question.strip())", True),
        ("question = 'x'\nworkflow.run(question)", True),
        ("print(question)\nworkflow.run(question)", True),
        ("def f(question):\n    workflow.run(question)\nf('x')", True),
    ],
)
def test_dependence_on_the_question(lines: str, uses: bool) -> None:
    assert check(HEAD + lines).uses_question is uses


def test_a_long_chain_of_assignments_is_followed() -> None:
    chain = "".join(f"x{i} = x{i + 1}\n" for i in range(3000))
    assert "outside print" in check(HEAD + "show = print\n" + RUN + "x3000 = result\n" + chain + "show(x0)\n").dynamic
