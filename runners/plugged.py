"""What plugins implement, called so that a fault of theirs names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mxspec.plugins.code import implementation_of
from mxspec.plugins.register import PluginError
from mxspec.spec.base import SpecModel

T = TypeVar("T")


def made(spec: SpecModel, *arguments: Any, **named: Any) -> Any:
    """What a plugin's factory makes of the spec of its kind.

    Raises:
        PluginError: The factory cannot be imported, or raises.
    """
    return called(spec, implementation_of(spec), spec, *arguments, **named)


def called(spec: SpecModel, function: Callable[..., T], *arguments: Any, **named: Any) -> T:
    """Calls a function of a plugin.

    Raises:
        PluginError: It raised; never a score.
    """
    assert spec.plugged is not None
    try:
        return function(*arguments, **named)
    except PluginError:
        raise
    except Exception as error:  # whatever foreign code raises is a fault of the plugin
        said = " ".join(str(error).split())[:200]
        problem = f"its {spec.plugged.point} {spec.plugged.kind!r} raised {type(error).__name__}: {said}"
        raise PluginError(problem, spec.plugged.plugin) from error


def require(spec: SpecModel, good: bool, problem: str) -> None:
    """Checks what a plugin made.

    Raises:
        PluginError: It is not what its point asks for.
    """
    assert spec.plugged is not None
    if not good:
        raise PluginError(f"its {spec.plugged.point} {spec.plugged.kind!r} {problem}", spec.plugged.plugin)
