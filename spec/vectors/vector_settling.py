"""The vectors of settle, its ranks and wanted, and whole histories: one thing each, and the bug it exposes.

Rule: only views, operations and reasons stand here. The expected results are computed by `make.py` and frozen in JSON.
"""

from __future__ import annotations

from collections.abc import Iterator

from vector_kit import MIXED, SEVEN, Case, one, pair, settle, tower, view_of, wanted

import foldcover
from foldcover import Block, Leaf, Merged, Split, View, age_over_size, smallest_first
from foldcover_laws.messages import Close, Request, Write


def settles() -> Iterator[Case]:
    """Nothing within the budget; else merges down to half of it, and the outcome says how it ended."""
    for budget in range(-2, 10):
        why = f"seven units weigh 7 under a budget of {budget}: `<` for `<=`, the budget for its half, a wrong outcome"
        yield one(f"all written, budget {budget}", why, "target", SEVEN, settle(budget))
        why = "missing lines taken as written, or stuck that is not told"
        yield one(f"nothing written, budget {budget}", why, "written", view_of(7, None), settle(budget))
    for budget in (3, 9, 10):
        yield one(f"mixed, budget {budget}", "an unwritten block in the way", "budget", MIXED, settle(budget))
    yield one("exactly the budget", "a view that fits, settled all the same", "fit_stable", (pair(1),), settle(2))
    yield one("fits is told", "`settled` where nothing was to do", "fit_stable", (pair(1),), settle(5))
    yield one(
        "nothing ready",
        "a newest unit that is dropped where nothing can merge",
        "covers_settle",
        (Leaf(), Merged(2)),
        settle(1),
    )
    yield one("more than one merge", "a settle that stops after one merge", "budget", SEVEN, settle(4))
    yield one("trees keep their order", "trees given back oldest first", "aligned_settle", SEVEN, settle(5))
    yield one(
        "a merged pair stays closed",
        "a block shown again as its units",
        "coarsen_settle",
        (Leaf(), Merged(2)),
        settle(1),
    )
    yield one(
        "halves first",
        "a merge over halves that are not merged",
        "pair",
        (Split(pair(None), pair(None), 1),),
        settle(2),
    )
    yield one(
        "other lines stay",
        "lines of blocks that are not merged are forgotten",
        "keeps",
        (Leaf(), tower(4, 3), tower(8, 1)),
        settle(12),
    )
    yield one(
        "a merged line's weight",
        "a merged block that weighs its units, or 1",
        "weighs",
        (Split(Leaf(4), Leaf(5), 3),),
        settle(8),
    )
    yield one("a heavier line", "merging that must get lighter", "target", (Split(pair(9), pair(1), None),), settle(3))
    yield one("a line of weight 0", "0 taken for no line", "written", (pair(0),), settle(1))
    yield one("empty view, budget 0", "an empty view", "fit_stable", (), settle(0))
    yield one("empty view, budget below 0", "0 is above -1, and nothing is ready", "budget", (), settle(-1))
    for budget in (-1, -3, -4, -9):
        view: View = (Leaf(-1), Split(Leaf(-2), Leaf(1), -4), tower(4, -1))
        yield one(f"negative, budget {budget}", "a half that is rounded towards zero", "target", view, settle(budget))
    yield one(
        "half of -9 is -5",
        "a half that is rounded towards zero",
        "target",
        (Split(pair(-4, -2, 1), pair(-4, -2, 1), 0),),
        settle(-9),
    )


def ranks() -> Iterator[Case]:
    """Which pair goes first."""
    views: tuple[tuple[str, View], ...] = (
        ("two pairs of a size", (Split(pair(1), pair(1), 1),)),
        ("an old big pair and a new small one", (pair(1), Split(Merged(2), Merged(2), 1))),
        ("three sizes", (Leaf(), pair(1), Split(Merged(2), Merged(2), 1), Split(Merged(4), Merged(4), 1))),
        ("eight units", (tower(8, 1),)),
        ("fifteen units", view_of(15, 1)),
    )
    for name, view in views:
        weight = foldcover.weight(view)
        for rank in (smallest_first, age_over_size):
            for budget in sorted({weight - 1, weight // 2 + 1, 2}):
                why = "a rank that is ignored, a tie that goes to the newer block, a block's stop for its start"
                yield one(f"{name}, {rank.__name__}, budget {budget}", why, "ranked", view, settle(budget, rank))
    seven_thirds: View = (Leaf(), pair(1), Split(Merged(2), Merged(2), 1))
    yield one("7/4 and 3/2", "age over size rounded down: 1 and 1", "ranked", seven_thirds, settle(4, age_over_size))
    close_ages: View = (Merged(4), Split(Merged(4), Merged(4), 1), Split(Merged(8), Merged(8), 1))
    yield one("28/16 and 12/8", "age over size rounded down: 1 and 1", "ranked", close_ages, settle(4, age_over_size))
    tie: View = (Split(Split(pair(1), pair(1), None), Split(pair(1), pair(1), None), None),)
    yield one("all of a size", "the newest or any of equals first", "ranked", tie, settle(7))
    yield one("all of a size, by age", "the newest or any of equals first", "ranked", tie, settle(7, age_over_size))


def wants() -> Iterator[Case]:
    """What settle would merge with missing lines at weight 0, less what is there."""
    for total in (2, 3, 4, 6, 7, 8):
        for budget in sorted({0, 2, total - 1, total}):
            why = "halves after their parent, blocks that are not needed, or an answer within the budget"
            yield one(f"{total} units, budget {budget}", why, "asks", view_of(total, None), wanted(budget))
    yield one("written lines are not asked for", "lines asked for that are there", "asks", SEVEN, wanted(2))
    yield one(
        "only the parent is missing",
        "lines asked for that are there",
        "asks",
        (Split(pair(1), pair(1), None),),
        wanted(1),
    )
    yield one(
        "written lines weigh what they weigh",
        "written lines counted as 0",
        "asks",
        (Split(pair(9), pair(None), None),),
        wanted(3),
    )
    yield one("mixed", "a merged half is a line too", "asks", MIXED, wanted(4))
    for rank in (smallest_first, age_over_size):
        yield one(
            f"order, {rank.__name__}",
            "blocks by address, not in the order of merging",
            "asks",
            view_of(7, None),
            wanted(3, rank),
        )
    yield one("empty view", "an empty view", "asks", (), wanted(-1))
    yield one(
        "negative",
        "a half that is rounded towards zero",
        "asks",
        (Split(pair(None, -3, 1), pair(None, -3, 1), None),),
        wanted(-9),
    )


def histories() -> Iterator[Case]:
    """Lives from the empty view, as a host leads them: close, write what is wanted, settle."""
    for budget, total, why in (
        (8, 9, "the example of the rule: [0-3] [4-5] [6-7] [8], five lines written, one settle that merged"),
        (3, 7, "[0-3] [4-5] [6] and stuck"),
        (6, 7, "three sizes of blocks at a time"),
        (0, 15, "the coarsest view has four lines"),
        (40, 12, "quiet: titles that fit are never merged"),
    ):
        yield Case(
            f"budget {budget}, {total} closes", why, "quiet" if budget == 40 else "target", (), _host(total, budget)
        )
    edge: tuple[Request, ...] = tuple(step for _ in range(8) for step in (Close(1), settle(8)))
    lined: tuple[Request, ...] = (
        *(Close(1) for _ in range(6)),
        Write(Block(0, 2), 1),
        Close(1),
        settle(8),
        Close(1),
        settle(8),
    )
    yield Case("eight titles fit in eight", "a title that weighs more than was said", "quiet", (), edge)
    yield Case(
        "eight titles fit in eight, with a line", "a title that weighs more than was said", "quiet", (), tuple(lined)
    )


def _host(total: int, budget: int) -> tuple[Request, ...]:
    view, steps = foldcover.EMPTY, list[Request]()
    for _ in range(total):
        steps.append(Close(1))
        view = foldcover.close(view)
        while True:
            steps.append(wanted(budget))
            asked = foldcover.wanted(view, budget)
            for block in asked:
                steps.append(Write(block, 1))
                view = foldcover.write(view, block)
            if not asked:
                break
        steps.append(settle(budget))
        view = foldcover.settle(view, budget).view
    return tuple(steps)
