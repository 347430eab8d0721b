"""The life of a cover, small enough to be drawn after any number of closes.

Rule: nothing is decided here. The core tells which blocks each close merged; the page starts from one block a unit
and does those merges, no others.
"""

from __future__ import annotations

from typing import Any, Final

import foldcover
from foldcover_harness.replay.cover import merged_line, title
from foldcover_harness.replay.covers import LINE, Covers
from foldcover_harness.transcripts.model import Turn

UNITS: Final = 512
"""The most closes that are drawn."""
SMALL: Final = (32, 8)
"""Smaller budgets that the page offers, in lines: a session seldom outgrows its own."""


def ruler(turns: list[Turn], units: int, budget: int) -> dict[str, Any]:
    """Return the first closes at the budget in tokens, and at smaller ones: for each the blocks merged by each close,
    and the text of every line ever shown.
    """
    shown = min(units, UNITS)
    budgets = [budget, *(lines * LINE for lines in SMALL if lines * LINE < budget)]
    lives = [{"lines": each // LINE, "merged": _life(each, shown)} for each in budgets]
    blocks = {block for each in budgets for merged in _life(each, shown).values() for block in merged}
    return {
        "units": shown,
        "all": units,
        "lives": lives,
        "titles": [title(turn) for turn in turns[:shown]],
        "texts": {f"{start}+{size}": merged_line(turns[start : start + size]) for start, size in sorted(blocks)},
    }


def _life(budget: int, closes: int) -> dict[int, tuple[foldcover.Block, ...]]:
    """Return what each close merged, of those that merged something."""
    covers = Covers.at(budget)
    return {close: merged for close in range(1, closes + 1) if (merged := covers.merged(close))}
