"""What other agents see of a response, and what a vote counts.

Source: MetaAgent-X hands an agent the question and a digest of every earlier
response: its delivery, else its final answer, else its solution, else its head
and its tail.
"""

from __future__ import annotations

import re

HEAD = 200
TAIL = 800
"""Characters of a long response that has nothing marked."""

_DELIVERY = re.compile(r"<delivery>(.*?)</delivery>", re.DOTALL)
_FINAL_LINE = re.compile(r"^.*\bFINAL ANSWER\b[ \t*]*[:=]?.*$", re.MULTILINE)
_FINAL_VALUE = re.compile(r"\bFINAL ANSWER\b[ \t*]*[:=]?[ \t*]*(.*)$", re.MULTILINE)
_SOLUTION = re.compile(r"<solution>(.*?)</solution>", re.DOTALL)
_MARKS = ("<delivery>", "FINAL ANSWER", "<solution>")


def digest(response: str) -> str:
    """The part of a response that other agents see; of several marked parts the last.

    At most 1,000 characters of a response that marks nothing.
    """
    text = response.strip()
    if any(mark in text for mark in _MARKS):
        delivered = _DELIVERY.findall(text)
        if delivered:
            return str(delivered[-1]).strip()
        final = _FINAL_LINE.findall(text)
        if final:
            return str(final[-1]).strip()
        solved = _SOLUTION.findall(text)
        if solved:
            return str(solved[-1]).strip()
    if len(text) <= HEAD + TAIL:
        return text
    return f"{text[:HEAD]}\n...\n{text[-TAIL:]}"


def last_boxed(text: str) -> str | None:
    r"""The content of the last `\boxed{...}` whose braces close; None where there is none."""
    end = len(text)
    while (start := text.rfind("\\boxed{", 0, end)) >= 0:
        depth = 0
        for i in range(start + len("\\boxed"), len(text)):
            if text[i] == "{" and text[i - 1] != "\\":
                depth += 1
            elif text[i] == "}" and text[i - 1] != "\\":
                depth -= 1
                if depth == 0:
                    return text[start + len("\\boxed{") : i].strip()
        end = start
    return None


def final_line(text: str) -> str | None:
    """What follows the last `FINAL ANSWER:`, None where it does not stand there."""
    found = _FINAL_VALUE.findall(text)
    return str(found[-1]).strip() if found else None


def voted(response: str) -> str:
    """The final answer that a response votes for: its box, its final-answer line, or all of it."""
    answer = last_boxed(response) if "\\boxed" in response else None
    if answer is None and "FINAL ANSWER" in response:
        answer = final_line(response)
    return " ".join((response if answer is None else answer).split()).strip("$ ").removesuffix(".")


def one_line(response: str) -> str:
    """A digest without line breaks, for what a critic or a judge sees."""
    return " ".join(digest(response).split())
