"""What must see every change of a line of the core: laws, pins, measures, defaults, keys and totality, in seconds.

`foldcover mutants --mutmut` runs these with pytest, once for each of mutmut's changes, so they look at few views: every
aligned one of up to four units, some of seven and eight, and malformed ones. They are no replacement for the suite.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, islice

import foldcover as fc
from foldcover_laws import Scope
from foldcover_laws.cases import everything, unaddressable
from foldcover_laws.judge import Judge
from foldcover_laws.performer import Untotal
from foldcover_laws.reading import Reading
from foldcover_laws.subject import core
from foldcover_laws.views import HAND_MADE, aligned_views, comb, malformed_views, reweighed

UNEVEN = (3, 1, 0, 2, -5)
HUGE = 10**400


def _pair(line: int | None) -> fc.Tree:
    return fc.Split(fc.Leaf(2), fc.Leaf(3), line)


def _eight(line: int | None) -> fc.Tree:
    """A block of eight units, split everywhere."""
    four = fc.Split(_pair(line), _pair(line), line)
    return fc.Split(four, four, line)


DEEP: tuple[fc.View, ...] = (
    (fc.Split(fc.Split(fc.Leaf(), _pair(1), None), fc.Leaf(), 1),),  # lines subtracted would make it a pair
    (fc.Leaf(), _eight(1)),
    (_eight(None),),
    (comb(5, 1), comb(4, None)),
)


def views() -> list[fc.View]:
    """A few hundred views with uneven weights, negative ones among them."""
    small = chain.from_iterable(aligned_views(total) for total in range(5))
    seven, eight = islice(aligned_views(7), 5, None, 20), islice(aligned_views(8), 11, None, 120)
    uneven = [reweighed(view, UNEVEN) for view in chain(small, seven, eight, malformed_views(16), HAND_MADE)]
    return [*uneven, *DEEP]


def test_measures() -> None:
    """The measures agree with the laws' own reading."""
    for view in views():
        reading = Reading(view)
        assert fc.units(view) == reading.units
        assert fc.lines(view) == reading.lines
        assert fc.weight(view) == reading.weight
        assert fc.cover(view) == tuple(reading.shown)
        assert fc.pairs(view) == tuple(sorted(reading.pairs()))
        assert fc.ready(view) == tuple(sorted(reading.ready()))
        assert fc.aligned(view) is reading.is_aligned()


def test_alignment_of_merged_blocks() -> None:
    """A merged block is aligned when its size is a power of two, and at least two."""
    for size in range(-3, 70):
        assert fc.aligned((fc.Merged(size),)) is (size in (2, 4, 8, 16, 32, 64))


def test_keys() -> None:
    """smallest_first is (size, start); age_over_size is exactly -(n - start) / size, then start."""
    for start in range(-2, 9):
        for size in range(1, 9):
            block = fc.Block(start, size)
            assert fc.smallest_first(block, 9) == (size, start)
            assert fc.age_over_size(block, 9) == (-Fraction(9 - start, size), start)
    assert fc.age_over_size(fc.Block(3, 0), 9) == (0, 3)


def test_defaults() -> None:
    """A line weighs 1, and the rank is smallest_first, unless said otherwise; a view that fits is the same object."""
    for view in views():
        assert fc.close(view) == fc.close(view, 1)
        assert all(fc.write(view, block) == fc.write(view, block, 1) for block in Reading(view).splits)
        assert fc.settle(view, fc.weight(view)).view is view
        for budget in (0, 2):
            assert fc.settle(view, budget) == fc.settle(view, budget, fc.smallest_first)
            assert fc.wanted(view, budget) == fc.wanted(view, budget, fc.smallest_first)


def test_huge_numbers() -> None:
    """Weights and budgets may be any integers, beyond what a float can hold too."""
    view = (fc.Split(fc.Leaf(HUGE), fc.Leaf(HUGE), 1),)
    assert fc.settle(view, HUGE + 1).merged == (fc.Block(0, 2),)
    assert fc.wanted(fc.close(fc.close((), HUGE), HUGE), HUGE + 1) == (fc.Block(0, 2),)


def test_laws_and_pins() -> None:
    """Every law and pin holds, and every call is answered."""
    judge = Judge.of(core(), Scope())
    for view in views():
        for found in everything(core(), Reading(view)):
            judge.hear(found)
            assert not isinstance(found, Untotal), found
        assert judge.report.broken == []


def test_totality() -> None:
    """Every call is answered where two nodes share an address, and at the promised depth."""
    for found in unaddressable(core()):
        assert not isinstance(found, Untotal), found
