"""Shell completion: the script that a shell loads, and what may stand for an argument."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

VARIABLE = "_MXSPEC_COMPLETE"
"""Set by the shell's script when it asks for completions."""
WHOLE_WORDS = """\
# bash ends a word at a colon, and `mxspec:` begins the names of shipped specs.
COMP_WORDBREAKS=${COMP_WORDBREAKS//:}"""
SHELLS = ("bash", "zsh", "fish", "powershell")


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell.")],
) -> None:
    """Print the script that completes mxspec in a shell.

    For bash: `eval "$(mxspec completion bash)"` in ~/.bashrc. For zsh the same in ~/.zshrc, after `compinit`.
    For fish: `mxspec completion fish > ~/.config/fish/completions/mxspec.fish`.
    """
    import typer.completion

    from mxspec.cli.exits import UsageError

    if shell not in SHELLS:
        raise UsageError(f"no completion for {shell!r}", hint=f"shells are {', '.join(SHELLS)}")
    scripts: Any = typer.completion
    print(scripts.get_completion_script(prog_name="mxspec", complete_var=VARIABLE, shell=shell))
    if shell == "bash":
        print(WHOLE_WORDS)


def specs(incomplete: str) -> Iterator[str]:
    """Spec files and directories that go on from what was typed, and shipped specs."""
    from mxspec.load.shipped import PREFIX, specs_dir

    if incomplete and PREFIX.startswith(incomplete[: len(PREFIX)]):
        shipped = specs_dir()
        names = sorted(path.relative_to(shipped).as_posix() for path in shipped.rglob("*.yaml"))
        yield from (one for name in names if (one := f"{PREFIX}{name}").startswith(incomplete))
    folder, _, start = incomplete.rpartition("/")
    place = Path(folder or ("/" if incomplete.startswith("/") else "."))
    try:
        entries = sorted(place.iterdir())
    except OSError:
        return
    for entry in entries:
        if not entry.name.startswith(start) or (entry.name.startswith(".") and not start):
            continue
        shown = f"{folder}/{entry.name}" if "/" in incomplete else entry.name
        if entry.is_dir():
            yield f"{shown}/"
        elif entry.suffix in (".yaml", ".yml"):
            yield shown


def arms(incomplete: str) -> Iterator[str]:
    """Names of the arms that the spec on the command line declares; a sweep is never inherited."""
    from mxspec.load.errors import Findings
    from mxspec.load.nodes import MapNode, get
    from mxspec.load.read import read_file
    from mxspec.load.shipped import locate

    spec = next((word for word in _words() if word.endswith((".yaml", ".yml"))), None)
    root = read_file(locate(spec, Path.cwd()), Findings(), None) if spec else None
    declared = get(root, ("sweep", "arms")) if root is not None else None
    if isinstance(declared, MapNode):
        yield from (name for name in declared.entries if name.startswith(incomplete))


def _words() -> list[str]:
    """The words of the command line; bash hands them over in one variable, other shells in another."""
    return os.environ.get("COMP_WORDS", os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()


def template_names(incomplete: str) -> Iterator[str]:
    """Names of the templates of `mxspec init`."""
    from mxspec.load.shipped import specs_dir

    names = sorted(path.stem for path in (specs_dir() / "templates").glob("*.yaml"))
    yield from (name for name in names if name.startswith(incomplete))
