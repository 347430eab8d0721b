"""The cover under the rule, as the core keeps it.

Rule: the host loop of the core and nothing else: close, write what is wanted until nothing is, settle.
Every title and every line weighs the same here, since no line is written.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

import foldcover

if TYPE_CHECKING:
    from foldcover_harness.trace import Recorder

LINE: Final = 60
"""Tokens of a title, and of a line that stands for several."""


class Operations(Protocol):
    """The core's operations, as the core itself or a recorder of it offers them."""

    def close(self, view: foldcover.View, weight: int = 1) -> foldcover.View:
        """Append a unit."""
        ...

    def write(self, view: foldcover.View, block: foldcover.Block, weight: int = 1) -> foldcover.View:
        """Note that a line exists."""
        ...

    def wanted(self, view: foldcover.View, budget: int) -> tuple[foldcover.Block, ...]:
        """Name the lines that settle will need."""
        ...

    def settle(self, view: foldcover.View, budget: int) -> foldcover.Settled:
        """Merge down to half the budget."""
        ...


def close_unit(
    view: foldcover.View, budget: int, core: Operations = foldcover, line: int = LINE
) -> tuple[foldcover.View, tuple[foldcover.Block, ...]]:
    """Close a unit under the rule, every line weighing so many tokens. Return the settled view and the blocks
    merged.
    """
    view = core.close(view, line)
    while asked := core.wanted(view, budget):
        for block in asked:
            view = core.write(view, block, line)
    settled = core.settle(view, budget)
    return settled.view, settled.merged


def record(recorder: Recorder, units: int, budget: int) -> None:
    """Record the life of a cover to which so many units are closed. Raises OSError."""
    recorder.begin()
    view = foldcover.EMPTY
    for _ in range(units):
        view, _ = close_unit(view, budget, recorder)


class Covers:
    """The covers under the rule after 0, 1, 2, ... units. As every line weighs the same, they depend on the
    budget and that weight alone: each is asked of the core once, for all transcripts.
    """

    def __init__(self, budget: int, line: int) -> None:
        self.budget = budget
        self.line = line
        self._views: list[foldcover.View] = [foldcover.EMPTY]
        self._changes: list[tuple[int, int, int]] = [(0, 0, 0)]
        self._merged: list[tuple[foldcover.Block, ...]] = [()]

    @staticmethod
    @lru_cache(maxsize=32)
    def at(budget: int, line: int = LINE) -> Covers:
        """Return the covers at a budget of so many tokens, every line weighing `line`."""
        return Covers(budget, line)

    def view(self, units: int) -> foldcover.View:
        """Return the view after so many units closed."""
        while len(self._views) <= units:
            self._close()
        return self._views[units]

    def after(self, units: int) -> tuple[int, int, int]:
        """Return the lines of the cover after the last of so many closes, how many of them that close kept, and
        how many lines it merged into being.
        """
        self.view(units)
        return self._changes[units]

    def merged(self, units: int) -> tuple[foldcover.Block, ...]:
        """Return the blocks that the last of so many closes merged, in order."""
        self.view(units)
        return self._merged[units]

    def _close(self) -> None:
        before = self._views[-1]
        view, merged = close_unit(before, self.budget, line=self.line)
        self._views.append(view)
        self._merged.append(merged)
        if merged:
            shown = foldcover.cover(view)
            self._changes.append((len(shown), common(foldcover.cover(before), shown), len(merged)))
        else:
            lines = self._changes[-1][0]
            self._changes.append((lines + 1, lines, 0))


def common(before: tuple[foldcover.Block, ...], after: tuple[foldcover.Block, ...]) -> int:
    """Return how many lines stand at the beginning of both covers."""
    count = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        count += 1
    return count
