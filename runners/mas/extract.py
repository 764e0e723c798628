"""From a model's text to the script in it.

The order is that of MetaAgent-X's published format: `<code>` tags, the last
```python fence, the last fence of any kind, raw text that is a script. What
stands in `<think>` is thought, never a script. A fence inside a script's own
strings (prompts often show one) does not end the script.
"""

from __future__ import annotations

import re
import textwrap
from functools import lru_cache

from runners.mas.parse import parses

_THOUGHT = re.compile(r"^[ \t]*<think>.*?(?:</think>|\Z)", re.DOTALL | re.MULTILINE)
_THOUGHT_END = re.compile(r"^[ \t]*</think>|</think>[ \t]*$", re.MULTILINE)
_CODE = re.compile(r"<code>(.*?)</code>", re.DOTALL)
_TICKS = re.compile(r"^[ \t]*```[ \t]*([A-Za-z0-9_+-]*)[ \t]*$", re.MULTILINE)
_API = re.compile(r"^[ \t]*(?:from[ \t]+workflow\b|import[ \t]+workflow\b|from[ \t]+utils\.)", re.MULTILINE)
_LEADING = re.compile(r"[ \t]*(?:(?:import|from)[ \t]+[\w.]+.*|#.*)?$")
_PROSE = re.compile(r"[A-Z][a-z']+[,.:;!?]?[ ]+[a-z'A-Z][^=(\[]*$")
_PYTHON = frozenset({"python", "py", "python3"})
_TRIES = 40
_LONG = 50_000
"""Characters of a text that is no longer tried in several ways."""


@lru_cache(maxsize=4096)
def extract(text: str) -> str | None:
    r"""The script in a model's text, or None where there is none.

    Line ends become `\n`, common indentation goes. Of several blocks of the same
    kind the last one counts, of the two kinds the one that imports the workflow API.
    Of raw text the script begins with the imports around
    the first import of the workflow API, and ends where prose begins after its last
    `run(`.

    Args:
        text: The whole response.

    Returns:
        The script (which need not be valid Python), or None.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not any(mark in text for mark in ("```", "<code>", "think>")) or not _is_script(text):
        text = _without_thought(text)
        found = [one for one in (_tagged(text), _fenced(text)) if one is not None]
        imports = [one for one in found if _API.search(one)]
        if imports or (found and not _API.search(text)):
            return _tidy((imports or found)[0])
    start = _API.search(text)
    return _tidy(_without_prose(_from_imports(text, start.start()))) if start else None


def _without_thought(text: str) -> str:
    """The text without thoughts, which begin on a line of their own or with the text."""
    if "think>" not in text:
        return text
    text = _THOUGHT.sub("", text)
    ends = list(_THOUGHT_END.finditer(text))
    return text[ends[-1].end() :] if ends else text


def _is_script(text: str) -> bool:
    return len(text) <= _LONG and _API.search(text) is not None and parses(textwrap.dedent(text.strip("\n")))


def _tagged(text: str) -> str | None:
    """The content of the last `<code>` tags, or of the fence in it."""
    tagged: list[str] = _CODE.findall(text)
    if not tagged:
        return None
    return tagged[-1] if _is_script(tagged[-1]) else _fenced(tagged[-1]) or tagged[-1]


def _fenced(text: str) -> str | None:
    """The content of the last fence, a Python one if there is any."""
    if "```" not in text:
        return None
    ticks = list(_TICKS.finditer(text))
    blocks = [(opened, closed) for opened, closed in _pairs(ticks) if opened.group(1).lower() in _PYTHON]
    blocks = blocks or _pairs(ticks)
    if not blocks:
        return None
    opened, closed = blocks[-1]
    content = text[opened.end() : closed.start()]
    if len(text) > _LONG or _is_script(content):
        return content
    tries = 0
    for first in ticks:
        if _API.match(text[first.end() :].lstrip("\n")) is None:
            continue
        for last in reversed(ticks):
            tries += 1
            if last.start() <= first.start() or tries > _TRIES:
                break
            if _is_script(text[first.end() : last.start()]):
                return text[first.end() : last.start()]
    return content


def _pairs(ticks: list[re.Match[str]]) -> list[tuple[re.Match[str], re.Match[str]]]:
    """Fences as they open and close: a named one always opens."""
    pairs, opened = [], None
    for tick in ticks:
        if opened is None or tick.group(1):
            opened = tick
        else:
            pairs.append((opened, tick))
            opened = None
    return pairs


def _tidy(script: str) -> str | None:
    script = textwrap.dedent(script.strip("\n")).rstrip()
    return script + "\n" if script else None


def _from_imports(text: str, start: int) -> str:
    """The text from the first of the import and comment lines that lead to `start`."""
    while start > 0:
        before = text.rfind("\n", 0, start - 1) + 1
        if not _LEADING.fullmatch(text[before : start - 1]):
            break
        start = before
    return text[start:]


def _without_prose(script: str) -> str:
    """Cuts what follows the last `run(`: from a line of prose on, and lines while the rest is no Python."""
    lines = script.split("\n")
    runs = [i for i, line in enumerate(lines) if ".run(" in line]
    after = runs[-1] + 1 if runs else len(lines)
    prose = next((i for i in range(after, len(lines)) if _PROSE.match(lines[i])), len(lines))
    lines = lines[:prose]
    script = "\n".join(lines)
    if after == len(lines) or len(script) > _LONG or parses(textwrap.dedent(script)):
        return script
    for end in range(len(lines) - 1, max(after, len(lines) - _TRIES) - 1, -1):
        cut = "\n".join(lines[:end])
        if parses(textwrap.dedent(cut)):
            return cut
    return script
