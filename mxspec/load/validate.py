"""A tree -> a model, strictly; all errors at once."""

from __future__ import annotations

import json
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from mxspec.load.errors import Findings
from mxspec.load.interpolate import has_marks
from mxspec.load.nodes import MapNode, to_plain, walk

M = TypeVar("M", bound=BaseModel)


def validate(root: MapNode, model: type[M], findings: Findings, *, partial: bool = False) -> M | None:
    """Checks a resolved tree against a model, in pydantic's strict JSON mode.

    Args:
        root: The tree.
        model: The model of its top level.
        findings: Where errors go.
        partial: Whether missing keys are fine (a base).

    Returns:
        The model, or None where the tree does not fit (always None for a partial one with gaps).
    """
    from mxspec.load.forbidden import forbidden_values
    from mxspec.load.levels import unknown_levels

    reported = forbidden_values(root, findings, model) | unknown_levels(root, findings)
    if findings.errors:  # a reference that could not be resolved was told
        reported |= {path for path, node in walk(root) if has_marks(path, node) and path[0] != "runtime"}
    try:
        found = model.model_validate_json(json.dumps(to_plain(root)))
    except ValidationError as error:
        from mxspec.load.diagnose import diagnose  # only what is wrong needs it

        diagnose(root, error.errors(include_url=False), findings, reported, start=model, partial=partial)
        return None
    return None if reported else found
