"""The worked examples of the second post, and the interface as others rely on it."""

import pytest

import foldcover as fc
from foldcover import Block, Leaf, Merged, Outcome, Split


def host(closes: int, budget: int, rank: fc.Rank = fc.smallest_first) -> tuple[fc.View, list[Block], list[fc.Settled]]:
    """Run the host's loop: close, write what is wanted, settle. The view, the lines written, the settles."""
    view = fc.EMPTY
    written: list[Block] = []
    settles: list[fc.Settled] = []
    for _ in range(closes):
        view = fc.close(view)
        while asked := fc.wanted(view, budget, rank):
            for block in asked:
                view = fc.write(view, block)
                written.append(block)
        settles.append(fc.settle(view, budget, rank))
        view = settles[-1].view
    return view, written, settles


def test_nine_closes_with_a_budget_of_eight_write_five_lines_in_one_edit() -> None:
    """B = 8, smallest first: [0-3] [4-5] [6-7] [8], five lines written, one settle that merged."""
    view, written, settles = host(9, 8)
    assert fc.cover(view) == (Block(0, 4), Block(4, 2), Block(6, 2), Block(8, 1))
    assert len(written) == 5
    assert [bool(settled.merged) for settled in settles].count(True) == 1
    assert settles[-1].merged == (Block(0, 2), Block(2, 2), Block(4, 2), Block(6, 2), Block(0, 4))
    assert settles[-1].outcome is Outcome.SETTLED


def test_a_budget_of_three_is_stuck_at_seven_units() -> None:
    """B = 3 at n = 7: [0-3] [4-5] [6], and STUCK, since low water 1 is below the floor."""
    view, _, settles = host(7, 3)
    assert fc.cover(view) == (Block(0, 4), Block(4, 2), Block(6, 1))
    assert settles[-1].outcome is Outcome.STUCK


def test_the_coarsest_view_of_fifteen_units_has_four_lines() -> None:
    """One line for each one-bit of n = 15."""
    view, _, _ = host(15, 0)
    assert [block.size for block in fc.cover(view)] == [8, 4, 2, 1]


def test_wanted_asks_in_rounds_and_halves_come_before_their_parent() -> None:
    """Eight titles, budget 1: three rounds, since each written line weighs more than the 0 assumed for it."""
    view = fc.EMPTY
    rounds: list[tuple[Block, ...]] = []
    for _ in range(8):
        view = fc.close(view)
    while asked := fc.wanted(view, 1):
        rounds.append(asked)
        for block in asked:
            view = fc.write(view, block)
    assert rounds == [
        (Block(0, 2), Block(2, 2), Block(4, 2), Block(6, 2)),
        (Block(0, 4), Block(4, 4)),
        (Block(0, 8),),
    ]


def test_lines_of_no_weight_are_all_wanted_at_once() -> None:
    """Titles of weight 3 and a budget of -1: nothing is ever light enough, so all seven are asked in one round."""
    view = fc.EMPTY
    for _ in range(8):
        view = fc.close(view, 3)
    assert fc.wanted(view, -1) == (*(Block(start, 2) for start in (0, 2, 4, 6)), Block(0, 4), Block(4, 4), Block(0, 8))


def test_a_pair_without_its_line_is_never_merged() -> None:
    """Nothing written: settle is stuck, drops nothing and merges nothing."""
    view = fc.close(fc.close(fc.EMPTY))
    assert fc.settle(view, 1) == (view, (), Outcome.STUCK)


def test_a_line_is_written_once() -> None:
    """A second write of the same block changes nothing, nor does a write of a block that is no Split."""
    view = fc.close(fc.close(fc.EMPTY))
    once = fc.write(view, Block(0, 2), 5)
    assert once == (Split(Leaf(1), Leaf(1), 5),)
    assert fc.write(once, Block(0, 2), 9) == once
    for block in (Block(0, 1), Block(1, 2), Block(0, 4), Block(-1, 2), Block(0, 0)):
        assert fc.write(once, block, 9) == once


def test_close_is_a_binary_increment() -> None:
    """Sizes from the head are the one-bits of n, lowest first."""
    view = fc.EMPTY
    for total in range(1, 65):
        view = fc.close(view)
        sizes = [fc.units((tree,)) for tree in view]
        assert sizes == [1 << bit for bit in range(7) if total >> bit & 1]


def test_a_merged_line_weighs_what_was_written_even_if_that_is_more() -> None:
    """The core bounds nothing: a heavy line raises the weight, and settle ends stuck, not in a loop."""
    view = fc.write(fc.close(fc.close(fc.EMPTY)), Block(0, 2), 50)
    settled = fc.settle(view, 1)
    assert settled == ((Merged(2, 50),), (Block(0, 2),), Outcome.STUCK)


@pytest.mark.parametrize(
    ("block", "total", "key"),
    [(Block(0, 2), 9, (2, 0)), (Block(4, 4), 9, (4, 4))],
)
def test_smallest_first_is_size_then_start(block: Block, total: int, key: tuple[int, int]) -> None:
    """The key of the default rank."""
    assert fc.smallest_first(block, total) == key


def test_age_over_size_is_a_fraction_not_a_floor() -> None:
    """Age 7 over size 2 goes before age 6 over size 2, though both floors are 3; equal fractions go by start."""
    older, newer = fc.age_over_size(Block(2, 2), 9), fc.age_over_size(Block(3, 2), 9)
    assert older < newer
    assert older[0] * 2 == -7
    assert fc.age_over_size(Block(0, 4), 8)[0] == fc.age_over_size(Block(4, 2), 8)[0]
    assert fc.age_over_size(Block(0, 4), 8) < fc.age_over_size(Block(4, 2), 8)


def test_a_block_knows_where_it_stops() -> None:
    """Stop is the first unit after it."""
    assert Block(4, 4).stop == 8


def test_the_core_is_a_record_of_the_four_operations() -> None:
    """CORE holds the functions that the package exports."""
    assert fc.Impl(fc.close, fc.write, fc.settle, fc.zoom) == fc.CORE


@pytest.mark.parametrize("block", [Block(0, 0), Block(-1, 2), Block(4, 2), Block(5, 1), Block(2, -1)])
def test_zoom_outside_the_units_is_empty(block: Block) -> None:
    """Five units: nothing before 0, nothing after 4, nothing of no size."""
    view = host(5, 100)[0]
    assert fc.zoom(view, block) == ()


def test_zoom_reads_units_that_are_merged() -> None:
    """A range need not be a block."""
    view = host(5, 2)[0]
    assert fc.zoom(view, Block(1, 3)) == (Block(1, 1), Block(2, 1), Block(3, 1))
