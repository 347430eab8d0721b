"""A view whose shape is fixed by n, and whose contents are unknown: what CrossHair reasons about.

The sizes of the trees are the one-bits of n. Below that everything is fed from iterators: a boolean says whether a
block is split, another whether its line is written, an integer what a line weighs. They are drawn from the root
down, so what lies below a merged block is never drawn, and no path forks on a value that nobody reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat

from foldcover import Block, Leaf, Merged, Rank, Split, Tree, View

MOST_UNITS = 15


def sizes_of(units: int) -> tuple[int, ...]:
    """The sizes of the trees of an aligned view, newest first: the one-bits of n."""
    return tuple(1 << bit for bit in range(units.bit_length()) if units >> bit & 1)


def inner_of(units: int) -> tuple[Block, ...]:
    """Every block of two or more units that an aligned view can hold: where its Splits can stand."""
    found: list[Block] = []
    stop = units
    for root in sizes_of(units):
        stop -= root
        for size in sizes_of(2 * root - 1)[1:]:
            found += [Block(start, size) for start in range(stop, stop + root, size)]
    return tuple(found)


SIZES = tuple(sizes_of(units) for units in range(MOST_UNITS + 1))
INNER = tuple(inner_of(units) for units in range(MOST_UNITS + 1))


def view_of(units: int, bits: Sequence[bool], weights: Sequence[int]) -> View:
    """The view of `units` units that these values spell: two bits an inner block, a weight a line."""
    flags, heavy = iter(bits), iter(weights)
    return tuple([tree_of(size, flags, flags, heavy) for size in SIZES[units]])


def plain_view_of(units: int, bits: Sequence[bool]) -> View:
    """The view that one bit an inner block spells: every line is written and weighs 1."""
    flags = iter(bits)
    return tuple([tree_of(size, flags, repeat(True), repeat(1)) for size in SIZES[units]])


def tree_of(size: int, split: Iterator[bool], written: Iterator[bool], heavy: Iterator[int]) -> Tree:
    """A complete tree, drawn from the root down."""
    if size == 1:
        return Leaf(next(heavy))
    if not next(split):
        return Merged(size, next(heavy))
    line = next(heavy) if next(written) else None
    left = tree_of(size // 2, split, written, heavy)
    return Split(left, tree_of(size // 2, split, written, heavy), line)


def rank_of(units: int, keys: Sequence[int]) -> Rank:
    """The rank that a table of keys spells, a key for every inner block.

    Settle sees finitely many blocks and one n. Whatever totally ordered keys a rank gives them, there are integers
    in the same order, ties included: so unknown integers stand for every rank.
    """
    table = dict(zip(INNER[units], keys, strict=True))

    def table_rank(block: Block, total: int) -> int:
        return table[block]

    return table_rank


class Elsewhere(Block):
    """A block that is none of the view's inner blocks, with unknown start and size.

    The relations look blocks up in tables of Splits. This one equals no key of such a table, so every hash is
    right; a constant one asks for no value, and so forks no path.
    """

    __slots__ = ()

    def __hash__(self) -> int:
        """Return a constant."""
        return 0


def block_of(units: int, start: int, size: int) -> Block:
    """The block at `start`, of `size`: with plain numbers where it is an inner block of the view, else unknown."""
    for block in INNER[units]:
        if size == block.size and start == block.start:
            return block
    return Elsewhere(start, size)


def range_of(units: int, start: int, size: int) -> Block:
    """A range with plain numbers where it lies inside 0 .. n, else unknown."""
    for first in range(units):
        for length in range(1, units - first + 1):
            if start == first and size == length:
                return Block(first, length)
    return Block(start, size)
