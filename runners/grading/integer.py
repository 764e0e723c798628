r"""Reads the integer that an answer settles on.

An answer settles on what stands in its last `\boxed{}`, else behind its last
`FINAL ANSWER` or `####`, else on its last number. There is no tolerance, and no
credit for a list of candidates or for a number that is part of an expression.
Integers are compared as digits, so their size costs nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_THOUSAND = r"(?:,\\!|\{,\}|\\,|\\!|[,\u00a0\u202f\u2009 ])"
_NUMBER = re.compile(
    rf"(?<![0-9.])(?P<sign>(?<![0-9A-Za-z)}}\]])[-+])?(?P<whole>[0-9]{{1,3}}(?:{_THOUSAND}[0-9]{{3}})+(?![0-9])|[0-9]+)"
    r"(?:\.(?P<part>[0-9]+))?"
)
_DIGITS = re.compile(r"[^0-9]")
_MARK = re.compile(r"FINAL ANSWER[ \t*]*[:=]?[ \t*]*|####", re.IGNORECASE)
_WRAPPER = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\{([^{}]*)\}")
_LIST = re.compile(r"(?:\s|,|;|/|\||\$|\bor\b|\band\b|\bto\b|&|\bmaybe\b|\beither\b)*", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[0-9]+[.)]|[-*\u2022])\s+\$?-?[0-9][0-9,.]*\W*")
_BEFORE = re.compile(
    r"(?:[\^/\u00d7\u00f7\u00b7+]|[A-Za-z0-9}]_|\\times|\\cdot|\\div|\\frac|\\sqrt)[\s{(\[$]*$"
    r"|[0-9)]\*$|[0-9)]\s*\*\s+$|[0-9)]\s\*\*\s$|[0-9A-Za-z)}\]][ \t]*-[ \t]*$"
)
_AFTER = re.compile(
    r"[\s})$]*(?:[\^\u00d7\u00f7\u00b7]|\\times|\\cdot|\\div|\\sqrt|\\pi|[+/*]\s*[0-9(\\])"
    r"|[ \t]*-[ \t]*[0-9(]|[eE][-+]?[0-9]|[ \t]*(?:hundred|thousand|million|billion|trillion|dozen)\b"
)
_UNIT = re.compile(r"\s+(?!(?:hundred|thousand|million|billion|trillion|dozen|or|and)\b)[A-Za-z][A-Za-z .]*")


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer settles on.

    Attributes:
        value: The integer, as sign and digits; None where it is none.
        extracted: The text that was read; None where there is nothing to read.
        stage: `boxed`, `marked` or `last_number`.
    """

    value: str | None
    extracted: str | None
    stage: str


def read_integer(text: str) -> str | None:
    """The integer that a text consists of, as sign and digits (`-5`, `1000`), or None.

    Thousands separators, a decimal part of zeros, `$`, `%`, a `name =` before it and a
    full stop after it are no obstacle; a unit or another number is.
    """
    text = _WRAPPER.sub(r"\1", text.replace("\u2212", "-")).strip().strip("$").strip()
    head, equals, tail = text.rpartition("=")
    if equals and re.fullmatch(r"\s*\\?[A-Za-z]\w*\s*", head):
        text = tail.strip()
    text = text.removeprefix("$").removeprefix("\\$").removesuffix(".").strip()
    text = text.removesuffix("%").removesuffix("\\").rstrip()
    found = _NUMBER.fullmatch(text)
    return _canonical(found) if found else None


def read_answer(answer: str) -> Reading:
    """What an answer settles on."""
    text = answer.replace("\u2212", "-")
    boxed = text.rfind("\\boxed")
    marks = list(_MARK.finditer(text))
    if boxed >= 0 and (not marks or "\\boxed" in text[marks[-1].end() :] or marks[-1].start() < boxed):
        content = _closed(text[boxed + len("\\boxed") :])
        return Reading(_boxed(content) if content else None, content or None, "boxed")
    if marks:
        said = text[marks[-1].end() :].strip().split("\n")[0].strip()
        return _single(said)
    return _last(text)


def _boxed(content: str) -> str | None:
    """The integer in a box, a unit behind it allowed."""
    plain = _WRAPPER.sub(r"\1", content)
    unit = _UNIT.search(plain)
    return read_integer(plain[: unit.start()] if unit and unit.end() == len(plain) else content)


def _closed(text: str) -> str | None:
    """What stands in the braces that a text begins with; None where they do not close."""
    text = text.lstrip()
    if not text.startswith("{"):
        return None
    depth = 0
    for i, char in enumerate(text):
        if char in "{}" and text[i - 1] != "\\":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return text[1:i].strip()
    return None


def _single(said: str) -> Reading:
    """A marked answer: one number, whatever unit stands by it."""
    numbers = list(_NUMBER.finditer(said))
    if not numbers:
        return Reading(None, said or None, "marked")
    values = {_canonical(number) for number in numbers}
    alone = len(values) == 1 and not _in_expression(said, numbers[-1])
    return Reading(values.pop() if alone else None, said, "marked")


def _last(text: str) -> Reading:
    """The last number of a text, unless it is one of a list or part of an expression."""
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return Reading(None, None, "last_number")
    last = numbers[-1]
    lines = [line for line in text[-400:].split("\n") if line.strip()][-2:]
    if len(lines) == 2 and all(_BULLET.fullmatch(line) for line in lines):
        return Reading(None, "\n".join(lines), "last_number")
    if _in_expression(text, last):
        return Reading(None, last.group(0), "last_number")
    if len(numbers) > 1:
        before = numbers[-2]
        between = text[before.end() : last.start()]
        listed = _LIST.fullmatch(between) is not None and not (
            "\n" in between and between.strip() in ("", "$") and not _whole_line(text, before)
        )
        if listed and _canonical(before) != _canonical(last):
            return Reading(None, text[before.start() : last.end()], "last_number")
    return Reading(_canonical(last), last.group(0), "last_number")


def _whole_line(text: str, number: re.Match[str]) -> bool:
    start = text.rfind("\n", 0, number.start()) + 1
    return not text[start : number.start()].strip(" \t$*-")


def _in_expression(text: str, number: re.Match[str]) -> bool:
    around = text[max(0, number.start() - 40) : number.start()]
    return _BEFORE.search(around) is not None or _AFTER.match(text, number.end()) is not None


def _canonical(number: re.Match[str]) -> str | None:
    part = number.group("part")
    if part and part.strip("0"):
        return None
    digits = _DIGITS.sub("", number.group("whole")).lstrip("0") or "0"
    return "-" + digits if number.group("sign") == "-" and digits != "0" else digits
