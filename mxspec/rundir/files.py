"""Writing that survives a kill at any moment: whole files, durable before they are named."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that readers see the old one or the new one, never a part.

    Raises:
        OSError: The disk is full or the directory cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """Hex digest of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
