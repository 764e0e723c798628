"""What is wrong with a spec, where, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

SECRET = "secret"
"""Code of a finding whose line is never shown."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file; line and column count from 1.

    Attributes:
        file: Path as shown to the user; `--set` and the like for values that stand in no file.
        line: Line.
        column: Column, in characters.
    """

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        """`file:line:column`; the option alone where a whole value of the command line is meant."""
        if self.file.startswith("--set") and (self.line, self.column) == (1, 1):
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: Stable name of the kind of finding, e.g. `unknown-key`.
        message: What is wrong.
        hint: What to write instead; may be empty.
        path: Dotted path of the value, e.g. `stages.rl.train`; may be empty.
        at: Where it stands; None where it stands nowhere.
        severity: Errors stop; warnings are shown.
    """

    code: str
    message: str
    hint: str = ""
    path: str = ""
    at: Position | None = None
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        """`file:line:column: path: message; hint`."""
        place = f"{self.at}: " if self.at else ""
        path = f"{self.path}: " if self.path else ""
        level = "warning: " if self.severity == "warning" else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{place}{level}{path}{self.message}{hint}"

    def as_json(self) -> dict[str, object]:
        """The same as plain data."""
        at = self.at
        return {
            "code": self.code,
            "severity": self.severity,
            "file": at.file if at else None,
            "line": at.line if at else None,
            "column": at.column if at else None,
            "path": self.path,
            "message": self.message,
            "hint": self.hint,
        }


class SpecErrors(ValueError):
    """Everything that is wrong with a spec, at once.

    Attributes:
        diagnostics: The errors, ordered by place.
        sources: Text of the files that were read, for carets.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None) -> None:
        """Sorts and keeps the diagnostics, each once."""
        unique = dict.fromkeys(diagnostics)
        self.diagnostics = tuple(sorted(unique, key=_order))
        self.sources = dict(sources or {})
        super().__init__("\n".join(str(one) for one in self.diagnostics))

    def render(self, *, carets: bool = False, colour: bool = False) -> str:
        """The errors as text, one below the other.

        Args:
            carets: Whether the line of each error is shown with a caret below the column.
            colour: Whether ANSI colours are used.
        """
        lines: list[str] = []
        for one in self.diagnostics:
            text = f"{one}  [{one.code}]"
            lines.append(f"\x1b[1m{text}\x1b[0m" if colour else text)
            if carets and one.at is not None and one.code != SECRET:
                lines += snippet(self.sources.get(one.at.file, ""), one.at, colour=colour)
        return "\n".join(lines)


def _order(one: Diagnostic) -> tuple[str, int, int]:
    return (one.at.file, one.at.line, one.at.column) if one.at else ("", 0, 0)


def snippet(text: str, at: Position, *, colour: bool = False) -> list[str]:
    """The line at a position and a caret below its column; nothing where there is no such line."""
    rows = text.splitlines()
    if not 0 < at.line <= len(rows):
        return []
    row = rows[at.line - 1].replace("\t", " ")
    start = max(0, at.column - 100)
    number = f"{at.line:>5} | "
    caret = "\x1b[31m^\x1b[0m" if colour else "^"
    return [number + row[start : start + 140], " " * (len(number) + at.column - 1 - start) + caret]


@dataclass(slots=True, eq=False, repr=False)
class Findings:
    """A list of diagnostics that is filled while a spec is read.

    Attributes:
        errors: What stops.
        warnings: What is shown.
        sources: Text of every file read, by its shown name.
        unloaded: Plugins whose kinds are not known, each with the reason.
    """

    errors: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    unloaded: list[str] = field(default_factory=list)

    def error(self, code: str, message: str, *, hint: str = "", path: str = "", at: Position | None = None) -> None:
        """Adds an error."""
        self.errors.append(Diagnostic(code, message, hint, path, at))

    def warn(self, code: str, message: str, *, hint: str = "", path: str = "", at: Position | None = None) -> None:
        """Adds a warning."""
        self.warnings.append(Diagnostic(code, message, hint, path, at, "warning"))

    def stop(self) -> None:
        """Raises what has been found so far.

        Raises:
            SpecErrors: Where there is an error.
        """
        if self.errors:
            raise SpecErrors(self.errors, self.sources)


def shown(path: Path) -> str:
    """A path as people type it: relative to the working directory where it lies below it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`did you mean 'designs'?`, or an empty string."""
    from difflib import get_close_matches

    names = list(known)
    begun = [name for name in names if len(word) > 2 and name.startswith(word)]
    close = begun[:1] if len(begun) == 1 else get_close_matches(word, names, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else ""
