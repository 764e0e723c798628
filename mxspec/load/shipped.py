"""Where the specs that come with mxspec are."""

from __future__ import annotations

from pathlib import Path

import mxspec

PREFIX = "mxspec:"


def specs_dir() -> Path:
    """The directory of the shipped specs.

    A wheel carries them as `mxspec/specs`; a checkout has them in `specs/` beside the package.

    Raises:
        FileNotFoundError: Neither is there; the installation is broken.
    """
    package = Path(mxspec.__file__).parent
    for place in (package / "specs", package.parent / "specs"):
        if (place / "benchmarks").is_dir():
            return place
    raise FileNotFoundError("the shipped specs are missing; install mxspec again")


def locate(reference: str, relative_to: Path) -> Path:
    """The file that a reference names.

    Args:
        reference: `mxspec:<path>` for a shipped file, else a path.
        relative_to: Directory that a relative path starts from.
    """
    if reference.startswith(PREFIX):
        inner = Path(reference.removeprefix(PREFIX))
        if inner.is_absolute() or ".." in inner.parts:  # no shipped file has such a name
            return specs_dir() / "none" / inner.name
        return specs_dir() / inner
    found = relative_to / Path(reference).expanduser()
    try:
        return found.resolve()
    except (OSError, RuntimeError):  # a circle of links: reading it says so
        return found.absolute()


def benchmark_names() -> tuple[str, ...]:
    """Names of the shipped benchmarks."""
    return tuple(sorted(path.stem for path in (specs_dir() / "benchmarks").glob("*.yaml")))
