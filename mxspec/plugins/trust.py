"""Which plugins' code this user has trusted: hashes of their text, in a file of the user's own."""

from __future__ import annotations

import json
import os
from pathlib import Path

from mxspec.plugins.code import digest_of
from mxspec.rundir.files import write_whole


def trust_file() -> Path:
    """Where trust is recorded: `mxspec/trusted.json` below `XDG_CONFIG_HOME`, else below `~/.config`."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "mxspec" / "trusted.json"


def is_trusted(text: str) -> bool:
    """Whether exactly this code was trusted before."""
    return digest_of(text) in _recorded()


def record_trust(text: str, name: str) -> None:
    """Records that this code is trusted, wherever it lies; another text of the same name is not.

    Args:
        text: The code.
        name: What to call it in the record.

    Raises:
        OSError: The record cannot be written.
    """
    recorded = _recorded()
    if recorded.get(digest_of(text)) == name:
        return
    recorded[digest_of(text)] = name
    file = trust_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps({"trusted": recorded}, indent=1) + "\n")


def _recorded() -> dict[str, str]:
    """Hash -> name; nothing where there is no record, or one that cannot be read."""
    try:
        found = json.loads(trust_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    trusted = found.get("trusted") if isinstance(found, dict) else None
    return {str(key): str(name) for key, name in trusted.items()} if isinstance(trusted, dict) else {}
