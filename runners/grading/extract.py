r"""What an answer settles on: the last box, else what follows `FINAL ANSWER`, `####` or `answer is`, else all of it."""

from __future__ import annotations

import re
from typing import NamedTuple

from runners.grading.latex import closing

FORMULA_WORDS = frozenset(("exp", "sin", "cos", "tan", "log", "sqrt", "and", "percent", "minutes", "degrees", "hours"))
"""Words that a bare formula may hold."""
MOST_BARE = 400
"""Characters of an answer that may be one as a whole; of a longer one only its last line, or last formula."""

_BOX = re.compile(r"\\(?:boxed|fbox)\s*(\{)?")
_MARK = re.compile(
    r"FINAL ANSWER[ \t*]*(?:is|[:=])?[ \t*]*|####[ \t]*"
    r"|(?:the\s+)?(?:final\s+)?answer\s*(?:is|:|=|could be|may be|might be)\s*:?\s*",
    re.IGNORECASE,
)
_POWER = re.compile(r"[\w)}]\s*\*\*\s*[\w({-]")
_BETWEEN_BOXES = re.compile(r"[\s$,;.]*(?:and|or)?[\s$,;.]*", re.IGNORECASE)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[^\s\d])\.(?:\s|$)|\.\s*$|\n|(?<=\d)\.\s+(?=[A-Z])")


class Extracted(NamedTuple):
    """What is judged.

    Attributes:
        text: It; None where there is none.
        stage: How it was found: `boxed`, `marked`, `bare`, `formula`, or `empty`.
    """

    text: str | None
    stage: str


def extract(answer: str | None) -> Extracted:
    """What an answer settles on."""
    if answer is None or not answer.strip():
        return Extracted(None, "empty")
    answer = answer.replace("**", "") if answer.count("**") % 2 == 0 and not _POWER.search(answer) else answer
    boxes = list(_BOX.finditer(answer))
    marks = list(_MARK.finditer(answer))
    if boxes and (not marks or boxes[-1].start() >= marks[-1].start()):
        return _boxed(answer, boxes)
    if marks:
        said = answer[marks[-1].end() :].strip()
        formula = _FORMULA.match(said)
        said = next(filter(None, formula.groups()), "") if formula else _SENTENCE_END.split(said, maxsplit=1)[0]
        said = said.strip().strip("*").strip()
        return Extracted(said or None, "marked")
    whole = answer.strip()
    if len(whole) <= MOST_BARE and "\n" not in whole and not _prose(whole):
        return Extracted(whole, "bare")
    formulas = list(_FORMULA.finditer(whole))
    if formulas:
        return Extracted(next(filter(None, formulas[-1].groups()), None), "formula")
    last = whole.splitlines()[-1].strip()
    return Extracted(last, "bare")


def _boxed(answer: str, boxes: list[re.Match[str]]) -> Extracted:
    """The last box; several that only `and` or a comma parts are a list."""
    contents: list[str | None] = []
    ends: list[int] = []
    for box in boxes:
        if box[1] is None:
            word = re.match(r"\s*(\S+)", answer[box.end() :])
            contents.append(word[1].strip("$.,") if word else None)
            ends.append(box.end() + (word.end() if word else 0))
            continue
        close = closing(answer, box.end() - 1)
        contents.append(answer[box.end() : close].strip() if close >= 0 else None)
        ends.append(close + 1 if close >= 0 else len(answer))
    last = contents[-1]
    if not last:
        return Extracted(None, "boxed")
    listed = [last]
    for index in range(len(boxes) - 1, 0, -1):
        between = answer[ends[index - 1] : boxes[index].start()]
        before = contents[index - 1]
        if not before or not _BETWEEN_BOXES.fullmatch(between) or not re.search(r"and|or|,|;", between):
            break
        listed.insert(0, before)
    text = last if len(set(listed)) == 1 else r"\{" + ",".join(listed) + r"\}"
    return Extracted(text, "boxed")


def _prose(text: str) -> bool:
    """Whether a text is words rather than a formula: some words of three letters that no formula has."""
    outside = _FORMULA.sub(" ", text)
    words = re.findall(r"(?<!\\)\b[A-Za-z]{3,}\b", re.sub(r"\\[A-Za-z]+(?:\{[^{}]*\})?", " ", outside))
    return sum(word.lower() not in FORMULA_WORDS for word in words) > 3
