import pytest

from runners.mas.extract import extract

SCRIPT = 'from workflow import AgentNode, Workflow\nw = Workflow("w")\nw.add_node(AgentNode("a"))\nw.run(question)\n'


@pytest.mark.parametrize(
    "text",
    [
        SCRIPT,
        SCRIPT.rstrip("\n"),
        f"Here it is:\n```python\n{SCRIPT}```\nGood luck!",
        f"```\n{SCRIPT}```",
        f"<code>\n```python\n{SCRIPT}```\n</code>",
        f"<code>{SCRIPT}</code>",
        f"<think>```python\nfrom workflow import Wrong\n```</think>\n{SCRIPT}",
        f"from workflow import Wrong, thought </think>\n{SCRIPT}",
        f"```python\nfrom workflow import Old\n```\nBetter:\n```python\n{SCRIPT}```",
        f"```text\nnot this\n```\n```python\n{SCRIPT}```\n```text\nnor this\n```",
        f"<code>old</code> no: <code>{SCRIPT}</code>",
        SCRIPT.replace("\n", "\r\n"),
        f"A plan.\n\n{SCRIPT}\nWait, this could be better.",
        f"{SCRIPT}\nThis is not; Python at all (",
        "\n".join("    " + line for line in SCRIPT.splitlines()),
    ],
)
def test_one_script_in_many_clothes(text: str) -> None:
    assert extract(text) == SCRIPT


@pytest.mark.parametrize(
    "text", ["", "hello", "print(1)", "<think>" + SCRIPT, "```python\n```", "workflow = Workflow()"]
)
def test_no_script(text: str) -> None:
    assert extract(text) is None


def test_leading_imports_and_comments_belong_to_a_raw_script() -> None:
    assert extract("Sure!\n# solve it\nimport random\n\n" + SCRIPT) == "# solve it\nimport random\n\n" + SCRIPT


def test_a_fence_inside_a_prompt_does_not_end_the_script() -> None:
    prompt = '"""Write code:\n```python\nprint(1)\n```\n"""'
    script = f'from workflow import AgentNode\nAgentNode("a", {prompt})\n'
    assert extract(script) == script
    assert extract(f"Here:\n```python\n{script}```\n") == script
    assert extract(f"<code>\n```python\n{script}```\n</code>") == script


def test_a_broken_raw_script_is_still_a_script() -> None:
    broken = SCRIPT.replace("w.run(question)", "w.run(question")
    assert extract(broken) == broken


def test_long_texts_stay_quick_to_read() -> None:
    assert extract("```\n" * 20_000) is None
    assert extract(("from workflow import AgentNode\n" + "x = (\n") * 5_000) is not None


def test_tags_inside_a_prompt_are_text() -> None:
    script = 'from workflow import AgentNode\nAgentNode("a", "Think in <think></think>, answer in <code>x</code>.")\n'
    assert extract(script) == script


def test_a_fence_that_is_no_script_gives_way_to_one_that_is() -> None:
    assert extract(f"```\na plan\n```\n{SCRIPT}") == SCRIPT
    assert extract(f"<code>x</code>\n```python\n{SCRIPT}```") == SCRIPT
    assert extract("```python\nprint(1)\n```") == "print(1)\n"
