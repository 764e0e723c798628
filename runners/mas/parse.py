"""Python's own parser, quiet about what a designer's string escapes look like."""

from __future__ import annotations

import ast
import warnings


def parse(script: str) -> ast.Module:
    """The syntax tree of a script.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: As `ast.parse`; the last two for
            scripts that are nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(script)


def parses(script: str) -> bool:
    """Whether a text is Python."""
    try:
        parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
