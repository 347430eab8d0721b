"""Laws and pins together determine the operations: on small views the core's answer is the only one that passes.

Every candidate answer is tried: all trees over as many units, all orders of all sets of splits as `merged`, all
outcomes. The proof for all sizes is a theorem of its own; this is the check that nothing was forgotten in it.
"""

from collections.abc import Iterator
from itertools import permutations, product

import pytest

import foldcover as fc
from foldcover import Block, Leaf, Merged, Outcome, Split
from foldcover_laws import LAWS
from foldcover_laws.events import Closed, Event, Settling, Wrote
from foldcover_laws.reading import Reading

WEIGHTS = (1, 2)


def trees(size: int) -> list[fc.Tree]:
    """Every tree over `size` units, complete, each line of weight 1 or 2."""
    if size == 1:
        return [Leaf(weight) for weight in WEIGHTS]
    halves = trees(size // 2)
    splits = [Split(left, right, line) for left in halves for right in halves for line in (None, *WEIGHTS)]
    return [*(Merged(size, weight) for weight in WEIGHTS), *splits]


def views(total: int) -> Iterator[fc.View]:
    """Every aligned view of `total` units."""
    sizes = [1 << bit for bit in range(total.bit_length()) if total >> bit & 1]
    return product(*(trees(size) for size in sizes))


def passes(event: Event) -> bool:
    """Whether every law and pin that speaks of the event holds."""
    relations = [law.relations[type(event)] for law in LAWS if type(event) in law.relations]
    return all(relation(event) is not False for relation in relations)


@pytest.mark.parametrize("total", [1, 2, 3])
def test_settle_is_determined(total: int) -> None:
    """For every view, budget and rank: the only result that passes is the core's."""
    readings = [Reading(view) for view in views(total)]
    asked = 0
    for before in readings:
        orders = [order for size in range(len(before.splits) + 1) for order in permutations(before.splits, size)]
        for budget in range(before.weight + 1):
            for rank in (fc.smallest_first, fc.age_over_size):
                passed = [
                    fc.Settled(after.view, order, outcome)
                    for after in readings
                    for order in orders
                    for outcome in Outcome
                    if passes(Settling(before, budget, rank, after, order, outcome))
                ]
                assert passed == [fc.settle(before.view, budget, rank)]
                asked += 1
    assert asked > 0


@pytest.mark.parametrize("total", [0, 1, 2, 3])
def test_close_is_determined(total: int) -> None:
    """Among all views of one more unit, and of as many, only the core's passes."""
    candidates = [Reading(view) for more in (0, 1) for view in views(total + more)]
    for view in views(total):
        before = Reading(view)
        for weight in WEIGHTS:
            passed = [after.view for after in candidates if passes(Closed(before, weight, after))]
            assert passed == [fc.close(view, weight)]


@pytest.mark.parametrize("total", [1, 2, 3])
def test_write_is_determined(total: int) -> None:
    """For every block inside and outside, only the core's view passes."""
    candidates = [Reading(view) for view in views(total)]
    for before in candidates:
        for block in (Block(0, 1), Block(0, 2), Block(1, 2), Block(2, 1), Block(0, 4)):
            for weight in WEIGHTS:
                passed = [after.view for after in candidates if passes(Wrote(before, block, weight, after))]
                assert passed == [fc.write(before.view, block, weight)]
