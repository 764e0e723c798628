"""Scalars of YAML 1.2 core: `on`, `no` and `12:30:45` are strings, `1e-4` is a number."""

from __future__ import annotations

import re

Scalar = str | int | float | bool | None

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?(\.inf|\.Inf|\.INF)")
_NAN = frozenset({".nan", ".NaN", ".NAN"})
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")

LONGEST_INT = 300
"""Digits beyond which a number is refused rather than read."""


def parse_scalar(text: str) -> Scalar:
    """The value of a plain (unquoted) scalar by the YAML 1.2 core schema.

    Args:
        text: As it stands in the file.

    Returns:
        None, a bool, an int, a float (infinite or NaN included: validation refuses them where
        they stand), or the text itself.
    """
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if len(text) > LONGEST_INT:
        return text
    if _INT.fullmatch(text):
        return int(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEX.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _INFINITE.fullmatch(text):
        return float(text.replace(".", ""))
    if text in _NAN:
        return float("nan")
    return text


def has_leading_zero(text: str) -> bool:
    """Whether a plain scalar is an integer written with a leading zero, which readers take for octal or decimal."""
    return _LEADING_ZERO.fullmatch(text) is not None
