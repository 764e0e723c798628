"""Plugins that a spec names: code that adds kinds to the language."""

from typing import Annotated, Any

from pydantic import Discriminator, Tag

from mxspec.spec.base import SpecModel, leaf


class PluginFile(SpecModel):
    """A Python file; loading puts its text into the spec once it is trusted, and the text is identity of its kinds."""

    name: str = leaf("Name of the file, without its directory; loading fills it in.", default="plugin.py")
    file: str | None = leaf("The file, relative to the file that names it.", default=None)
    text: str | None = leaf("The code itself; never interpolated.", default=None)


class PluginPackage(SpecModel):
    """An installed package with an entry point in the group `mxspec.plugins`; installing it was trusting it."""

    package: str = leaf("Name of the entry point.", min_length=1)
    version: str | None = leaf("Version of the distribution; loading fills it in.", default=None)


def _which(value: Any) -> str:
    return "package" if isinstance(value, PluginPackage) or (isinstance(value, dict) and "package" in value) else "file"


Plugin = Annotated[Annotated[PluginFile, Tag("file")] | Annotated[PluginPackage, Tag("package")], Discriminator(_which)]
