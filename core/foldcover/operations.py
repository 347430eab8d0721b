"""close, write and zoom: how a view grows, how a line comes into being, how a block is read.

close  A unit is closed: a binary increment. The new unit is a tree of size 1 at the head; while the next tree is
       as big as the carried one, both become the halves of a Split, whose line nobody has written yet: a push
       with a carry. Nothing that was shown changes, so a close adds exactly one line.
write  The host has written a block's line and says what it weighs. A line is written once and never again: its
       inputs, the titles below it or the lines of its two halves, never change. So write marks an unwritten
       Split and changes nothing else; the cover stays as it is.
zoom   A block expands to its units, oldest first. It changes nothing.

settle, which merges, has a file of its own. (Second post: "Aligned blocks: a line is written once", "The
coarsest view is the binary expansion of n", "The rule".)
"""

from __future__ import annotations

from typing import NamedTuple

from foldcover.trees import EMPTY, Block, Leaf, Merged, Split, Tree, View, tree_size
from foldcover.views import units


class Carry(NamedTuple):
    """The increment under way: the carried tree, its size (0 once it has come to rest), the trees behind it."""

    tree: Tree
    size: int
    behind: View


def carry(done: Carry, tree: Tree) -> Carry:
    """Take the next older tree: join it to the carried one if it is as big, else leave it behind."""
    if done.size > 0 and tree_size(tree) == done.size:
        return Carry(Split(tree, done.tree, None), 2 * done.size, ())
    return Carry(done.tree, 0, (*done.behind, tree))


def close(view: View, weight: int = 1) -> View:
    """Append a unit whose title weighs `weight`. Where the sizes carry, Splits without a line arise."""
    done = Carry(Leaf(weight), 1, EMPTY)
    for tree in view:
        done = carry(done, tree)
    return (done.tree, *done.behind)


def tree_write(tree: Tree, start: int, block: Block, weight: int) -> tuple[int, Tree | None]:
    """Look for an unwritten `block` in a tree that starts at unit `start`: where the tree stops, and the tree marked.

    None in place of the tree when there is nothing to mark in it. Once the block is found nothing more is counted;
    the stop means nothing then, and only the path to the block is rebuilt.
    """
    match tree:
        case Split(left=left, right=right, line=line):
            middle, older = tree_write(left, start, block, weight)
            if older is not None:
                return (middle, Split(older, right, line))
            stop, newer = tree_write(right, middle, block, weight)
            if newer is not None:
                return (stop, Split(left, newer, line))
            marks = line is None and block == Block(start, stop - start)
            return (stop, Split(left, right, weight) if marks else None)
        case Merged(size=size, weight=_):
            return (start + size, None)
        case Leaf(weight=_):
            return (start + 1, None)


def write(view: View, block: Block, weight: int = 1) -> View:
    """Note that the line of `block` exists and weighs `weight`.

    Changes nothing unless the block is a Split of this view without a line.
    """
    start, found, after = 0, False, EMPTY
    for tree in reversed(view):
        stop, marked = (start, None) if found else tree_write(tree, start, block, weight)
        start, found, after = stop, found or marked is not None, (tree if marked is None else marked, *after)
    return after


def zoom(view: View, block: Block) -> tuple[Block, ...]:
    """The units of the range, oldest first, as blocks of size 1; () where it is empty or leaves 0 .. n."""
    inside = block.size >= 1 and block.start >= 0 and block.stop <= units(view)
    return tuple(Block(unit, 1) for unit in range(block.start, block.stop)) if inside else ()
