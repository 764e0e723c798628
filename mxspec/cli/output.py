"""Data goes to stdout, all else to stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

VERSION = 1
"""Version of the documents that `--json` prints."""


def print_json(verb: str, document: Mapping[str, object]) -> None:
    """Prints one versioned JSON document on stdout.

    Args:
        verb: The verb that speaks; it names the document.
        document: JSON-compatible content.
    """
    print(json.dumps({"mxspec": verb, "version": VERSION, **document}, ensure_ascii=False, allow_nan=False))


def say(message: str) -> None:
    """Prints a line for people, on stderr."""
    print(message, file=sys.stderr, flush=True)


def colourful(stream: TextIO) -> bool:
    """Whether a stream is a terminal that may be coloured (NO_COLOR and TERM=dumb say no)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def console(*, stderr: bool = False) -> Console:
    """A rich console on stdout (or stderr); imported only here, since rich is slow to import."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else 220
    return Console(file=stream, width=width, no_color=not colourful(stream), highlight=False, soft_wrap=False)
