"""The table of verbs, and the app that imports a verb's module only when it is called.

To add a verb:

1. Write `mxspec/cli/<verb>.py` with a function annotated for typer::

       def run(spec: Annotated[Path, typer.Argument(help="...")], json: Annotated[bool, JSON] = False) -> None: ...

   Its docstring's first paragraph is the help text. `from mxspec.cli.options import JSON` gives the
   shared options. Import anything heavy inside the function.
2. Add one line to `VERBS`: `"<verb>": ("mxspec.cli.<verb>:<function>", "One line for --help.")`.

A verb prints data with `mxspec.cli.output.print_json` or `print`, talks with `say`, ends with
another code than 0 through `raise typer.Exit(code)`, and reports what the user can act on
with an error of `mxspec.cli.exits` (or `SpecErrors`). Ctrl-C reaches it as KeyboardInterrupt.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from mxspec import __version__
from mxspec.cli import exits
from mxspec.cli.completion import VARIABLE

if TYPE_CHECKING:
    from typer._click.core import Command, Context
    from typer._click.formatting import HelpFormatter

VERBS: dict[str, tuple[str, str]] = {
    "init": ("mxspec.cli.init:init", "Write a spec to start from, and the schema for your editor."),
    "validate": ("mxspec.cli.validate:validate", "Check spec files; every error at once."),
    "check": ("mxspec.cli.check:check", "Check a spec against its data, its models and this machine."),
    "plan": ("mxspec.cli.plan:plan", "Show what would run, what is done already, and what it takes."),
    "run": ("mxspec.cli.run:run", "Run what is not done yet, and land the results in the store."),
    "ls": ("mxspec.cli.ls:ls", "List the runs and where they stand."),
    "logs": ("mxspec.cli.logs:logs", "Print the log of a run, or follow it."),
    "collect": ("mxspec.cli.collect:collect", "Bring the store of results up to date."),
    "sql": ("mxspec.cli.sql:sql", "Query the results with SQL."),
    "report": ("mxspec.cli.report:report", "Show what was measured, and write a page about it."),
    "grade": ("mxspec.cli.grade:grade", "Judge one answer as a benchmark would, and say why."),
    "diff": ("mxspec.cli.diff:diff", "Show the values in which two specs, runs or plans differ."),
    "show": ("mxspec.cli.show:show", "Print a spec as it was read, resolved, or with the origin of every value."),
    "completion": ("mxspec.cli.completion:completion", "Print the completion script of a shell."),
    "schema": ("mxspec.cli.schema:schema", "Print the JSON Schema of the spec language."),
}
"""Verb -> (`module:function`, line for --help), in the order of --help."""


LONG = ("check", "run", "logs", "collect", "sql", "report")
"""Verbs that work for longer, so that garbage is collected; all others end before it would pay."""


class Verbs(TyperGroup):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: Context) -> list[str]:
        """The verbs, in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Imports a verb; None where there is none of that name."""
        if cmd_name not in VERBS:
            return None
        if cmd_name in LONG:
            gc.enable()
        else:  # to look for plugins of pydantic's takes as long as to read a spec
            os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
        module, _, name = VERBS[cmd_name][0].partition(":")
        one = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        one.command(cmd_name)(getattr(import_module(module), name))
        return typer.main.get_command(one)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Lists the verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in VERBS.items()])


app = typer.Typer(
    cls=Verbs,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"mxspec {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Declare, train and compare self-designing, self-executing LLM agent systems."""


def run_app(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        arguments: What follows the program's name; `sys.argv` where None.

    Returns:
        The exit code (see `mxspec.cli.exits`).
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    given = [one for one in given if one != "--debug"]
    given = [f" {one}" if one.startswith("-- ") else one for one in given]  # a query that begins with a comment
    command: Any = typer.main.get_command(app)
    if VARIABLE in os.environ:
        shells: Any = import_module("typer.completion")
        shells.completion_init()
    try:
        code = command.main(args=given, prog_name="mxspec", standalone_mode=False)
    except BaseException as error:
        if debug and not isinstance(error, (SystemExit, KeyboardInterrupt)):
            raise
        from mxspec.cli.failure import exit_code_of

        return exit_code_of(error)
    return code if isinstance(code, int) else exits.OK
