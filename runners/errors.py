"""What a runner cannot do for want of something outside of it."""

from __future__ import annotations


class MissingEnvironment(ValueError):
    """A package, model, file or device that this machine lacks.

    Attributes:
        missing: What is missing, or is another version than asked for.
        hint: What to do about it; empty where nothing is known.
    """

    exit_code = 4
    """The code that the command line ends with."""

    def __init__(self, missing: str, hint: str = "") -> None:
        super().__init__(f"{missing}; {hint}" if hint else missing)
        self.missing = missing
        self.hint = hint
