"""Writing that survives a kill at any moment: whole files, durable before they are named."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def write_whole(path: Path, text: str, *, durable: bool = True) -> None:
    """Writes a file so that readers see the old one or the new one, never a part.

    Args:
        path: The file.
        text: Its content.
        durable: Whether it must outlive a loss of power from now on; a kill it outlives anyway.

    Raises:
        OSError: The disk is full or the directory cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def file_name(label: str) -> str:
    """A label as the name of a file: itself where it can be one, else what can be and a hash of it."""
    safe = "".join(c if c.isalnum() or c in "-_." else "_" for c in label).lstrip(".")[:80]
    if safe == label:
        return safe
    return f"{safe}-{hashlib.sha256(label.encode()).hexdigest()[:8]}".lstrip("-")


def make_durable(path: Path) -> None:
    """Has a file outlive a loss of power; costs next to nothing where it was written back already."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sha256_of(path: Path) -> str:
    """Hex digest of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
