"""Ctrl-C at the places where it may strike.

Rule: within an `Interrupts` Ctrl-C raises KeyboardInterrupt at once; anywhere else it waits, so that a session is never
left between two of its events, and strikes when the next such place is entered. Meanwhile `stop` is set, for whoever
looks at it.
"""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager
from threading import Event
from types import FrameType
from typing import Any


class Interrupts(AbstractContextManager[None]):
    """Where Ctrl-C may strike. For the main thread; entered again and again, never within itself."""

    def __init__(self) -> None:
        self.stop = Event()
        self._inside = False
        self._before: Any = None

    def install(self) -> None:
        """Take Ctrl-C over."""
        self._before = signal.signal(signal.SIGINT, self._strike)

    def remove(self) -> None:
        """Give Ctrl-C back."""
        signal.signal(signal.SIGINT, self._before)

    def __enter__(self) -> None:
        self._inside = True
        if self.stop.is_set():
            self._raise()

    def __exit__(self, *_: object) -> None:
        self._inside = False

    def _strike(self, signum: int, frame: FrameType | None) -> None:
        if self._inside:
            self._raise()
        self.stop.set()

    def _raise(self) -> None:
        self._inside = False
        self.stop.clear()
        raise KeyboardInterrupt
