"""From a model's text to the script in it.

The order is that of MetaAgent-X's published format: `<code>` tags, the last
```python fence, the last fence of any kind, raw text that is a script. What
stands in `<think>` is thought, never a script.
"""

from __future__ import annotations

import ast
import re
import textwrap

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_CODE = re.compile(r"<code>(.*?)</code>", re.DOTALL)
_PYTHON_FENCE = re.compile(r"^[ \t]*```(?:python|py|python3)[ \t]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE | re.I)
_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)
_RAW_START = re.compile(r"^[ \t]*(?:from[ \t]+workflow\b|import[ \t]+workflow\b|from[ \t]+utils\.)", re.MULTILINE)
_PROSE = re.compile(r"[A-Z][a-z']+[,.:;!?]?[ ]+[a-z'A-Z][^=(\[]*$")
_CUT_LINES = 60
_LONG = 50_000


def extract(text: str) -> str | None:
    r"""The script in a model's text, or None where there is none.

    Line ends become `\n`, common indentation goes. Of several blocks of the same
    kind the last one counts. Of raw text the script begins at the first import of
    the workflow API; lines of prose after its last `run(` are cut off.

    Args:
        text: The whole response.

    Returns:
        The script (which need not be valid Python), or None.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _without_thought(text)
    tagged = _CODE.findall(text)
    if tagged:
        inner = tagged[-1]
        fenced = _fenced(inner)
        return _tidy(inner if fenced is None else fenced)
    fenced = _fenced(text)
    if fenced is not None:
        return _tidy(fenced)
    start = _RAW_START.search(text)
    return _tidy(_without_prose(text[start.start() :])) if start else None


def _without_thought(text: str) -> str:
    text = _THOUGHT.sub("", text)
    text = text.rsplit("</think>", 1)[-1]
    return text.split("<think>", 1)[0]


def _fenced(text: str) -> str | None:
    text = text if text.endswith("\n") else text + "\n"
    for pattern in (_PYTHON_FENCE, _FENCE):
        found: list[str] = pattern.findall(text)
        if found:
            return found[-1]
    return None


def _tidy(script: str) -> str | None:
    script = textwrap.dedent(script.strip("\n")).rstrip()
    return script + "\n" if script else None


def _without_prose(script: str) -> str:
    """Cuts what follows the last `run(`: from a line of prose on, and lines while the rest is no Python."""
    lines = script.split("\n")
    runs = [i for i, line in enumerate(lines) if ".run(" in line]
    for i in range(runs[-1] + 1 if runs else len(lines), len(lines)):
        if _PROSE.match(lines[i]):
            lines = lines[:i]
            script = "\n".join(lines)
            break
    if len(script) > _LONG or _parses(script):
        return script
    first = max(runs[-1] + 1 if runs else len(lines), len(lines) - _CUT_LINES)
    for end in range(len(lines) - 1, first - 1, -1):
        cut = "\n".join(lines[:end])
        if _parses(cut):
            return cut
    return script


def _parses(script: str) -> bool:
    try:
        ast.parse(textwrap.dedent(script))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
