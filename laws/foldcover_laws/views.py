"""The views that the laws are run on: every aligned one up to some size, and malformed ones made by hand or by rule."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count, product

from foldcover import Block, Leaf, Merged, Rank, Split, Tree, View, age_over_size, smallest_first


def absurd(block: Block, total: int) -> int:
    """A rank without sense, with many equal keys: the laws hold for every rank."""
    return (block.start * 7919 + block.size * 104729 + total * 31) % 13


RANKS: tuple[Rank, ...] = (smallest_first, age_over_size, absurd)


@cache
def complete_trees(size: int) -> tuple[Tree, ...]:
    """Every tree over `size` units (a power of two), all lines of weight 1."""
    if size == 1:
        return (Leaf(),)
    halves = complete_trees(size // 2)
    splits = (Split(left, right, line) for left in halves for right in halves for line in (None, 1))
    return (Merged(size), *splits)


def aligned_views(total: int) -> Iterator[View]:
    """Every aligned view of `total` units, all lines of weight 1."""
    sizes = [1 << bit for bit in range(total.bit_length()) if total >> bit & 1]
    return product(*(complete_trees(size) for size in sizes))


@cache
def odd_trees(lines: int) -> tuple[Tree, ...]:
    """Trees of `lines` lines that need not be complete: merged sizes 1 to 3 in any nesting."""
    if lines == 1:
        return (Leaf(), Merged(1), Merged(2), Merged(3))
    return tuple(
        Split(left, right, line)
        for cut in range(1, lines)
        for left in odd_trees(cut)
        for right in odd_trees(lines - cut)
        for line in (None, 1)
    )


def malformed_views(stride: int = 1) -> Iterator[View]:
    """Every `stride`-th view of up to three lines, in any nesting and order."""
    ones, twos, threes = odd_trees(1), odd_trees(2), odd_trees(3)
    forests = ((ones,), (twos,), (ones, ones), (threes,), (ones, twos), (twos, ones))
    small = (product(*forest) for forest in forests)
    for number, view in enumerate(view for views in small for view in views):
        if number % stride == 0:
            yield view


def reweighed(view: View, weights: tuple[int, ...]) -> View:
    """The view with its lines weighing `weights`, in turn, written lines that are not shown included."""
    numbers = count()

    def next_weight() -> int:
        return weights[next(numbers) % len(weights)]

    def again(tree: Tree) -> Tree:
        match tree:
            case Leaf():
                return Leaf(next_weight())
            case Merged(size=size):
                return Merged(size, next_weight())
            case Split(left=left, right=right, line=line):
                return Split(again(left), again(right), None if line is None else next_weight())

    return tuple(again(tree) for tree in view)


def comb(depth: int, line: int | None) -> Tree:
    """A tree that leans to the left, nested `depth` deep."""
    tree: Tree = Leaf()
    for _ in range(depth):
        tree = Split(tree, Leaf(), line)
    return tree


def deep(bits: int) -> Tree:
    """A pair that is ready, at the bottom of a tree of 2**bits units of which no other line is written."""
    tree: Tree = Split(Leaf(), Leaf(), 1)
    for bit in range(1, bits):
        tree = Split(tree, Merged(1 << bit), None)
    return tree


_PAIR = Split(Leaf(), Leaf(), 1)

HAND_MADE: tuple[View, ...] = (
    (Merged(2), Leaf()),  # sizes fall from the head
    (Leaf(), Leaf(), Leaf()),  # equal sizes that nobody carried
    (Split(Leaf(), _PAIR, 1),),  # halves of unequal size
    (Split(_PAIR, Leaf(), 1), Leaf()),
    (Split(Merged(3), Merged(3), 1), Merged(5)),  # sizes that are no powers of two
    (Merged(1), Merged(1)),  # a merged block of one unit
    (_PAIR, _PAIR, _PAIR),
    (Split(_PAIR, _PAIR, None), Split(_PAIR, _PAIR, 7)),  # a line heavier than what it replaces
    (Split(Leaf(0), Leaf(0), 5),),  # a merge that raises the weight
    (Leaf(-3), Split(Leaf(-1), Leaf(4), -2)),  # weights below zero
    (Split(Split(Leaf(-4), Leaf(-5), -3), Split(Leaf(-1), Leaf(2), -6), -7), Split(Leaf(-2), Leaf(-2), -9)),
    (Leaf(), *(Merged(1 << bit) for bit in range(1, 70))),  # a carry through all sizes
    (comb(6, 1), comb(5, None)),
    (Merged(1 << 70), Split(Merged(1 << 70), Leaf(), 1)),  # sizes beyond 64 bits
)

_HALF = Split(Merged(1 << 31), Merged(1 << 31), None)
_F58, _F59 = 591286729879, 956722026041  # Fibonacci numbers

LARGE: tuple[View, ...] = (
    (Leaf(), *(Merged(1 << bit) for bit in range(1, 46))),  # a carry through all sizes of the domain
    (Leaf(), Split(Merged(1 << 45), Merged(1 << 45), 5)),
    (Split(Merged(1 << 31), Merged(1 << 31), 1), Split(Merged(1 << 32), Merged(1 << 32), 1)),  # sizes beyond 32 bits
    (Merged(1 << 46), Split(Merged(1 << 46), Leaf(), 1)),
    (Split(Leaf(1 << 31), Leaf(1 << 31), (1 << 31) - 1),),  # weights and sums beyond 32 bits
    (Leaf(-(1 << 50)), Split(Leaf(1 << 50), Leaf((1 << 51) + 1), (1 << 49) + 1)),
    (Split(Split(Leaf(1 << 50), Leaf(1 << 50), (1 << 50) + 1), Split(Leaf(3), Leaf(1 << 33), 1 << 32), 1 << 40),),
    (Split(_HALF, _HALF, None),),  # the halves' starts are the same in 32 bits, and so are all sizes
    # age over size has a product of 2**67, which is nothing in 64 bits
    (Split(deep(33), Split(Merged(1 << 32), Merged(1 << 32), 1), None),),
    # age over size of both pairs is the same in doubles; the newer pair's is larger by 1 / (F58 * F59)
    (Merged(_F59), Split(Merged(_F58 - 1), Leaf(), 1), Split(Merged(_F59 - 1), Leaf(), 1)),
)
"""Numbers that are large for some languages, and inside the domain."""

LONG: View = (Leaf(), Merged(1 << 16))
"""A view in which the longest zoom that is promised fits, in two ways."""

UNADDRESSABLE: tuple[View, ...] = (
    (Merged(0), Leaf()),
    (Split(Merged(0), Merged(0), 1), Merged(-2)),
    (Split(Split(Leaf(), Merged(-1), 1), Merged(0), 1), Split(Leaf(), Leaf(), 1)),
    (comb(200, 1), comb(200, None)),
    tuple(Merged(1 << bit) for bit in range(300)),
    (*(Leaf() for _ in range(200)),),
)
"""Views on which only totality is asked: nodes may share an address, nesting is as deep as is promised."""
