"""Asking again, a bounded number of times.

Rule: an answer that did not come or broke off is asked for again from nothing, after a pause that doubles, or after the
one that the provider asks for. `stop` ends a pause at once. The providers' libraries could repeat a request too, but
not an answer that broke off in the middle, and nothing ends their pauses; so theirs is off and this is the only one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from threading import Event
from typing import Final, NamedTuple

from foldcover_harness.models.errors import Broken
from foldcover_harness.models.model import Answer, ModelError, Show, Stopped

LONGEST: Final = 60.0
"""Seconds: who asks to wait longer is not waited for."""


class Retries(NamedTuple):
    """How often and how patiently."""

    times: int = 4
    """Repetitions after the first time."""
    pause: float = 1.0
    """Seconds before the first repetition; each further pause is twice as long, up to LONGEST. A quarter of it is
    chance, so that several that were refused together do not come back together.
    """


def repeated(once: Callable[[], Answer], retries: Retries, show: Show | None, stop: Event | None) -> Answer:
    """The first whole answer. ModelError with the last reason where there is none, Stopped."""
    for taken in range(retries.times + 1):
        check(stop)
        try:
            return once()
        except Broken as broken:
            if broken.wait is not None and broken.wait > LONGEST:
                raise ModelError(f"{broken} (asks to wait {broken.wait:.0f} s)") from broken
            if taken == retries.times:
                often = f" (asked {taken + 1} times)" if taken else ""
                raise ModelError(f"{broken}{often}") from broken
            pause = broken.wait
            if pause is None:
                pause = min(LONGEST, retries.pause * 2**taken) * random.uniform(0.75, 1)
            if show is not None:
                show("again", f"{broken}; again in {pause:.0f} s")
        (stop.wait if stop is not None else time.sleep)(pause)
    raise AssertionError  # a range of at least one always returned or raised


def check(stop: Event | None) -> None:
    """Stopped where the caller wants no answer any more."""
    if stop is not None and stop.is_set():
        raise Stopped("stopped")
