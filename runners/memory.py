"""Memory of a process that trains: what is kept, and what is looked through for garbage.

A run allocates and frees the same large buffers thousands of times, and holds half a million
objects (modules, configurations) that live to its end. Two defaults are made for other programs:
the C library hands large buffers back to the system at once, and each of Python's full garbage
collections looks through every object again. Both cost time and change no number.
"""

from __future__ import annotations

import ctypes
import gc
import platform
from collections.abc import Iterator
from contextlib import contextmanager

_HEAP_BYTES = 1 << 25
"""Buffers up to this size, the most that mallopt(3) takes, come from the heap."""
_KEPT_BYTES = 1 << 30
"""This much free memory at the end of the heap stays with the process."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3)."""
_YOUNG_OBJECTS = 20_000
"""New objects between two garbage collections."""


def keep_freed_memory() -> bool:
    """Has the C library keep freed memory for the next buffer of its size.

    Returns:
        Whether it does; only the GNU C library can be told to.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    mallopt = ctypes.CDLL(None).mallopt
    return bool(mallopt(_M_MMAP_THRESHOLD, _HEAP_BYTES)) and bool(mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES))


@contextmanager
def settled_memory() -> Iterator[None]:
    """Takes what exists now out of garbage collection, until the block ends."""
    keep_freed_memory()
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
