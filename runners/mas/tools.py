"""Tools between two calls of an agent: how they are offered, asked for, and what comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runners.mas.graph import Tool

PYTHON = "python_execute"
"""The host's tool that runs a program."""
MOST_READ = 4000
"""Characters of a tool's result that an agent reads; the middle of a longer one is left out."""

_PROGRAM = re.compile(r"```(?:python|py)[ \t]*\n(.*?)\n?```", re.DOTALL)
_ENDED = re.compile(r"FINAL ANSWER|<solution>|\\boxed\{")
_ASKED = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)


class ToolUse(NamedTuple):
    """A tool that a response asks for."""

    tool: Tool
    arguments: Mapping[str, object]


def offered(instructions: str, tools: Sequence[Tool]) -> str:
    """An agent's instructions with its tools below them."""
    if not tools:
        return instructions
    lines = [f"- {tool.name}: {tool.description} Arguments: {tool.parameters}" for tool in tools]
    how = 'To use a tool, answer with <tool_call>{"name": "..", "arguments": {..}}</tool_call>; its result comes back.'
    return "\n".join([instructions, "", "Tools:", *lines, how]).strip()


def asked_for(response: str, tools: Sequence[Tool]) -> ToolUse | None:
    """The tool that a response uses; None where it uses none.

    A block of Python is a use of `python_execute` where the agent has that tool, unless the response gives its
    final answer, which may show a program.
    """
    named = {tool.name: tool for tool in tools}
    for text in _ASKED.findall(response):
        try:
            asked = json.loads(text)
        except (ValueError, RecursionError):  # no JSON, or nested deeper than any arguments are
            continue
        tool = named.get(str(asked.get("name"))) if isinstance(asked, dict) else None
        arguments = asked.get("arguments", {}) if tool is not None else {}
        if tool is not None and isinstance(arguments, dict):
            return ToolUse(tool, arguments)
    if PYTHON not in named or _ENDED.search(response):
        return None
    programs = _PROGRAM.findall(response)
    return ToolUse(named[PYTHON], {"code": programs[-1]}) if programs else None


def read_by_agent(tool: str, result: str) -> str:
    """What an agent reads of a tool's result."""
    text = result.strip()
    if len(text) > MOST_READ:
        half = MOST_READ // 2
        text = f"{text[:half]}\n...\n{text[-half:]}"
    return f"{tool} returned: {text}" if text else f"{tool} returned nothing"
