"""One point of a sweep: a set of changes with a name."""

from __future__ import annotations

from dataclasses import dataclass

from mxspec.load.errors import Position
from mxspec.load.nodes import Node

MAIN = "main"
"""The arm of a sweep that declares none, and of a spec without a sweep."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value set at a path, and where the sweep says so."""

    path: str
    node: Node
    at: Position


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a sweep.

    Attributes:
        name: Its name: that of its arm, and what sets it apart within it.
        arm: Its arm.
        changes: What it changes, in order; later ones win.
        label: How its errors call it.
    """

    name: str
    arm: str
    changes: tuple[Change, ...]
    label: str
