r"""Answers in one spelling: LaTeX, plain text and Unicode say the same thing in many ways.

Nothing here decides: `\dfrac{1}{2}`, `1/2` and `\frac12` become comparable, and what differs in
meaning (a tuple and a set, a percent and a number, centimetres and metres) stays apart.
"""

from __future__ import annotations

import re

_ALIASES = {
    "\u2212": "-",
    "\u2013": "-",
    "\u00d7": r"\times ",
    "\u00b7": r"\cdot ",
    "\u03c0": r"\pi ",
    "\u221e": r"\infty ",
    "\u2264": r"\le ",
    "\u2265": r"\ge ",
    "\u00b1": r"\pm ",
    "\u221a": r"\sqrt",
    "\u2205": r"\emptyset ",
    "\u222a": r"\cup ",
    "\u00b0": r"^\circ ",
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
    "**": "^",
    r"\leq": r"\le",
    r"\geq": r"\ge",
    r"\lt": "<",
    r"\gt": ">",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\cfrac": r"\frac",
    r"\varnothing": r"\emptyset",
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\degree": r"^\circ",
    r"\percent": r"\%",
}
_ALIAS = re.compile(
    "|".join(re.escape(one) + ("(?![A-Za-z])" if one[-1].isascii() and one[-1].isalpha() else "") for one in _ALIASES)
)
_SPACES = re.compile(
    r"(?<!\\)\\[,;: ]|\\(?:quad|qquad|displaystyle|textstyle|limits|nolimits)\b|~"
    r"|\\left(?![a-z])\.?|\\right(?![a-z])\.?"
)
_WRAPPED = re.compile(r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mathit|mbox|operatorname|mathsf)\s*\{([^{}]*)\}")
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}(?:(?:,|\{,\}|\s)\d{3})+(?![\d,])")
_FRAC = re.compile(r"\\frac\s*(?:(\d)\s*(\d)|(\d)\s*\{|\{([^{}]*)\}\s*(\d)(?!\d))")
_SQRT = re.compile(r"\\sqrt\s*(?:\(([^()]*)\)|(\d|[a-z](?![a-z])))")
_PLAIN = re.compile(r"(?<![\\A-Za-z])(sqrt|exp|sin|cos|tan|log|ln|pi|infinity|oo)(?![A-Za-z])")
_NAMES = {"pi": r"\pi ", "infinity": r"\infty ", "oo": r"\infty "}


def spelled(text: str) -> str:
    """An answer in one spelling: no decoration, one command for one thing.

    Args:
        text: An answer, without the box around it.
    """
    text = text.strip().replace("\r", "").replace("\\$", "").replace("$", "").replace("\\!", "")
    text = _ALIAS.sub(lambda found: _ALIASES[found[0]], text)
    text = _SPACES.sub(" ", text)
    text = _WRAPPED.sub(r"\1", text)
    text = _PLAIN.sub(lambda found: _NAMES.get(found[1], "\\" + found[1]), text)
    text = _THOUSANDS.sub(lambda found: re.sub(r"[^\d]", "", found[0]), text)
    text = _whole_fractions(text)
    text = _SQRT.sub(lambda found: rf"\sqrt{{{found[1] or found[2]}}}", text)
    text = re.sub(r"\\exp\s*\(([^()]*)\)", r"e^{\1}", text)
    text = re.sub(r"\+\s*-", "-", re.sub(r"-\s*-", "+", text))
    return bare(re.sub(r"\s+", " ", text).strip().rstrip(".").strip())


def _whole_fractions(text: str) -> str:
    r"""`\frac12` and `\frac{9}4` with all their braces."""

    def braced(found: re.Match[str]) -> str:
        if found[1]:
            return rf"\frac{{{found[1]}}}{{{found[2]}}}"
        if found[3]:
            return rf"\frac{{{found[3]}}}{{"
        return rf"\frac{{{found[4]}}}{{{found[5]}}}"

    return _FRAC.sub(braced, text)


def bare(text: str) -> str:
    """A text without parentheses that hold all of it and no list."""
    while len(text) > 2 and text[0] == "(" and text[-1] == ")" and closing(text, 0) == len(text) - 1:
        inner = text[1:-1].strip()
        if len(parts(inner)) > 1 or not inner:
            break
        text = inner
    return text


def closing(text: str, start: int) -> int:
    """Where the bracket that opens at a position closes; -1 where it does not. Kinds of brackets may differ."""
    depth, index = 0, start
    while index < len(text):
        one = text[index]
        if one in "([{":
            depth += 1
        elif one in ")]}":
            depth -= 1
            if depth == 0:
                return index
        index += 1
    return -1


def parts(text: str, by: str = ",") -> list[str]:
    """A list's items: what stands between separators outside of all brackets."""
    found, depth, last = [], 0, 0
    for index, one in enumerate(text):
        if one in "([{":
            depth += 1
        elif one in ")]}":
            depth -= 1
        elif depth == 0 and one in by:
            found.append(text[last:index].strip())
            last = index + 1
    return [*found, text[last:].strip()]


def key(text: str) -> str:
    """What two spellings of the same text have in common: no white space, no braces round one character."""
    text = re.sub(r"\\(?:cdot|times)\b", "*", text)
    text = re.sub(r"\{(\w)\}", r"\1", text)
    return re.sub(r"\s+", "", text).casefold()
