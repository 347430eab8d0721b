"""Views: partitions, the core's own decisions, fixed choices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import foldcover as fc
from foldcover import Block
from foldcover_harness.measure import trial, views


@given(st.integers(0, 300), st.integers(0, 9))
def test_a_uniform_view_is_a_partition_into_aligned_blocks(total: int, level: int) -> None:
    """Every unit once, in order; blocks of the size as long as they fit."""
    blocks = views.uniform(total, 1 << level)
    assert [unit for block in blocks for unit in range(block.start, block.stop)] == list(range(total))
    assert all(block.start % block.size == 0 for block in blocks)
    assert sum(block.size == 1 << level for block in blocks) == total >> level
    assert [
        blocks[number].start <= unit < blocks[number].stop for unit, number in enumerate(views.holders(blocks, total))
    ] == [True] * total


@pytest.mark.parametrize("rank", [fc.smallest_first, fc.age_over_size])
@pytest.mark.parametrize("budget", [0, 40, 100, 400, 10_000])
def test_a_settled_view_is_what_the_core_says(rank: fc.Rank, budget: int) -> None:
    """Close, write what is wanted, settle: every merge in the order of the rank, within the budget where it can be."""
    weights = [7 + number % 5 for number in range(60)]
    blocks = views.settled(weights, budget, rank, lambda block: 8)
    view = fc.EMPTY
    for weight in weights:
        view = fc.close(view, weight)
        while wanted := fc.wanted(view, budget, rank):
            for block in wanted:
                view = fc.write(view, block, 8)
        view = fc.settle(view, budget, rank).view
    assert blocks == fc.cover(view)
    assert [unit for block in blocks for unit in range(block.start, block.stop)] == list(range(60))


def test_a_pair_without_a_line_stays() -> None:
    """Nothing is merged that has no line."""
    assert views.settled([5] * 8, 10, fc.smallest_first, lambda _: None) == tuple(views.uniform(8, 1))


@pytest.mark.parametrize(("size", "among"), [(1, 5), (4, 5), (8, 5), (8, 40), (16, 5)])
def test_a_fixed_choice_has_the_right_line_once_and_others_apart_from_it(size: int, among: int) -> None:
    """`among` lines, all of as many units, and only one of them holds the unit."""
    total = 110
    blocks = views.runs(total, size, 3 * among)
    random = np.random.default_rng(0)
    choose = trial.fixed(blocks, total, size, among)
    for unit in range(total - total % size):
        chosen = choose(unit, random)
        assert chosen is not None
        right, others = chosen
        assert blocks[right] == Block(unit - unit % size, size)
        assert len({right, *others}) == among
        assert all(not set(range(*_ends(blocks[other]))) & set(range(*_ends(blocks[right]))) for other in others)


def _ends(block: Block) -> tuple[int, int]:
    return block.start, block.stop


def test_no_fixed_choice_where_there_are_too_few_lines() -> None:
    """Of 20 units, blocks of 16 have nobody beside them."""
    blocks = views.runs(20, 16, 15)
    assert trial.fixed(blocks, 20, 16, 5)(3, np.random.default_rng(0)) is None


def test_a_mixed_view_has_one_merged_line_among_all_other_units() -> None:
    """Every unit once."""
    chosen = trial.mixed(20, 4, 5)(6, np.random.default_rng(0))
    assert chosen == (21, [*range(4), *range(8, 20)])
    assert trial.mixed(20, 16, 1)(18, np.random.default_rng(0)) is None
