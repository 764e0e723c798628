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


class GateMissed(ValueError):
    """A stage ended without the measured values that its gate asks for."""

    def __init__(self, stage: str, measured: dict[str, float], wanted: dict[str, float]) -> None:
        """Names what was measured and what was wanted."""
        self.stage, self.measured, self.wanted = stage, measured, wanted
        missed = ", ".join(
            f"{name} {measured[name]:.3f} < {value}" for name, value in wanted.items() if measured[name] < value
        )
        super().__init__(
            f"stage {stage!r} did not pass its gate: {missed}; "
            "raise gate.max_epochs, lower the gate, or write `otherwise: go_on`"
        )
