"""Where the structure of a multi-agent system comes from."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from mxspec.spec.base import SpecModel, leaf


class Generated(SpecModel):
    """A role writes a script for every question (levels: designs, executions)."""

    kind: Literal["generated"]
    writer: str = leaf("Role that writes the script.")


class Fixed(SpecModel):
    """One script of ours for every question (level: executions)."""

    kind: Literal["fixed"]
    file: str | None = leaf(
        "The script, relative to the file that names it; loading puts it into `text`.", default=None
    )
    text: str | None = leaf("The script itself; never interpolated.", default=None)


class Script(SpecModel):
    """A script in a file."""

    file: str | None = leaf("The script, relative to the file that names it.", default=None)
    text: str | None = leaf("The script itself; never interpolated.", default=None)


class Searched(SpecModel):
    """A stage of kind search looks for a script that a role rewrites (level: executions)."""

    kind: Literal["searched"]
    writer: str = leaf("Role that rewrites scripts.")
    start: Script = leaf("Where the search starts; a path stands for `{file: path}`.")


class Level(SpecModel):
    """One level of a cascade."""

    role: str = leaf("Role that writes the nodes of this level.")
    writes: Literal["question", "design", "answer", "score"] = leaf("What a node is to the levels below it.")


class Cascade(SpecModel):
    """Roles that write one after the other; the levels are the keys of `rollout.tree`."""

    kind: Literal["cascade"]
    levels: dict[str, Level] = leaf("Levels from the question down.", min_length=1)


class PluggedStructure(SpecModel):
    """What a structure of a plugin extends; `tree_levels` names the levels of its tree."""

    tree_levels: ClassVar[tuple[str, ...]] = ("executions",)

    writer: str | None = leaf("Role that writes what is executed, if one does.", default=None)


Structure = Annotated[Generated | Fixed | Searched | Cascade, Field(discriminator="kind")]
