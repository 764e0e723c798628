"""Where the structure of a multi-agent system comes from."""

from typing import Annotated, Literal

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


Structure = Annotated[Generated | Fixed, Field(discriminator="kind")]
