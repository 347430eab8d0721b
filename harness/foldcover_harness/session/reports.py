"""What the session tells its caller.

Rule: a report says what was done and what could not be, in plain words; nothing is papered over.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from foldcover import Block, Outcome
from foldcover_harness.session.keeper import Kept
from foldcover_harness.session.prompt import Load

NO_LINE = "no line for"
"""How trouble with a block's line begins."""
_FIGURES = re.compile(r"[0-9,]+")


class SessionError(Exception):
    """A call that the session cannot take, with one clear line. Nothing was changed."""


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
    """Whether a summary took the place of the tail, or of a part of it, since the last report."""
    load: Load
    """What the next request weighs, by estimate."""
    said: tuple[str, ...]
    """What could not be done, or what the user should know: a line each. Nothing is said twice in a row."""


class Reporter:
    """Gathers what the next report says, and remembers what was said already.

    Trouble with a block's line is said once; that with the whole cover, or with the prompt, again when it was gone
    meanwhile. The figures in what is said of the prompt may change.
    """

    def __init__(self) -> None:
        self._cover: set[str] = set()
        self._full = ""
        self._begin()

    def _begin(self) -> None:
        self._folded: list[str] = []
        self._keeping: list[Kept] = []
        self._compacted = False
        self._prompt: list[str] = []

    def closed(self, title: str, kept: Kept) -> None:
        """A unit closed."""
        self._folded.append(title)
        self._keeping.append(kept)

    def prompt(self, compacted: bool, full: str) -> None:
        """The prompt was looked at: whether it was compacted, and a line about it, which is said whenever something was
        done.
        """
        kind = _FIGURES.sub("", full)
        if full and (compacted or kind != self._full):
            self._prompt.append(full)
        self._full = kind
        self._compacted |= compacted

    def report(self, load: Load) -> TurnReport:
        """The report of all since the last one."""
        cover = [line for kept in self._keeping for line in _troubles(kept)]
        told = [line for line in cover if line not in self._cover]
        if self._keeping:
            self._cover = {line for line in self._cover if line.startswith(NO_LINE)} | set(cover)
        report = TurnReport(
            tuple(self._folded),
            tuple(block for kept in self._keeping for block in kept.written),
            tuple(block for kept in self._keeping for block in kept.merged),
            self._keeping[-1].outcome if self._keeping else Outcome.FITS,
            self._compacted,
            load,
            (*told, *self._prompt),
        )
        self._begin()
        return report


def _troubles(kept: Kept) -> list[str]:
    said = [f"{NO_LINE} units {block.start} to {block.stop - 1}: {why}" for block, why in kept.missing]
    if kept.outcome is Outcome.STUCK:
        said.append("the cover is above its budget and nothing more can be merged")
    if kept.cut:
        said.append(f"{kept.cut} lines were cut to the weight of what they replace")
    return said
