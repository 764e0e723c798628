"""The letter that an answer to a multiple-choice question names."""

from __future__ import annotations

import re

_FIRST = re.compile(r"\(?\s*([A-Za-z])\s*\)?(?:[.:)]\s*.*)?", re.DOTALL)
_ALONE = re.compile(r"(?<![A-Za-z\\])([A-J])(?![A-Za-z'])")


def chosen(given: str) -> str:
    """The letter: an answer is one, begins with one, or holds one; empty where it names none, or several.

    Args:
        given: What an answer settles on, as `spelled`.
    """
    said = _FIRST.fullmatch(given)
    if said:
        return said[1].upper()
    alone = set(_ALONE.findall(given))
    if len(alone) > 1:
        alone.discard("I")
    return alone.pop() if len(alone) == 1 else ""
