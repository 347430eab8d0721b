"""Whether what was folded was needed again.

Rule: by what the model calls, not by what it says. A call that names an archive reads it back; a call that a folded
unit had made, name and input alike, repeats it; the first of either in the turn right behind a fold says that the fold
came too early. (First post, "What I count".)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from foldcover_harness.session.wires.wire import Call


@dataclass(slots=True)
class Counters:
    """What the posts ask to be counted."""

    read_backs: int = 0
    """Tool calls that name an archive of ours."""
    repeated: int = 0
    """Tool calls that a folded unit had made already, name and input alike."""
    reopened: int = 0
    """Units that the very next turn after their fold read back or repeated."""


@dataclass(slots=True)
class Watch:
    """Counts, call by call. What was folded is kept as digests of its calls and the name of its archive."""

    counters: Counters = field(default_factory=Counters)
    _calls: dict[bytes, int] = field(default_factory=dict[bytes, int])
    _archives: dict[str, int] = field(default_factory=dict[str, int])
    _fresh: set[int] = field(default_factory=set[int])
    """Units folded since the last user message."""
    _watched: set[int] = field(default_factory=set[int])
    """Units whose fold the present turn follows at once, and which it has not reopened yet."""

    def turn(self) -> None:
        """A turn begins."""
        self._watched, self._fresh = self._fresh, set()

    def folded(self, unit: int, archive: str, calls: Iterable[Call]) -> None:
        """A unit was folded, with the calls that its turns had made."""
        for call in calls:
            self._calls[_digest(call)] = unit
        self._archives[archive] = unit
        self._fresh.add(unit)

    def called(self, calls: Iterable[Call]) -> None:
        """The model made calls."""
        for call in calls if self._archives else ():
            given = call.input if isinstance(call.input, str) else json.dumps(call.input, default=str)
            again = {self._archives[name] for name in _names_in(given) if name in self._archives}
            self.counters.read_backs += bool(again)
            unit = self._calls.get(_digest(call))
            if unit is not None:
                self.counters.repeated += 1
                again.add(unit)
            self.counters.reopened += len(again & self._watched)
            self._watched -= again


def _digest(call: Call) -> bytes:
    text = json.dumps([call.name, call.input], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).digest()[:12]


def _names_in(text: str) -> Iterator[str]:
    """Whatever may be the name of an archive in a text."""
    at = text.find(".txt")
    while at >= 0:
        yield text[max(at - 16, 0) : at + 4]
        at = text.find(".txt", at + 4)
