"""The spec language as pydantic models, one concept a file."""

from mxspec.spec.spec import Spec

__all__ = ["Spec"]
