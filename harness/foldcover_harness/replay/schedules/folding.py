"""The schedules that fold: finished work becomes a line of the cover.

Rule: a schedule overrides what it does when a unit closes and when the prompt is nearly full; paying is the same
for all (`machine.py`).
"""

from __future__ import annotations

from typing import Final

from foldcover_harness.replay.covers import Covers
from foldcover_harness.replay.schedules.machine import Compaction, Setting
from foldcover_harness.replay.tape import Tape

CARD_CALLS: Final = 20
CARD_TOKENS: Final = 100_000


class Close(Compaction):
    """A unit becomes a title the moment it closes; the tail is compacted when nearly full all the same."""

    folds = True

    def close(self) -> None:
        """Fold the tail."""
        self.edit_lines(self.lines)
        self.lines += 1
        self.tail = 0


class Merge4(Close):
    """The same, and four adjacent titles become one line as soon as there are four."""

    def __init__(self, setting: Setting, tape: Tape) -> None:
        super().__init__(setting, tape)
        self.titles = 0

    def close(self) -> None:
        """Fold the tail, and the last four titles where there are four."""
        super().close()
        self.titles += 1
        if self.titles == 4:
            self.titles = 0
            self.lines -= 3
            self.written += self.line
            self.edit_lines(self.lines - 1)


class Rule(Close):
    """The same, and the core settles the cover at a tenth of the window."""

    def __init__(self, setting: Setting, tape: Tape) -> None:
        super().__init__(setting, tape)
        self.units = 0
        self.covers = Covers.at(setting.budget, setting.line)

    def close(self) -> None:
        """Fold the tail, and settle."""
        super().close()
        self.units += 1
        self.lines, kept, merged = self.covers.after(self.units)
        self.written += self.line * merged
        self.edit_lines(kept)


class Card(Close):
    """Fold all closed turns as one unit, but only when the card would be shown."""

    def __init__(self, setting: Setting, tape: Tape) -> None:
        super().__init__(setting, tape)
        self.calls = 0
        self.gathered = 0

    def grow(self, weight: int, calls: int) -> None:
        """Take in what was added, and count it towards the next card."""
        self.tail += weight
        self.gathered += weight
        self.calls += calls

    def grew(self, number: int, stop: int) -> None:
        """Count what was added towards the next card."""
        super().grew(number, stop)
        self.gathered += self.tape.added[stop - 1] - self.tape.added[number - 1]
        self.calls += self.tape.called[stop - 1] - self.tape.called[number - 1]

    def close(self) -> None:
        """Fold the tail if enough has gathered."""
        if self.calls >= CARD_CALLS or self.gathered >= CARD_TOKENS:
            super().close()
            self.calls = self.gathered = 0


class Oldest(Compaction):
    """When nearly full, fold unit after unit from the oldest, until it fits."""

    folds = True

    def __init__(self, setting: Setting, tape: Tape) -> None:
        super().__init__(setting, tape)
        self.closed: list[int] = []
        self.open = 0

    def grow(self, weight: int, calls: int) -> None:
        """Take in what was added to the open unit."""
        self.tail += weight
        self.open += weight

    def grew(self, number: int, stop: int) -> None:
        """Take in what was added to the open unit."""
        super().grew(number, stop)
        self.open += self.tape.added[stop - 1] - self.tape.added[number - 1]

    def close(self) -> None:
        """Put the unit by."""
        self.closed.append(self.open)
        self.open = 0

    def make_room(self, prompt: int, last: int) -> int:
        """Fold from the oldest; compact the tail when none is left."""
        folded = 0
        while prompt >= self.nearly_full and folded < len(self.closed):
            self.tail -= self.closed[folded]
            prompt += self.line - self.closed[folded]
            folded += 1
        if folded:
            del self.closed[:folded]
            self.edit_lines(self.lines)
            self.lines += folded
        return prompt if prompt < self.nearly_full else super().make_room(prompt, last)

    def compacted(self, tail: int) -> None:
        """Go on with one open unit."""
        self.tail = self.open = tail
