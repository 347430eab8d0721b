"""Totality: every function answers on every view, malformed and deep ones too, and leaves its argument alone."""

from hypothesis import given
from hypothesis import strategies as st

import foldcover as fc
from foldcover import Block, Leaf, Merged, Split
from foldcover_laws.views import UNADDRESSABLE, absurd, comb

numbers = st.integers(-3, 9) | st.integers()
leaves = st.builds(Leaf, numbers) | st.builds(Merged, numbers, numbers)
trees = st.recursive(leaves, lambda halves: st.builds(Split, halves, halves, st.none() | numbers), max_leaves=12)
views = st.lists(trees, max_size=5).map(tuple)
blocks = st.builds(Block, st.integers(-2, 12), st.integers(-2, 12)) | st.builds(Block, numbers, st.integers(-2, 9))
ranks = st.sampled_from([fc.smallest_first, fc.age_over_size, absurd])


@given(views, blocks, numbers, numbers, ranks)
def test_every_function_answers(view: fc.View, block: Block, weight: int, budget: int, rank: fc.Rank) -> None:
    """Any nesting, order, size and weight: an answer, and never more merges than lines."""
    for measure in (fc.units, fc.lines, fc.weight, fc.aligned, fc.cover, fc.pairs, fc.ready):
        measure(view)
    assert fc.lines(fc.close(view, weight)) == fc.lines(view) + 1
    fc.write(view, block, weight)
    if block.size < 100:
        fc.zoom(view, block)
    assert len(fc.settle(view, budget, rank).merged) <= fc.lines(view)
    fc.wanted(view, budget, rank)


def test_trees_nested_two_hundred_deep_are_answered() -> None:
    """Left and right combs of depth 200, settled to nothing and asked for all their lines."""
    right: fc.Tree = Leaf()
    for _ in range(200):
        right = Split(Leaf(), right, 1)
    view = (comb(200, 1), right, comb(200, None))
    assert fc.units(view) == 603
    assert len(fc.settle(view, 0).merged) == 400
    assert len(fc.wanted(view, 0)) == 200
    assert fc.write(view, Block(0, 201), 4) != view
    assert not fc.aligned(view)


def test_ten_thousand_trees_are_answered() -> None:
    """The number of trees is not bounded by recursion."""
    view = tuple(Leaf() for _ in range(10_000))
    assert fc.units(fc.close(view)) == 10_001
    assert fc.cover(view)[-1] == Block(9_999, 1)
    assert fc.write(view, Block(0, 2)) == view


def test_views_whose_nodes_share_an_address_are_answered() -> None:
    """Merged blocks of size 0 and below: settle and wanted end."""
    for view in UNADDRESSABLE:
        for budget in (-1, 0, 3):
            fc.settle(view, budget)
            fc.wanted(view, budget)


def test_a_carry_through_three_hundred_trees_ends() -> None:
    """Sizes 1, 2, 4 ... in a row are all carried; the core loops over trees, it does not recurse."""
    view = tuple(Merged(1 << bit) for bit in range(300))
    assert len(fc.close(view)) == 1


def test_size_zero_has_a_place_in_the_rank() -> None:
    """age_over_size divides by the size of a block only if there is one."""
    assert fc.age_over_size(Block(3, 0), 9) == (0, 3)
