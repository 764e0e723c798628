"""`mxspec init`: a spec of one's own, and the schema that an editor completes it by."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mxspec.cli.completion import template_names
from mxspec.cli.options import JSON

if TYPE_CHECKING:
    from collections.abc import Mapping

TEMPLATE = typer.Option(
    "--template",
    "-t",
    metavar="NAME",
    help="What to start from; --list shows all.",
    autocompletion=template_names,
)
SCHEMA = "mxspec.schema.json"
EDITOR_LINE = f"# yaml-language-server: $schema={SCHEMA}"
"""What the YAML language server (of VS Code, Neovim, Emacs, ..) reads."""


def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The spec to write.")] = Path("experiment.yaml"),
    template: Annotated[str, TEMPLATE] = "quickstart",
    show_all: Annotated[bool, typer.Option("--list", help="List the templates and write nothing.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    json: Annotated[bool, JSON] = False,
) -> None:
    """Write a spec to start from, and the JSON Schema beside it that editors complete and check by.

    The spec extends one that is shipped, validates as it is, and is yours to change.
    """
    from mxspec.cli.exits import CliError, UsageError
    from mxspec.cli.output import print_json, say
    from mxspec.load.errors import did_you_mean
    from mxspec.rundir.files import write_whole

    known = templates()
    if show_all:
        if json:
            print_json("init", {"templates": {name: about for name, (about, _) in known.items()}})
        else:
            width = max(map(len, known))
            for name, (about, _) in known.items():
                print(f"{name:<{width}}  {about}")
        return
    if template not in known:
        hint = did_you_mean(template, known) or f"there is {', '.join(known)}"
        raise UsageError(f"no template {template!r}", hint=hint)
    if file.suffix not in (".yaml", ".yml"):
        raise UsageError(f"{file} is no YAML file", hint=f"write {file.with_suffix('.yaml')}")
    if file.exists() and not force:
        raise CliError(f"{file} exists", hint="choose another name, or say --force")
    name = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-") or "experiment"
    text = re.sub(r"^name: .*$", f"name: {name}", known[template][1], count=1, flags=re.MULTILINE)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, f"{EDITOR_LINE}\n{text}")
    schema = file.with_name(SCHEMA)
    write_whole(schema, _schema())
    if json:
        print_json("init", {"file": str(file), "schema": str(schema), "template": template})
    else:
        say(f"wrote {file} and {schema}")
        print(f"next: mxspec validate {file}; mxspec plan {file}; mxspec run {file}")


def templates() -> Mapping[str, tuple[str, str]]:
    """Name -> what the first sentence of its comment says, and its text; the quickstart first."""
    from mxspec.load.shipped import specs_dir

    found: dict[str, tuple[str, str]] = {}
    files = {path.stem: path for path in sorted((specs_dir() / "templates").glob("*.yaml"))}
    for name in ("quickstart", *(one for one in files if one != "quickstart")):
        text = files[name].read_text(encoding="utf-8")
        comment = takewhile(lambda line: line.startswith("#"), text.splitlines())
        found[name] = (" ".join(line.removeprefix("#").strip() for line in comment), text)
    return found


def _schema() -> str:
    from json import dumps

    from mxspec.load.schema import json_schema

    return dumps(json_schema("spec"), indent=1, ensure_ascii=False) + "\n"
