"""Text -> Spec: read, compose, resolve, check, diagnose.

What is exported here is imported when it is asked for, so that whoever needs one small part
(`mxspec.load.errors`, `mxspec.load.read`) does not pay for the models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mxspec.load.errors import Diagnostic, Position, SpecErrors
    from mxspec.load.loaded import Arm, Loaded
    from mxspec.load.loading import load_spec

__all__ = ["Arm", "Diagnostic", "Loaded", "Position", "SpecErrors", "load_spec"]


def __getattr__(name: str) -> object:
    """An exported name, from the module that has it."""
    if name not in __all__:
        raise AttributeError(f"mxspec.load has no {name}")
    from importlib import import_module

    module = {"Arm": "loaded", "Loaded": "loaded", "load_spec": "loading"}.get(name, "errors")
    return getattr(import_module(f"mxspec.load.{module}"), name)
