"""docs/reference.md is what the models say; MXSPEC_GOLDEN=write writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

from mxspec.load.manual import reference_page

PAGE = Path(__file__).parents[2] / "docs/reference.md"


def test_the_reference_is_that_of_the_models() -> None:
    if os.environ.get("MXSPEC_GOLDEN") == "write":
        PAGE.write_text(reference_page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == reference_page()


def test_every_value_has_a_meaning() -> None:
    rows = [line for line in reference_page().splitlines() if line.startswith("| `")]
    assert len(rows) > 200
    assert not [row for row in rows if row.count(" | ") == 3 and not row.rstrip(" |").rpartition(" | ")[2].strip()]
