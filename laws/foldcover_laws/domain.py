"""The calls that every implementation must answer, whatever its language: the domain.

The core answers for any integers. An implementation with numbers of a fixed width cannot, and should not have to: so
here is what it must answer. Outside it may refuse; inside, a call that is not answered is a failure. A port is never
sent anything from outside. Rule: pure predicates over a view and the arguments of an operation.

    numbers  weights, lines, budgets, starts, sizes and stops: at most 2**53 - 1 either way (what a double holds
             exactly), and so is the sum of the absolute weights of all that is shown or written in a view
    units    at most 2**48, each Merged at least 1
    nesting  at most 200 Splits deep
    zoom     a range of at most 2**16 units, or one that leaves the view
"""

from __future__ import annotations

from typing import NamedTuple

from foldcover import Block, Leaf, Merged, Split, Tree, View

MOST = (1 << 53) - 1
"""The largest number, in absolute value."""
MOST_UNITS = 1 << 48
"""The most units that a view may cover."""
DEEPEST = 200
"""The most Splits within one another."""
LONGEST = 1 << 16
"""The most units that one zoom need list."""


class Extent(NamedTuple):
    """What a view amounts to: its units, and the sum of the absolute weights of all its lines, shown or written."""

    units: int
    weight: int


def extent(view: View) -> Extent | None:
    """The extent of a view inside the domain; None where the view lies outside."""
    units = weight = 0
    for tree in view:
        found = _extent(tree, DEEPEST)
        if found is None:
            return None
        units, weight = units + found.units, weight + found.weight
    return Extent(units, weight) if units <= MOST_UNITS and weight <= MOST else None


def _extent(tree: Tree, depth: int) -> Extent | None:
    match tree:
        case Leaf(weight=weight):
            return Extent(1, abs(weight))
        case Merged(size=size, weight=weight):
            return Extent(size, abs(weight)) if size >= 1 else None
        case Split(left=left, right=right, line=line):
            if depth == 0:
                return None
            older, newer = _extent(left, depth - 1), _extent(right, depth - 1)
            if older is None or newer is None:
                return None
            own = 0 if line is None else abs(line)
            return Extent(older.units + newer.units, older.weight + newer.weight + own)


def may_close(view: Extent | None, weight: int) -> bool:
    """Whether close must be answered."""
    return view is not None and view.units < MOST_UNITS and view.weight + abs(weight) <= MOST


def may_write(view: Extent | None, block: Block, weight: int) -> bool:
    """Whether write must be answered."""
    return view is not None and _is_range(block) and view.weight + abs(weight) <= MOST


def may_settle(view: Extent | None, budget: int) -> bool:
    """Whether settle and wanted must be answered."""
    return view is not None and abs(budget) <= MOST


def may_zoom(view: Extent | None, block: Block) -> bool:
    """Whether zoom must be answered."""
    if view is None or not _is_range(block):
        return False
    return block.size <= LONGEST or block.start < 0 or block.stop > view.units


def _is_range(block: Block) -> bool:
    return max(abs(block.start), abs(block.size), abs(block.stop)) <= MOST
