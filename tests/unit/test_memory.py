"""What a training process does with memory is undone at its end."""

from __future__ import annotations

import gc
import platform

import pytest

from runners.memory import keep_freed_memory, settled_memory


def test_what_exists_is_left_out_of_garbage_collection_until_the_block_ends() -> None:
    before = gc.get_threshold()
    with settled_memory():
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold() != before
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == before


def test_it_ends_where_the_block_fails() -> None:
    with pytest.raises(ValueError, match="inside"), settled_memory():
        raise ValueError("inside")
    assert gc.get_freeze_count() == 0


def test_garbage_of_the_block_is_still_found() -> None:
    class Loop:
        def __init__(self) -> None:
            self.itself = self

    with settled_memory():
        loops = [Loop() for _ in range(3)]
        del loops
        assert gc.collect() >= 3


def test_the_c_library_takes_the_settings() -> None:
    assert keep_freed_memory() == (platform.libc_ver()[0] == "glibc")
