"""A table of measurements on stdout."""

from __future__ import annotations

from collections.abc import Sequence


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table: the first column left, all others right.

    Args:
        title: What was measured, and on how much.
        columns: Names.
        rows: Cells as text, one for each column.
    """
    widths = [max(len(cell) for cell in column) for column in zip(columns, *rows, strict=True)]
    print(f"\n{title}")
    for row in (columns, *rows):
        first, *rest = row
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))]
        print("  " + "  ".join(cells).rstrip(), flush=True)
