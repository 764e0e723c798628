"""The words for what became of a design, and how a construct is refused."""

from __future__ import annotations

from typing import Literal

DesignVerdict = Literal[
    "ok",
    "no_script",
    "syntax_error",
    "unsupported",
    "forbidden",
    "runtime_error",
    "no_run",
    "limit:agents",
    "limit:calls",
    "limit:script",
    "limit:nesting",
    "limit:time",
    "limit:memory",
    "limit:recursion",
    "limit:output",
]
"""What became of a design.

- ok: it has a graph.
- no_script: the text holds no script.
- syntax_error: the script is no Python.
- unsupported: valid Python that the sandbox or the node runtime lacks; the detail names it.
- forbidden: it reaches for what no script may have (files, processes, the interpreter's inside).
- runtime_error: it raised.
- no_run: `workflow.run` was never called.
- limit:<which>: it hit a limit.
"""


class RefusedError(ValueError):
    """A script that is not run, or not to its end.

    Attributes:
        verdict: Why.
        detail: What, in one line.
    """

    def __init__(self, verdict: DesignVerdict, detail: str) -> None:
        super().__init__(f"{verdict}: {detail}")
        self.verdict = verdict
        self.detail = detail


def at(construct: str, line: int) -> str:
    """A construct and where it stands in the script."""
    return f"{construct} (line {line})"
