"""Values of query results as text."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from mxspec.cli.cells import for_eyes, for_json, for_programs


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.74218, "0.742"),
        (-0.0312, "-0.031"),
        (13.3046, "13.3"),
        (218.104, "218.1"),
        (846969.4, "846969"),
        (0.000012345, "1.23e-05"),
        (0.0, "0.000"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("0.125"), "0.125"),
        (193809, "193809"),
        (True, "true"),
        (None, ""),
        (["executor", None], "[executor, ]"),
        ({"a": 0.5}, "{a: 0.500}"),
    ],
)
def test_cells_are_short(value: object, shown: str) -> None:
    assert for_eyes(value) == shown


def test_text_of_a_model_neither_breaks_the_table_nor_commands_the_terminal() -> None:
    assert for_eyes("a\n\tb\x1b[31m\u202e\x9b") == r"a\n\tb\x1b[31m\u202e\x9b"
    assert for_eyes("größer ≥ 5") == "größer ≥ 5"
    assert for_eyes(["x\ny"]) == r"[x\ny]"


def test_programs_get_every_digit() -> None:
    number = 0.1 + 0.2
    assert float(for_programs(number)) == number
    assert for_programs(None) == ""
    assert for_programs("a\nb") == "a\nb"
    assert json.loads(for_programs({"a": [1, float("nan")]})) == {"a": [1, None]}


def test_json_has_what_it_lacks_as_null_or_text() -> None:
    value = {
        "n": float("inf"),
        "d": Decimal("1.5"),
        "t": datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        "b": b"\x00\xff",
        "l": (1, {2}),
        1: None,
    }
    assert for_json(value) == {
        "n": None,
        "d": 1.5,
        "t": "2026-01-02T03:04:00+00:00",
        "b": "00ff",
        "l": [1, [2]],
        "1": None,
    }
