"""The text of a file that a spec names: a prompt, a script, a plugin."""

from __future__ import annotations

from mxspec.load.compose import Composer
from mxspec.load.errors import shown
from mxspec.load.nodes import ScalarNode
from mxspec.load.read import MOST_BYTES, shipped_hint
from mxspec.load.shipped import locate


def read_content(named: ScalarNode, where: str, composer: Composer) -> str | None:
    r"""Reads a file that a value names.

    Args:
        named: The value, a path relative to the file that holds it.
        where: The value's dotted path.
        composer: Knows the directory of every file, and where errors go.

    Returns:
        The text, its line ends as `\n`; None where it cannot be read, which was told.
    """
    file = locate(str(named.value), composer.directory(named.at))
    composer.files[file] = "content"
    findings = composer.findings
    try:
        with file.open("rb") as stream:
            raw = stream.read(MOST_BYTES + 1)
        text = raw.decode("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8"
        hint = shipped_hint(file) if isinstance(error, FileNotFoundError) else ""
        findings.error("no-file", f"{shown(file)} cannot be read: {why}", hint=hint, path=where, at=named.at)
        return None
    if len(raw) > MOST_BYTES:
        findings.error("too-large", f"{shown(file)} is longer than {MOST_BYTES:,} bytes", path=where, at=named.at)
        return None
    return text
