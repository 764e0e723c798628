"""Questions from a JSON-lines file, with errors that say where."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from mxspec.spec.benchmark import Jsonl
from runners.benchmarks.question import Question, make_question, split_of


class DataError(ValueError):
    """A data file that cannot be used.

    Attributes:
        path: The file.
        line: Line, from 1; 0 where the whole file is meant.
        problem: What is wrong with it.
    """

    def __init__(self, path: Path, line: int, problem: str) -> None:
        super().__init__(f"{path}:{line}: {problem}" if line else f"{path}: {problem}")
        self.path = path
        self.line = line
        self.problem = problem


def read_rows(name: str, spec: Jsonl, path: Path) -> tuple[Question, ...]:
    """All questions of a file, in its order.

    Raises:
        DataError: The file cannot be read or is empty; a line is no JSON object, or lacks a column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(path, 0, f"cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise DataError(path, 0, f"is no UTF-8 text (byte {error.start})") from None
    rows = tuple(_questions(name, spec, path, text))
    if not rows:
        raise DataError(path, 0, "has no rows")
    return rows


def _questions(name: str, spec: Jsonl, path: Path, text: str) -> Iterator[Question]:
    for line, content in enumerate(text.split("\n"), 1):
        if not content.strip():
            continue
        try:
            row = json.loads(content)
        except ValueError as error:
            raise DataError(path, line, f"is no JSON: {error}") from None
        if not isinstance(row, dict):
            raise DataError(path, line, f"is no JSON object but {type(row).__name__}")
        asked = _column(row, spec.question, path, line)
        gold = _column(row, spec.answer, path, line)
        if spec.gold_after is not None:
            _, mark, gold = gold.rpartition(spec.gold_after)
            if not mark:
                raise DataError(path, line, f"column {spec.answer!r} has no mark {spec.gold_after!r}")
        if not asked.strip() or not gold.strip():
            empty = spec.question if not asked.strip() else spec.answer
            raise DataError(path, line, f"column {empty!r} is empty")
        yield make_question(name, split_of(asked, spec.split), asked.strip(), gold.strip(), None)


def _column(row: dict[str, object], column: str, path: Path, line: int) -> str:
    if column not in row:
        raise DataError(path, line, f"has no column {column!r}; its columns are {', '.join(sorted(row)) or 'none'}")
    value = row[column]
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise DataError(path, line, f"column {column!r} is {type(value).__name__}, not text or a number")
    return str(value)
