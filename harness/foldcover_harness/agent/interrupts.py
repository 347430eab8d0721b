"""Ctrl-C at the places where it may strike; so too the end of the terminal, and the system's request to end.

Rule: within an `Interrupts` Ctrl-C raises KeyboardInterrupt at once, and the others raise SystemExit, so that what runs
is ended as by Ctrl-C and nothing is left behind; anywhere else a signal waits, so that a session is never left between
two of its events, and strikes when the next such place is entered. Meanwhile `stop` is set, for whoever looks at it.
"""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager
from threading import Event
from types import FrameType
from typing import Any, Final

ENDS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What ends the program."""


class Interrupts(AbstractContextManager[None]):
    """Where Ctrl-C may strike. For the main thread; entered again and again, never within itself."""

    def __init__(self) -> None:
        self.stop = Event()
        self._inside = False
        self._before: dict[int, Any] = {}
        self._struck: int = signal.SIGINT

    def install(self) -> None:
        """Take the signals over, but for an end that is ignored: nohup means it."""
        for each in (signal.SIGINT, *ENDS):
            if each == signal.SIGINT or signal.getsignal(each) is not signal.SIG_IGN:
                self._before[each] = signal.signal(each, self._strike)

    def remove(self) -> None:
        """Give them back."""
        for each, before in self._before.items():
            signal.signal(each, before)

    def __enter__(self) -> None:
        self._inside = True
        if self.stop.is_set():
            self._raise()

    def __exit__(self, *_: object) -> None:
        self._inside = False

    def _strike(self, signum: int, frame: FrameType | None) -> None:
        if not (self.stop.is_set() and self._struck in ENDS):  # an end that waits is not forgotten for a Ctrl-C
            self._struck = signum
        if self._inside:
            self._raise()
        self.stop.set()

    def _raise(self) -> None:
        self._inside = False
        self.stop.clear()
        if self._struck in ENDS:
            raise SystemExit(128 + self._struck)
        raise KeyboardInterrupt
