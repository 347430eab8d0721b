"""What a view is made of, and the measures of one tree.

A view shows n units, numbered 0 .. n-1 in the order of closing, as a forest of binary trees, newest tree
first. A tree stands for a block: a run of adjacent units.

    Leaf     one unit, shown with its title
    Merged   a block shown as one line
    Split    a block shown as its two halves; `line` is the weight of the line that would replace both,
             None as long as the host has not written it

Only leaves and merged blocks are shown, so only they have a weight in the prompt. Nothing here assumes that
a tree is complete: every function of the core answers for malformed trees as well, nested up to 200 deep.
(Second post, "What Bend proves"; weights on lines are ours: the proofs then speak of the size that is sent.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Block(NamedTuple):
    """The units start .. start + size - 1.

    Aligned when size is a power of two and start a multiple of it (second post, "Aligned blocks").
    """

    start: int
    size: int

    @property
    def stop(self) -> int:
        """The number of the first unit after the block."""
        return self.start + self.size


@dataclass(frozen=True, slots=True)
class Leaf:
    """A unit, shown with its title. `weight` is what the title weighs: tokens, bytes, or 1 for each line."""

    weight: int = 1


@dataclass(frozen=True, slots=True)
class Merged:
    """A block of `size` units shown as one line of `weight`."""

    size: int
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Split:
    """A block shown as its two halves, `left` the older one.

    `line` is the weight of the block's own line once the host has written it, None before.
    """

    left: Tree
    right: Tree
    line: int | None = None


Tree = Leaf | Merged | Split
View = tuple[Tree, ...]

EMPTY: View = ()


def tree_size(tree: Tree) -> int:
    """How many units the tree covers."""
    match tree:
        case Split(left=left, right=right, line=_):
            return tree_size(left) + tree_size(right)
        case Merged(size=size, weight=_):
            return size
        case Leaf(weight=_):
            return 1


def tree_lines(tree: Tree) -> int:
    """How many lines the tree shows."""
    match tree:
        case Split(left=left, right=right, line=_):
            return tree_lines(left) + tree_lines(right)
        case Merged(size=_, weight=_):
            return 1
        case Leaf(weight=_):
            return 1


def tree_weight(tree: Tree) -> int:
    """What the shown lines of the tree weigh together."""
    match tree:
        case Split(left=left, right=right, line=_):
            return tree_weight(left) + tree_weight(right)
        case Merged(size=_, weight=weight):
            return weight
        case Leaf(weight=weight):
            return weight


def one_line(tree: Tree) -> bool:
    """Whether the tree is shown as a single line."""
    match tree:
        case Split(left=_, right=_, line=_):
            return False
        case Merged(size=_, weight=_):
            return True
        case Leaf(weight=_):
            return True


def complete_size(tree: Tree) -> int:
    """The size of a complete tree, 0 for any other.

    Complete: both halves of every Split are complete and equal in size, and a Merged has a power of two >= 2.
    """
    match tree:
        case Split(left=left, right=right, line=_):
            half = complete_size(left)
            return 2 * half if half == complete_size(right) else 0
        case Merged(size=size, weight=_):
            return size if size >= 2 and size & (size - 1) == 0 else 0
        case Leaf(weight=_):
            return 1


def tree_cover(tree: Tree, start: int) -> tuple[Block, ...]:
    """The blocks that a tree starting at unit `start` shows, oldest first."""
    match tree:
        case Split(left=left, right=right, line=_):
            return tree_cover(left, start) + tree_cover(right, start + tree_size(left))
        case Merged(size=size, weight=_):
            return (Block(start, size),)
        case Leaf(weight=_):
            return (Block(start, 1),)


def tree_pairs(tree: Tree, start: int, unwritten: bool) -> tuple[Block, ...]:
    """The pairs of a tree starting at unit `start`, oldest first; those without a line only if `unwritten`."""
    match tree:
        case Split(left=left, right=right, line=line):
            middle = start + tree_size(left)
            own = one_line(left) and one_line(right) and (unwritten or line is not None)
            here = (Block(start, middle - start + tree_size(right)),) if own else ()
            return here + tree_pairs(left, start, unwritten) + tree_pairs(right, middle, unwritten)
        case Merged(size=_, weight=_):
            return ()
        case Leaf(weight=_):
            return ()
