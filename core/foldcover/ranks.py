"""The order in which settle takes ready pairs: a parameter, not part of the rule.

A rank maps a block and the number of units to a key; the least key goes first, and on equal keys the block that
starts first. Any pure function with totally ordered keys will do: the laws hold for every rank. Two have names
(second post, "Rank").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foldcover.trees import Block

Key = Any
Rank = Callable[[Block, int], Key]


def smallest_first(block: Block, total: int) -> Key:
    """The smallest block first, the oldest among equals: the default, since what a line hides is its block's size."""
    return (block.size, block.start)


def age_over_size(block: Block, total: int) -> Key:
    """The largest age over size first: old lines come to stand for many units, in rings that double.

    The age of a block is total - start. The key is the exact fraction -(total - start) / size, then start.
    """
    # Imported here because only this rank needs it, and importing the core should cost next to nothing.
    from fractions import Fraction

    return (Fraction(block.start - total, block.size) if block.size else Fraction(0), block.start)
