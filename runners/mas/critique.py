"""The verdict in a critic's words."""

from __future__ import annotations

import re

_DECLARED = re.compile(r"\bverdict\b[ \t*:=\"]*(not[ \t]+|in)?correct\b", re.IGNORECASE)
_SHOUTED = re.compile(r"\b(NOT[ \t]+|not[ \t]+|IN)?CORRECT\b")
_SAID = re.compile(
    r"\b(?:(?:not|never|isn't|aren't|wasn't|hardly)\s+(?:\w+\s+)?)?(?:in)?correct\b"
    r"(?!\s+(?:the|this|that|these|those|your|it|its|answer|answers|value|result|solution|version|approach|way|one)\b)",
    re.IGNORECASE,
)


def says_correct(critique: str) -> bool:
    """Whether a critic's last verdict word is CORRECT.

    A line `verdict: ...` counts before words in capitals, those before any others.
    INCORRECT and "not correct" are never CORRECT; no verdict word at all is no
    approval. "the correct answer" and "correct this" are no verdicts.
    """
    for pattern in (_DECLARED, _SHOUTED):
        found: list[str] = pattern.findall(critique)
        if found:
            return not found[-1]
    said = _SAID.findall(critique)
    return bool(said) and str(said[-1]).lower() == "correct"
