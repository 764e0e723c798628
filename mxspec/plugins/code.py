"""A plugin's code -> the models of its kinds. Whoever calls this has made sure that the code is trusted."""

from __future__ import annotations

import hashlib
import linecache
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, cast

from mxspec.plugins.register import PluginError
from mxspec.spec.base import SpecModel
from mxspec.spec.plugin import Plugin, PluginFile

GROUP = "mxspec.plugins"
"""The group of entry points of packages that are plugins."""

Kinds = tuple[type[SpecModel], ...]


def digest_of(text: str) -> str:
    """Hash of a plugin's code, as 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def kinds_of(plugin: Plugin) -> Kinds:
    """Runs a plugin's code, once in a process, and finds its kinds.

    Raises:
        PluginError: It fails, registers nothing, or is another version than the spec was planned with.
    """
    if isinstance(plugin, PluginFile):
        return () if plugin.text is None else _of_text(plugin.name, plugin.text)
    found = entry_point(plugin.package)
    installed = version_of(found)
    if plugin.version not in (None, installed):
        raise PluginError(f"planned with version {plugin.version}, and {installed} is installed", plugin.package)
    return _of_package(plugin.package, installed)


def entry_point(name: str) -> EntryPoint:
    """The entry point of a plugin's package.

    Raises:
        PluginError: No installed package has it, or several have.
    """
    every = entry_points(group=GROUP)
    found = [one for one in every if one.name == name]
    if len(found) != 1:
        known = ", ".join(sorted({one.name for one in every})) or "none"
        problem = "several packages have it" if found else f"no installed package has it; plugins installed: {known}"
        raise PluginError(problem, name)
    return found[0]


def version_of(found: EntryPoint) -> str:
    """The version of the distribution that an entry point belongs to."""
    return found.dist.version if found.dist is not None else "0"


@lru_cache(maxsize=64)
def _of_text(name: str, text: str) -> Kinds:
    digest = digest_of(text)
    module = ModuleType(f"mxspec_plugin_{digest[:16]}")
    file = f"<plugin {name} {digest[:8]}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    sys.modules[module.__name__] = module  # pydantic looks names of annotations up in it
    try:
        exec(compile(text, file, "exec", dont_inherit=True), module.__dict__)
        return _registered(module, name, digest)
    except (Exception, SystemExit) as error:  # whatever foreign code raises is a fault of the plugin
        del sys.modules[module.__name__]
        raise _failed(error, name) from error


@lru_cache(maxsize=64)
def _of_package(name: str, version: str) -> Kinds:
    found = entry_point(name)
    try:
        module = found.load()
        if not isinstance(module, ModuleType):
            raise PluginError("its entry point is no module")
        return _registered(module, name, digest_of(f"{name}=={version}"))
    except (Exception, SystemExit) as error:
        raise _failed(error, name) from error


def _failed(error: BaseException, name: str) -> PluginError:
    if isinstance(error, PluginError):
        return PluginError(error.problem, name)
    said = " ".join(str(error).split())
    return PluginError(f"failed to load ({type(error).__name__}{f': {said[:200]}' if said else ''})", name)


def _registered(module: ModuleType, name: str, digest: str) -> Kinds:
    found = [
        one
        for one in vars(module).values()
        if isinstance(one, type)
        and issubclass(one, SpecModel)
        and "plugged" in vars(one)
        and one.plugged is not None
        and one.__module__ == module.__name__
    ]
    if not found:
        raise PluginError("it registers no kind; decorate the model with `mxspec.plugins.register`")
    for model in found:
        assert model.plugged is not None
        model.plugged = model.plugged._replace(plugin=name, digest=digest)
        model.model_rebuild()
    return tuple(dict.fromkeys(found))


def implementation_of(spec: SpecModel) -> Callable[..., Any]:
    """The factory of a plugin's kind, imported now.

    Raises:
        PluginError: It cannot be imported.
    """
    assert spec.plugged is not None, "a kind of the language has no factory"
    module, _, factory = spec.plugged.implementation.partition(":")
    try:
        found = getattr(import_module(module or type(spec).__module__), factory)
    except (Exception, SystemExit) as error:
        raise _failed(error, spec.plugged.plugin) from error
    if not callable(found):
        raise PluginError(f"{spec.plugged.implementation} is no function", spec.plugged.plugin)
    return cast(Callable[..., Any], found)
