"""How an error ends the process: words on stderr, a code, and no traceback without --debug."""

from __future__ import annotations

import sys

from mxspec.cli import exits
from mxspec.cli.output import colourful, say


def exit_code_of(error: BaseException) -> int:
    """Reports an error on stderr and gives the exit code that stands for it.

    Args:
        error: What a verb raised.

    Returns:
        An exit code of `mxspec.cli.exits`.

    Raises:
        BaseException: `GeneratorExit` and the like, which are no errors of ours.
    """
    if isinstance(error, SystemExit):
        if isinstance(error.__context__, BrokenPipeError):  # `| head` has seen enough
            return exits.OK
        return error.code if isinstance(error.code, int) else exits.FAILED
    from typer import Abort, Exit
    from typer._click.exceptions import ClickException

    from mxspec.load.errors import SpecErrors

    match error:
        case KeyboardInterrupt() | Abort():
            say("interrupted")
            return exits.INTERRUPTED
        case Exit():
            return error.exit_code
        case ClickException():
            error.show()
            return exits.USAGE
        case SpecErrors():
            say(error.render(carets=sys.stderr.isatty(), colour=colourful(sys.stderr)))
            return exits.INVALID_SPEC
        case BrokenPipeError():
            sys.stderr.close()
            return exits.OK
        case exits.CliError():
            say(f"error: {error}")
            return error.exit_code
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            say(f"error: {where}{error.strerror or error}")
            return exits.FAILED
        case ModuleNotFoundError() if error.name and not error.name.startswith("mxspec"):
            say(f"error: the package {error.name!r} is not installed; install mxspec with the extra that brings it")
            return exits.MISSING_ENVIRONMENT
        case ValueError():
            say(f"error: {error}")
            return exits.FAILED
        case Exception():
            say(f"internal error: {type(error).__name__}: {error}\nthis is a bug; --debug shows where")
            return exits.FAILED
    raise error
