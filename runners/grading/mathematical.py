r"""Mathematical equality of an answer and a gold: text, structure and exact numbers first, algebra last.

Nothing is tolerated: `33.3` is not `100/3`, a tuple is no set, 5 cm are not 5 m. What only algebra can
tell is told by a process with a deadline.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from runners.grading.algebra import Algebra
from runners.grading.choice import chosen
from runners.grading.latex import closing, key, parts, spelled
from runners.grading.rational import rational

_LETTER = re.compile(r"\(?\s*([A-J])\s*\)?\.?")
_CLOCK = re.compile(r"(\d{1,2}:\d{2})\s*(?:([AaPp])\.?[Mm]\.?)?")
_ASSIGNED = re.compile(r"[A-Za-z](?:_\{?\w+\}?)?(?:\([a-z]\))?|\(\s*[A-Za-z](?:\s*,\s*[A-Za-z])*\s*\)")
_WORDS = re.compile(r"[A-Za-z][A-Za-z' -]+")
_UNIT = re.compile(
    r"(?P<value>.*?[\d})\]])\s*"
    r"(?P<unit>\^\s*\{?\s*\\circ\s*\}?(?:\s*[CF])?|\\?%|(?!(?:and|or)\b)[A-Za-z][A-Za-z /^.\d{}-]*|\([A-Za-z ]+\))"
)
_UNITS = {
    "hour": "h",
    "hr": "h",
    "minute": "min",
    "second": "s",
    "sec": "s",
    "meter": "m",
    "metre": "m",
    "centimeter": "cm",
    "centimetre": "cm",
    "millimeter": "mm",
    "millimetre": "mm",
    "kilometer": "km",
    "kilometre": "km",
    "gram": "g",
    "kilogram": "kg",
    "liter": "l",
    "litre": "l",
    "inche": "in",
    "inch": "in",
    "feet": "ft",
    "foot": "ft",
    "mile": "mi",
    "unit": "",
    "squareunit": "",
    "unit^2": "",
}
"""Units by their long names, without the plural s."""
_MATRIX = re.compile(r"\\begin\{([pbvB]?)matrix\}(.*)\\end\{\1matrix\}", re.DOTALL)
_RELATION = re.compile(r"<|>|\\le\b|\\ge\b|\\cup\b|\\cap\b|\\in\b")
_DEGREES = ("^\\circ", "degrees", "degree")
_PERCENT = ("%", "percent", "\\%")
MOST = 3000
"""Characters of an answer that is compared; a longer one is none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of a comparison.

    Attributes:
        same: Whether both are the same; None where one of them cannot be read.
        stage: What decided: `text`, `choice`, `unit`, `structure`, `exact`, `tolerance` or `algebra`.
    """

    same: bool | None
    stage: str


def compare(gold: str, given: str, algebra: Algebra, *, tolerance: float = 0.0, depth: int = 0) -> Comparison:
    """Compares an answer with a gold, both as they were written.

    Args:
        gold: The gold.
        given: What the answer settles on.
        algebra: Decides what nothing simpler can.
        tolerance: Largest relative difference of two numbers; 0 is none.
        depth: How deep in a list this is.

    Raises:
        AlgebraTimeout: Algebra took longer than its deadline.
        AlgebraError: Algebra could not judge.
    """
    gold, given = spelled(gold), spelled(given)
    if len(given) > MOST or depth > 8:
        return Comparison(False, "text")
    if key(gold) == key(given):
        return Comparison(True, "text")
    letter = _LETTER.fullmatch(gold)
    if letter and (choice := chosen(given)):
        return Comparison(choice == letter[1], "choice")
    if clock := _CLOCK.fullmatch(gold):
        said = _CLOCK.fullmatch(given)
        same = (
            said is not None
            and said[1] == clock[1]
            and (clock[2] is None or (said[2] or "").lower() == clock[2].lower())
        )
        return Comparison(same, "text")
    if given.count("{") != given.count("}"):
        return Comparison(False, "text")  # it was cut off
    gold, given = _unassigned(gold, given)
    if _WORDS.fullmatch(gold) and len(gold) > 2:
        return Comparison(key(gold) == key(given), "text")
    (value, unit), (said_value, said_unit) = _unit(gold), _unit(given)
    if unit and said_unit and unit != said_unit:
        return Comparison(False, "unit")
    if (value, said_value) != (gold, given):
        share, whole = rational(said_value), rational(value)
        if said_unit == "%" and not unit and share is not None and whole is not None:
            return Comparison(share == whole * 100, "unit")
        found = compare(value, said_value, algebra, tolerance=tolerance, depth=depth + 1)
        if not found.same and unit == "%" and not said_unit and share is not None and whole is not None:
            return Comparison(share * 100 == whole, "unit")
        return found
    listed = _lists(gold, given, algebra, tolerance, depth)
    if listed is not None:
        return listed
    one, other = rational(gold), rational(given)
    if one is not None and other is not None:
        if one != other and tolerance > 0:
            return Comparison(abs(one - other) <= tolerance * max(abs(one), abs(other)), "tolerance")
        return Comparison(one == other, "exact")
    return Comparison(algebra.same(_radians(gold), _radians(given)), "algebra")


def _radians(text: str) -> str:
    """A formula whose degrees are numbers."""
    return re.sub(r"(\d+(?:\.\d+)?)\s*\^\s*\{?\s*\\circ\s*\}?", r"(\1\\cdot\\frac{\\pi}{180})", text)


def _unassigned(gold: str, given: str) -> tuple[str, str]:
    """What stands behind `x =`, `f(x) =` or `(p, q) =`, where not both assign, and other names."""
    one, other = _assigned(gold), _assigned(given)
    if one and other and key(one[0]) != key(other[0]):
        return gold, given
    return one[1] if one else gold, other[1] if other else given


def _assigned(text: str) -> tuple[str, str] | None:
    sides = parts(text, "=")
    return (sides[0], sides[1]) if len(sides) == 2 and _ASSIGNED.fullmatch(sides[0]) and sides[1] else None


def _unit(text: str) -> tuple[str, str]:
    """A value and its unit in one word; an empty unit where it has none."""
    found = _UNIT.fullmatch(text)
    if found is None or rational(text) is not None:
        return text, ""
    unit = re.sub(r"[\s{}.]", "", found["unit"]).lower()
    value = found["value"].strip()
    if unit.startswith("^\\circ") or unit in _DEGREES:
        return (text, "") if re.search(r"\\(?:sin|cos|tan|cot|sec|csc)", value) else (value, "degree")
    if unit in _PERCENT:
        return value, "%"
    if (len(unit) < 2 and unit not in ("m", "g", "s", "h", "l")) or rational(value) is None:
        return text, ""
    unit = unit.strip("()")
    unit = unit.removesuffix("s") if len(unit) > 2 else unit
    return value, _UNITS.get(unit, unit)


def _collection(text: str) -> tuple[str, list[str]] | None:
    """Kind and items of a list, set, tuple, interval, vector or matrix; None for anything else."""
    if matrix := _MATRIX.fullmatch(text):
        rows = [row.strip() for row in re.split(r"\\\\", matrix[2]) if row.strip()]
        cells = [[cell.strip() for cell in row.split("&")] for row in rows]
        if len(cells) == 1 or all(len(row) == 1 for row in cells):
            return "()", [cell for row in cells for cell in row]
        return f"matrix {len(cells)}x{len(cells[0])}", [cell for row in cells for cell in row]
    if text in (r"\emptyset", r"\{ \}", r"\{\}"):
        return "{}", []
    if text.startswith(r"\{") and text.endswith(r"\}"):
        return "{}", parts(text[2:-2].strip())
    if text.startswith("{") and text.endswith("}") and closing(text, 0) == len(text) - 1:
        return "{}", parts(text[1:-1])
    if text[:1] in ("(", "[") and text[-1:] in (")", "]") and closing(text, 0) == len(text) - 1:
        items = parts(text[1:-1])
        if len(items) > 1:
            return text[0] + text[-1], items
    if match := re.fullmatch(r"\\pm\s*(.+)", text):
        return "{}", [match[1], f"-({match[1]})" if rational(match[1]) is None else f"-{match[1]}"]
    items = [item for part in parts(text) for item in re.split(r"\s+(?:and|or)\s+", part)]
    items = [re.sub(r"^(?:and|or)\s+", "", item).strip() for item in items]
    return ("{}", items) if len(items) > 1 and all(items) else None


def _lists(gold: str, given: str, algebra: Algebra, tolerance: float, depth: int) -> Comparison | None:
    """Compares two lists item by item; None where neither is one, or a relation says it in another way."""
    one, other = _collection(gold), _collection(given)
    if one is None and other is None:
        return None
    if _RELATION.search(gold) or _RELATION.search(given) or r"\cup" in gold + given:
        return None
    if one is None or other is None:
        listed, text = (one, given) if other is None else (other, gold)
        if listed is None or listed[0] != "{}" or len(listed[1]) != 1:
            return Comparison(False, "structure")
        return compare(text, listed[1][0], algebra, tolerance=tolerance, depth=depth + 1)  # the set of one solution
    (kind, items), (said_kind, said_items) = one, other
    if kind != said_kind or len(items) != len(said_items):
        return Comparison(False, "structure")
    left = list(said_items)
    for index, item in enumerate(items):
        candidates = left if kind == "{}" else [said_items[index]]
        match = next(
            (one for one in candidates if compare(item, one, algebra, tolerance=tolerance, depth=depth + 1).same), None
        )
        if match is None:
            return Comparison(False, "structure")
        if kind == "{}":
            left.remove(match)
    return Comparison(True, "structure")
