"""Golden files: compared with what is there, or written anew with MXSPEC_GOLDEN=write."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "golden"


def check_golden(name: str, text: str) -> None:
    """Compares a text with a golden file; after a wanted change, run with MXSPEC_GOLDEN=write and read the diff."""
    path = FOLDER / name
    if os.environ.get("MXSPEC_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{name} differs; if that is wanted, run with MXSPEC_GOLDEN=write"
