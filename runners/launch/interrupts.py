"""Ctrl-C and SIGTERM: the first asks for a stop after the step in progress, the second stops at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals(stop: Event, on_first: Callable[[], None] = lambda: None) -> Iterator[None]:
    """While the block runs, the first signal sets `stop`, and any further one raises KeyboardInterrupt.

    Outside the main thread, where Python takes no signal handlers, it changes nothing.

    Args:
        stop: Set by the first signal.
        on_first: Called after that; it should do no more than print a line.
    """
    if current_thread() is not main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        on_first()

    before = {number: signal.signal(number, handle) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
