"""Being told to stop while a program of ours runs: the run ends through its `finally`s, and takes the program along.

Rule: Ctrl-C, SIGTERM and SIGHUP become exceptions, never while a program is being started: between its birth and the
moment that we know it, nobody could end it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _State:
    """Whether a signal must wait now, and which one does."""

    holding = False
    waiting: int | None = None


@contextmanager
def stoppable() -> Generator[None]:
    """Turn the signals into exceptions, KeyboardInterrupt or SystemExit; as before at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _stop) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held() -> Generator[None]:
    """Let a signal wait until the end of the block."""
    _State.holding = True
    try:
        yield
    finally:
        _State.holding = False
        waiting, _State.waiting = _State.waiting, None
    if waiting is not None:
        _stop(waiting, None)


def _stop(number: int, frame: FrameType | None) -> None:
    if _State.holding:
        _State.waiting = number
    elif number == signal.SIGINT:
        raise KeyboardInterrupt
    else:
        raise SystemExit(128 + number)
