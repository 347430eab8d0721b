"""The measures of a view: how much it covers, what it shows, what could merge.

A view is a tuple of trees, newest first. Unit 0 is the oldest unit of the last tree, so addresses are counted
over `reversed(view)`. In an aligned view the sizes strictly increase from the head, which makes them the
one-bits of n: the coarsest view is the binary expansion of n (second post).
"""

from __future__ import annotations

from foldcover.trees import (
    Block,
    View,
    complete_size,
    tree_cover,
    tree_lines,
    tree_pairs,
    tree_size,
    tree_weight,
)

NO_BLOCKS: tuple[Block, ...] = ()


def units(view: View) -> int:
    """How many units the view covers: n."""
    return sum(tree_size(tree) for tree in view)


def lines(view: View) -> int:
    """How many lines the view shows."""
    return sum(tree_lines(tree) for tree in view)


def weight(view: View) -> int:
    """What the shown lines weigh together, in the unit that the host chose (tokens, bytes, or 1 each)."""
    return sum(tree_weight(tree) for tree in view)


def aligned(view: View) -> bool:
    """Whether every tree is complete and the sizes strictly increase from the head.

    Then every block, shown or not, has a power of two as its size and starts at a multiple of it.
    """
    good, below = True, 0
    for tree in view:
        size = complete_size(tree)
        good, below = good and below < size, size
    return good


def cover(view: View) -> tuple[Block, ...]:
    """The shown blocks, oldest first. They partition 0 .. n-1."""
    start, shown = 0, NO_BLOCKS
    for tree in reversed(view):
        start, shown = start + tree_size(tree), shown + tree_cover(tree, start)
    return shown


def find_pairs(view: View, unwritten: bool) -> tuple[Block, ...]:
    """The blocks whose two halves are both one line, oldest first; those without a line only if `unwritten`."""
    start, found = 0, NO_BLOCKS
    for tree in reversed(view):
        start, found = start + tree_size(tree), found + tree_pairs(tree, start, unwritten)
    return found


def pairs(view: View) -> tuple[Block, ...]:
    """The blocks whose two halves are both shown as one line, oldest first."""
    return find_pairs(view, True)


def ready(view: View) -> tuple[Block, ...]:
    """The pairs whose own line is written, oldest first: what settle may merge."""
    return find_pairs(view, False)
