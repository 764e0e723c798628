"""The command line: one module a verb, heavy imports inside the verb."""

from __future__ import annotations

import gc
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a verb and ends the process.

    Args:
        arguments: What follows the program's name; `sys.argv` where None.

    Raises:
        SystemExit: Always, with a code of `mxspec.cli.exits`.
    """
    gc.disable()  # what a start makes stays; verbs that work for longer collect again
    try:
        from mxspec.cli.app import run_app

        code = run_app(arguments)
    except KeyboardInterrupt:  # while the app itself is imported
        code = 130
    raise SystemExit(code)
