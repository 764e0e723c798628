"""Text -> Spec: read, compose, resolve, check, diagnose."""

from mxspec.load.errors import Diagnostic, Position, SpecErrors
from mxspec.load.loaded import Arm, Loaded, load_spec

__all__ = ["Arm", "Diagnostic", "Loaded", "Position", "SpecErrors", "load_spec"]
