"""The C core equals the Python core: on every view of up to 10 units, and on ten million random operations.

    python bindings/checks/equal.py                  both; CI runs fewer operations
    python bindings/checks/equal.py --units 8 --operations 100000

Every aligned view (even and uneven weights), every budget around its weight, both named ranks and an absurd one through
the callback, every block for write and zoom. The malformed views of the law checker besides: C must refuse them, but
for those where only a Merged of one unit stands for a Leaf; these are compared like the aligned ones. The random
operations change one view in place in C and one in Python, beside each other; what they answer is compared each time,
the views at every eighth operation and at the end. Exit codes: 0 equal · 1 a difference, which is printed · 2 usage.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from typing import NamedTuple

import foldcover as fc
from foldcover_laws.domain import extent
from foldcover_laws.views import HAND_MADE, RANKS, absurd, aligned_views, malformed_views, reweighed
from foldcover_native import IMPL, Cover, wanted

UNEVEN = (3, 1, 0, 2, 5)
HISTORY = 500
COMPARE_EVERY = 8
CHUNK = 200


class Difference(AssertionError):
    """The two cores answered differently."""


class Work(NamedTuple):
    """A share of the work: the views to compare on, or the seeds of random histories."""

    views: Sequence[fc.View]
    seeds: Sequence[int]


def expect(mine: object, core: object, *what: object) -> None:
    """Raise a Difference unless both are the same."""
    if mine != core:
        raise Difference(f"{' '.join(map(str, what))}: C says {mine}, Python {core}")


def with_leaves(tree: fc.Tree) -> fc.Tree:
    """The tree with a Leaf for each Merged of one unit."""
    match tree:
        case fc.Split(left=left, right=right, line=line):
            return fc.Split(with_leaves(left), with_leaves(right), line)
        case fc.Merged(size=1, weight=weight):
            return fc.Leaf(weight)
        case _:
            return tree


def refuse(view: fc.View) -> int:
    """A view that is not aligned: C must not take it, and keeps what it has."""
    cover = Cover((fc.Leaf(7),))
    try:
        cover.load(view)
    except ValueError:
        expect(cover.save(), (fc.Leaf(7),), "after refusing", view)
        return 1
    raise Difference(f"C takes {view}, which is not aligned")


def compare(view: fc.View) -> int:
    """Every operation on one view, with every budget and block. How many were compared."""
    if not fc.aligned(tuple(map(with_leaves, view))):
        return refuse(view)
    before = Cover(view)
    expect(before.save(), view, "save of", view)
    expect((before.units, before.lines, before.weight), (fc.units(view), fc.lines(view), fc.weight(view)), view)
    expect(before.cover(), fc.cover(view), "cover of", view)
    count = 3
    for weight in (0, 1, -2):
        expect(IMPL.close(view, weight), fc.close(view, weight), "close", weight, "on", view)
        count += 1
    budgets = range(min(fc.weight(view), 0) - 2, max(fc.weight(view), 0) + 2)
    for rank in RANKS:
        for budget in budgets if len(budgets) < 100 else chain(budgets[:50], budgets[-50:]):
            what = (rank.__name__, "budget", budget, "on", view)
            expect(IMPL.settle(view, budget, rank), fc.settle(view, budget, rank), "settle", *what)
            expect(wanted(view, budget, rank), fc.wanted(view, budget, rank), "wanted", *what)
            count += 2
    near = range(-1, min(fc.units(view), 20) + 2)
    for block in (fc.Block(start, size) for start in near for size in near):
        expect(IMPL.write(view, block, 5), fc.write(view, block, 5), "write", block, "on", view)
        expect(before.zoom(block), fc.zoom(view, block), "zoom", block, "on", view)
        count += 2
    return count


def live(seed: int) -> int:
    """One random history, in place in C and beside it in Python. How many operations were compared."""
    chance = random.Random(seed)
    scale, most = chance.choice((1, 1, 1000, 1 << 40)), chance.choice((3, 4, 6, 16))
    view, cover = fc.EMPTY, Cover()
    for number in range(HISTORY):
        view = operation(chance, scale, most, view, cover)
        if number % COMPARE_EVERY == 0 or number == HISTORY - 1:
            expect(cover.save(), view, "history", seed, "after", number + 1, "operations")
            expect((cover.units, cover.lines, cover.weight), (fc.units(view), fc.lines(view), fc.weight(view)), seed)
        if cover.units > 4 * most:
            view, cover = fc.EMPTY, Cover()
    return HISTORY


def operation(chance: random.Random, scale: int, most: int, view: fc.View, cover: Cover) -> fc.View:
    """One random operation on both; the Python core's view after it."""
    kind = chance.random()
    if kind < 0.5:
        weight = scale * chance.randint(-1, 4)
        cover.close(weight)
        return fc.close(view, weight)
    if kind < 0.8:
        size = chance.choice((2, 2, 2, 4, 4, 8, 16, 3))
        start = chance.randint(0, cover.units // size) * size
        block, weight = fc.Block(start, size), scale * chance.randint(0, 3)
        after = fc.write(view, block, weight)
        expect(cover.write(block, weight), after != view, "write", block, "on", view)
        return after
    budget, rank = scale * chance.randint(0, most), chance.choice(RANKS[:2] if chance.random() < 0.9 else (absurd,))
    if kind < 0.85:
        asked = fc.wanted(view, budget, rank)
        expect(cover.wanted(budget, rank), asked, "wanted", budget, "on", view)
        for block in asked:
            weight = scale * chance.randint(0, 2)
            view = fc.write(view, block, weight)
            cover.write(block, weight)
        return view
    if kind < 0.9:
        block = fc.Block(chance.randint(-1, most), chance.randint(0, most))
        expect(cover.zoom(block), fc.zoom(view, block), "zoom", block, "on", view)
        return view
    settled = fc.settle(view, budget, rank)
    mine = cover.settle(budget, rank)
    expect((mine.merged, mine.outcome), (settled.merged, settled.outcome), "settle", budget, rank.__name__, view)
    return settled.view


def do(work: Work) -> int | str:
    """Do a share of the work: how many comparisons, or the first difference."""
    try:
        return sum(map(compare, work.views)) + sum(map(live, work.seeds))
    except Difference as error:
        return str(error)


def shares(units: int) -> Iterator[Work]:
    """Every view, in shares."""
    every = chain.from_iterable(aligned_views(total) for total in range(units + 1))
    odd = (view for view in chain(malformed_views(2), HAND_MADE) if extent(view) is not None)
    views = chain.from_iterable((view, reweighed(view, UNEVEN)) for view in chain(every, odd))
    while share := tuple(islice(views, CHUNK)):
        yield Work(share, ())


def lives(operations: int) -> Iterator[Work]:
    """Seeds for so many operations, in shares."""
    seeds = range(-(-operations // HISTORY))
    for first in range(0, len(seeds), CHUNK):
        yield Work((), seeds[first : first + CHUNK])


def report(title: str, works: Iterable[Work], pool: Executor) -> int:
    """Do all of it and say how much that was. Raises a Difference at the first one."""
    start, count = time.monotonic(), 0
    for done in pool.map(do, works):
        if isinstance(done, str):
            raise Difference(done)
        count += done
        if sys.stderr.isatty():
            print(f"\r{title}: {count:,} ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print(f"{title}: {count:,} comparisons, all equal, {time.monotonic() - start:.0f} s", flush=True)
    return count


def main() -> int:
    """Run both parts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--units", type=int, default=10, help="every aligned view of up to so many (default 10)")
    parser.add_argument("--operations", type=int, default=10_000_000, help="random ones (default ten million)")
    asked = parser.parse_args()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        try:
            counts = (
                report(f"every view of up to {asked.units} units", shares(asked.units), pool),
                report("random operations", lives(asked.operations), pool),
            )
        except Difference as error:
            pool.shutdown(wait=False, cancel_futures=True)
            print(f"NOT EQUAL: {error}")
            return 1
        except BrokenProcessPool:
            print("the C core ended the process: run under a debugger, or see what was printed before this")
            return 1
    return 0 if all(counts) else 1


if __name__ == "__main__":
    sys.exit(main())
