"""Views of a history: which lines a reader sees.

Rule: what is shown is always a partition of all units into aligned blocks. A view that a budget decides is the core's
own: close, wanted, write and settle, never a rule of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import foldcover as fc
from foldcover import Block, Rank, View


def uniform(total: int, size: int) -> list[Block]:
    """Blocks of `size` as long as units last, oldest first; what is left over as the coarsest view of it."""
    found: list[Block] = []
    start = 0
    while start < total:
        while start + size > total:
            size //= 2
        found.append(Block(start, size))
        start += size
    return found


def sizes(total: int) -> list[int]:
    """The powers of two up to `total`."""
    return [1 << level for level in range(total.bit_length())]


def runs(total: int, size: int, least: int) -> list[Block]:
    """Runs of `size` adjacent units: the aligned ones, or where those are fewer than `least`, also such as begin at
    smaller even steps.
    """
    step = size
    while step > 1 and (total - size) // step + 1 < least:
        step //= 2
    return [Block(start, size) for start in range(0, total - size + 1, step)]


def settled(weights: Sequence[int], budget: int, rank: Rank, weigh: Callable[[Block], int | None]) -> tuple[Block, ...]:
    """The cover after the units were closed one by one, oldest first, with what the core merges at `budget`.

    `weigh` says what the line of a block weighs, None where there is none: the pair then stays. It is asked only for
    lines that the core wants.
    """
    view: View = fc.EMPTY
    missing: set[Block] = set()
    for weight in weights:
        view = fc.close(view, weight)
        while wanted := [block for block in fc.wanted(view, budget, rank) if block not in missing]:
            for block in wanted:
                heavy = weigh(block)
                if heavy is None:
                    missing.add(block)
                else:
                    view = fc.write(view, block, heavy)
        view = fc.settle(view, budget, rank).view
    return fc.cover(view)


def holders(blocks: Sequence[Block], total: int) -> list[int]:
    """For each unit the number of the block that holds it; -1 for a unit that no block holds."""
    found = [-1] * total
    for number, block in enumerate(blocks):
        for unit in range(block.start, block.stop):
            found[unit] = number
    return found
