"""The C core as a foldcover.Impl: immutable views in, immutable views out.

Each call copies the view into C and back, so this is for judging the C core and for hosts that keep immutable views;
a host that wants the speed holds a Cover. A view that is not aligned, to which no operation leads, is none for C: so
that an Impl answers for every view, such a one is answered by the Python core.
"""

from __future__ import annotations

import foldcover
from foldcover import Block, Impl, Rank, Settled, View, smallest_first
from foldcover_native.cover import Cover


def _held(view: View) -> Cover | None:
    """The view in C, None if it is not aligned."""
    try:
        return Cover(view)
    except ValueError:
        return None


def close(view: View, weight: int = 1) -> View:
    """Append a unit whose title weighs `weight`."""
    if (cover := _held(view)) is None:
        return foldcover.close(view, weight)
    cover.close(weight)
    return cover.save()


def write(view: View, block: Block, weight: int = 1) -> View:
    """Note that the line of `block` exists. Changes nothing unless it is a Split of the view without a line."""
    if (cover := _held(view)) is None:
        return foldcover.write(view, block, weight)
    cover.write(block, weight)
    return cover.save()


def settle(view: View, budget: int, rank: Rank = smallest_first) -> Settled:
    """Merge ready pairs, top-ranked first, until the view weighs at most budget // 2, once it is above the budget."""
    if (cover := _held(view)) is None:
        return foldcover.settle(view, budget, rank)
    merged, outcome = cover.settle(budget, rank)
    return Settled(cover.save(), merged, outcome)


def zoom(view: View, block: Block) -> tuple[Block, ...]:
    """The units of the range, oldest first, as blocks of size 1; () where it is empty or leaves 0 .. n."""
    return foldcover.zoom(view, block) if (cover := _held(view)) is None else cover.zoom(block)


def wanted(view: View, budget: int, rank: Rank = smallest_first) -> tuple[Block, ...]:
    """The lines that settle will certainly need, in the order of merging."""
    return foldcover.wanted(view, budget, rank) if (cover := _held(view)) is None else cover.wanted(budget, rank)


IMPL = Impl(close, write, settle, zoom)
