"""A spec as one of its stages changes it."""

from __future__ import annotations

from mxspec.load.errors import Findings, Position
from mxspec.load.nodes import MapNode, from_plain
from mxspec.load.paths import parse_path, put
from mxspec.load.validate import validate
from mxspec.spec import Spec
from mxspec.spec.stages import Stage

_HERE = Position("stage")


def spec_in_stage(spec: Spec, stage: Stage) -> Spec:
    """The spec with what a stage sets for its time; it was checked when it was loaded."""
    if not stage.set:
        return spec
    root = from_plain(spec.model_dump(mode="json", by_alias=True), _HERE)
    for path, value in stage.set.items():
        root = put(root, parse_path(path), from_plain(value, _HERE))
    assert isinstance(root, MapNode)
    findings = Findings()
    found = validate(root, type(spec), findings)
    findings.stop()
    assert found is not None
    return found
