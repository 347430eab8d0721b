"""The claims of the posts beside the laws (T1 to T7), checked on everything small and on long histories.

Where a post's wording is not true as it stands, the counterexample is here too.
"""

from collections.abc import Iterator
from itertools import chain, pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import foldcover as fc
from foldcover import Block, Outcome, Split
from foldcover_laws.views import RANKS, aligned_views, reweighed


def small_views(units: int = 7) -> Iterator[fc.View]:
    """Every aligned view of up to so many units."""
    return chain.from_iterable(aligned_views(total) for total in range(units + 1))


def written(view: fc.View, weight: int) -> fc.View:
    """The view with every missing line written."""

    def fill(tree: fc.Tree) -> fc.Tree:
        if not isinstance(tree, Split):
            return tree
        return Split(fill(tree.left), fill(tree.right), weight if tree.line is None else tree.line)

    return tuple(fill(tree) for tree in view)


def host(titles: list[int], budget: int, rank: fc.Rank, line: int = 1) -> Iterator[tuple[fc.Settled, list[Block]]]:
    """The host's loop: after each close, what settle did and which lines were written."""
    view = fc.EMPTY
    for title in titles:
        view = fc.close(view, title)
        lines: list[Block] = []
        while asked := fc.wanted(view, budget, rank):
            for block in asked:
                view = fc.write(view, block, line)
            lines += asked
        settled = fc.settle(view, budget, rank)
        view = settled.view
        yield settled, lines


def test_t1_two_aligned_blocks_are_disjoint_or_nested() -> None:
    """All pairs of aligned blocks up to 32."""
    blocks = [Block(start, 1 << level) for level in range(6) for start in range(0, 32, 1 << level)]
    for one in blocks:
        for two in blocks:
            disjoint = one.stop <= two.start or two.stop <= one.start
            nested = (one.start <= two.start and two.stop <= one.stop) or (
                two.start <= one.start and one.stop <= two.stop
            )
            assert disjoint or nested


def test_t2_no_view_is_shorter_than_the_one_bits_of_n_and_settling_reaches_that() -> None:
    """The coarsest view is the binary expansion of n."""
    for view in small_views(8):
        floor = fc.units(view).bit_count()
        assert fc.lines(view) >= floor
        for rank in RANKS:
            assert fc.lines(fc.settle(written(view, 1), 0, rank).view) == floor


@pytest.mark.parametrize("rank", RANKS)
def test_t3_at_most_n_less_its_one_bits_lines_are_ever_written(rank: fc.Rank) -> None:
    """With a budget of nothing every line is written, and no more."""
    total = 0
    for units, (_, lines) in enumerate(host([1] * 130, 0, rank), 1):
        total += len(lines)
        assert total == units - units.bit_count()


def test_t4_above_the_floor_settle_is_never_stuck() -> None:
    """Every Split written, lines at most t, budget >= 2 (floor(log2 n) + 1) t; one less than that can be stuck."""
    for view in small_views(8):
        for weights in ((1,), (3, 1, 2)):
            ready = written(reweighed(view, weights), max(weights))
            bits = max(fc.units(view).bit_length(), 1)
            for budget in range(2 * bits * max(weights), 2 * bits * max(weights) + 4):
                for rank in RANKS:
                    assert fc.settle(ready, budget, rank).outcome is not Outcome.STUCK
    seven = fc.EMPTY
    for _ in range(7):
        seven = fc.close(seven)
    assert fc.settle(written(seven, 1), 5).outcome is Outcome.STUCK


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=150), st.integers(1, 5), st.sampled_from(RANKS), st.integers(0, 60)
)
def test_t5_fewer_than_2nt_over_b_closes_merge(titles: list[int], line: int, rank: fc.Rank, spare: int) -> None:
    """Titles and lines at most t, the budget at least the floor of the final n."""
    heaviest = max(*titles, line)
    budget = 2 * len(titles).bit_length() * heaviest + spare
    merging = sum(bool(settled.merged) for settled, _ in host(titles, budget, rank, line))
    assert merging * budget < 2 * len(titles) * heaviest or merging == 0


def test_t6_writes_of_distinct_blocks_commute_and_for_one_block_the_first_wins() -> None:
    """In every order of writing all splits of a small view."""
    for view in small_views(7):
        blocks = [Block(start, size) for size in (2, 4) for start in range(0, 8, size)]
        for order in permutations(blocks, 2):
            first, second = order
            one = fc.write(fc.write(view, first, 5), second, 6)
            two = fc.write(fc.write(view, second, 6), first, 5)
            assert one == two
            assert fc.write(fc.write(view, first, 5), first, 6) == fc.write(view, first, 5)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=120), st.integers(0, 60), st.integers(1, 4))
def test_t7_smallest_first_keeps_sizes_in_order(titles: list[int], budget: int, line: int) -> None:
    """Sizes never increase from oldest to newest; below half of the last merge they are one-bits of n, once each."""
    for units, (settled, _) in enumerate(host(titles, budget, fc.smallest_first, line), 1):
        sizes = [block.size for block in fc.cover(settled.view)]
        assert all(older >= newer for older, newer in pairwise(sizes))
        if settled.merged:
            half = settled.merged[-1].size // 2
            bits = [1 << bit for bit in range(units.bit_length()) if units >> bit & 1 and 1 << bit < half]
            assert sorted(size for size in sizes if size < half) == bits


def test_a_view_may_hold_more_than_two_block_sizes() -> None:
    """The second post says at most two; its own rule shows three at B = 6, n = 7."""
    settled = list(host([1] * 7, 6, fc.smallest_first))[-1][0]
    assert [block.size for block in fc.cover(settled.view)] == [4, 2, 1]


@settings(deadline=None, max_examples=80)
@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(0, 30), st.sampled_from(RANKS), st.integers(0, 5)
)
def test_every_asked_line_is_merged_and_then_stuck_leaves_no_pair(
    titles: list[int], budget: int, rank: fc.Rank, line: int
) -> None:
    """With lines of weight >= 0 no line is asked for in vain; once nothing is asked, STUCK means nothing is left."""
    for settled, lines in host(titles, budget, rank, line):
        assert set(lines) <= set(settled.merged)
        if settled.outcome is Outcome.STUCK:
            assert fc.pairs(settled.view) == ()
