"""The decorator that makes a model the spec of a plugin's kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar, get_args, get_origin

from mxspec.plugins.points import POINTS
from mxspec.spec.base import Plugged, SpecModel

M = TypeVar("M", bound=SpecModel)


class PluginError(ValueError):
    """A plugin that cannot be used.

    Attributes:
        plugin: Its name; empty where it is not known yet.
        problem: What is wrong with it.
    """

    def __init__(self, problem: str, plugin: str = "") -> None:
        super().__init__(f"the plugin {plugin}: {problem}" if plugin else problem)
        self.plugin = plugin
        self.problem = problem


def register(point: str, *, implementation: str) -> Callable[[type[M]], type[M]]:
    """Registers a model as the spec of a kind.

    Args:
        point: The extension point (see `mxspec.plugins.POINTS`).
        implementation: `package.module:factory`, or `:factory` for one in the same file.

    Returns:
        A decorator for a `SpecModel` with `kind: Literal["<name>"]`.

    Raises:
        PluginError: The point, the factory's name or the model is not fit for it.
    """
    if point not in POINTS:
        raise PluginError(f"no extension point {point!r}; there is {', '.join(POINTS)}")
    module, colon, factory = implementation.partition(":")
    if not (colon and factory.isidentifier() and all(part.isidentifier() for part in module.split(".") if module)):
        raise PluginError(f"{implementation!r} is no `package.module:factory`")

    def mark(model: type[M]) -> type[M]:
        base = POINTS[point].base
        if not (isinstance(model, type) and issubclass(model, base)):
            raise PluginError(f"{getattr(model, '__name__', model)} is no {base.__name__}")
        field = model.model_fields.get("kind")
        names = get_args(field.annotation) if field is not None and get_origin(field.annotation) is Literal else ()
        if len(names) != 1 or not isinstance(names[0], str):
            raise PluginError(f'{model.__name__} has no `kind: Literal["<name>"]`')
        if names[0] in {_kind(one) for one in POINTS[point].kinds}:
            raise PluginError(f"the language has a {point} of kind {names[0]!r} itself")
        bare = [name for name, one in model.model_fields.items() if name != "kind" and not one.description]
        if bare:
            raise PluginError(f"{model.__name__}.{bare[0]} has no description; declare it with `leaf`")
        model.plugged = Plugged(point, names[0], implementation)
        return model

    return mark


def _kind(model: type[SpecModel]) -> str:
    return str(get_args(model.model_fields["kind"].annotation)[0])
