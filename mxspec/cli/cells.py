"""Values of query results as text: for eyes, for other programs, for JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, time
from decimal import Decimal


def for_eyes(value: object) -> str:
    r"""A value as a table cell: floats at three to four digits, text on one line.

    Control characters are shown as escapes (`\n`, `\x1b`), so that text which a model
    wrote neither breaks the table nor commands the terminal.
    """
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() | Decimal():
            return short_number(float(value))
        case str():
            return one_line(value)
        case list() | tuple():
            return "[" + ", ".join(for_eyes(one) for one in value) + "]"
        case dict():
            return "{" + ", ".join(f"{for_eyes(key)}: {for_eyes(one)}" for key, one in value.items()) + "}"
        case _:
            return one_line(str(value))


def short_number(number: float) -> str:
    """A float at three to four significant digits, large ones as whole numbers."""
    size = abs(number)
    if not math.isfinite(number) or 0 < size < 0.0005:
        return f"{number:.3g}"
    return f"{number:.3f}" if size < 10 else f"{number:.1f}" if size < 1000 else f"{number:.0f}"


def one_line(text: str) -> str:
    """Text with everything that is not printable as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def for_programs(value: object) -> str:
    """A value as a CSV field: exact, null as nothing, lists and structures as JSON."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(value)
        case list() | tuple() | dict():
            return json.dumps(for_json(value), ensure_ascii=False)
        case _:
            return str(for_json(value))


def for_json(value: object) -> object:
    """A value as JSON has it: numbers that JSON lacks as null, dates in ISO form, bytes in hex."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else None
        case Decimal():
            return float(value) if value.is_finite() else None
        case bytes():
            return value.hex()
        case date() | time():
            return value.isoformat()
        case Mapping():
            return {str(key): for_json(one) for key, one in value.items()}
        case Sequence() | set() | frozenset():
            return [for_json(one) for one in value]
        case _:
            return str(value)
