"""Functions of objects that never change, remembered by which objects they are: points of a sweep share most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

MOST_KNOWN = 50_000
"""Results that one function remembers; then it begins anew."""


class OncePerObject(Generic[T, R]):
    """A function of one object, called once for each object.

    The object is kept with the result, so that no other one takes over its id.
    """

    def __init__(self, make: Callable[[T], R]) -> None:
        self._make = make
        self._known: dict[int, tuple[T, R]] = {}

    def __call__(self, value: T) -> R:
        """The result for an object, which must not change."""
        known = self._known.get(id(value))
        if known is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[id(value)] = (value, self._make(value))
        return known[1]
