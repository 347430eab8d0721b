"""What the session tells its caller.

Rule: a report says what was done and what could not be, in plain words; nothing is papered over.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from foldcover import Block, Outcome
from foldcover_harness.session.prompt import Load

NO_LINE = "no line for"
"""How trouble with a block's line begins."""
_FIGURES = re.compile(r"[0-9,]+")


class SessionError(Exception):
    """A call that the session cannot take, with one clear line. Nothing was changed."""


class Said:
    """What was said already. Trouble with a block's line is said once; that with the whole cover, or with the prompt,
    again when it was gone meanwhile. The figures in what is said of the prompt may change.
    """

    def __init__(self) -> None:
        self._cover: set[str] = set()
        self._full = ""

    def fresh(self, cover: list[str] | None, full: str, compacted: bool) -> tuple[str, ...]:
        """Which lines are to be said now: those about the cover (None where nothing closed), and one about the prompt,
        always where something was done about it.
        """
        told: list[str] = []
        if cover is not None:
            told = [line for line in cover if line not in self._cover]
            self._cover = {line for line in self._cover if line.startswith(NO_LINE)} | set(cover)
        kind = _FIGURES.sub("", full)
        if full and (compacted or kind != self._full):
            told.append(full)
        self._full = kind
        return tuple(told)


class TurnReport(NamedTuple):
    """What the end of a turn came to."""

    folded: tuple[str, ...]
    """The titles of the units that were folded, in order."""
    written: tuple[Block, ...]
    """Blocks whose line was written."""
    merged: tuple[Block, ...]
    """Blocks that were merged, in order."""
    outcome: Outcome
    """How the cover's settle ended; FITS also where nothing closed."""
    compacted: bool
    """Whether a summary took the place of the tail."""
    load: Load
    """What the next request weighs, by estimate."""
    said: tuple[str, ...]
    """What could not be done, or what the user should know: a line each. Nothing is said twice in a row."""
