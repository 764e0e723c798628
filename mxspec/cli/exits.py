"""Exit codes, and the errors of the command line that carry one."""

from __future__ import annotations

OK = 0
FAILED = 1
"""Some runs failed, or there are differences."""
USAGE = 2
INVALID_SPEC = 3
MISSING_ENVIRONMENT = 4
PLAN_HAS_CHANGES = 10
INTERRUPTED = 130


class CliError(ValueError):
    """Something that the user can act on; printed without a traceback.

    Attributes:
        message: What is wrong.
        hint: What to do instead; empty where nothing is known.
        exit_code: The code that the process ends with.
    """

    exit_code = FAILED

    def __init__(self, message: str, *, hint: str = "", exit_code: int | None = None) -> None:
        """Keeps the parts; `exit_code` overrides that of the class."""
        self.message, self.hint = message, hint
        if exit_code is not None:
            self.exit_code = exit_code
        super().__init__(f"{message}; {hint}" if hint else message)


class UsageError(CliError):
    """Arguments that do not fit together."""

    exit_code = USAGE


class MissingEnvironment(CliError):
    """A package, file, device or variable that this machine lacks, or a kind that has no runner yet."""

    exit_code = MISSING_ENVIRONMENT
