"""Which operations are performed on which views: the literals, everything small, and some long lives.

Each function yields events; what they are worth is for the laws to say. The literals are those of the second post
(forty closes, three write policies, eleven budgets). Then every view of up to so many units, with every budget and
every block; and a few random histories that are much longer. `short_lives` has more histories, for a port.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, cycle, islice, product

from foldcover import Block, Rank
from foldcover_laws.events import Event
from foldcover_laws.performer import Found, Performer, Skipped, Untotal
from foldcover_laws.reading import Reading
from foldcover_laws.views import HAND_MADE, LARGE, UNADDRESSABLE, aligned_views, malformed_views, reweighed

CLOSES = 40
LONG = 200
BUDGETS = (0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 40)
POLICIES = ("none", "all", "every other")
EVEN = (1,)
UNEVEN = (3, 1, 0, 2, 5)
MOST_STARTS = 40
FEW_STARTS = 12
MOST_BUDGETS = 200
WIDE = 1 << 50
"""More than 32 bits hold, and inside the domain."""
HUGE = 1 << 70
"""More than 64 bits hold."""


def literals(subject: Performer, closes: int = CLOSES) -> Iterator[Found]:
    """So many closes under every write policy, budget, rank and kind of weights."""
    for weights, policy, budget, rank in product((EVEN, UNEVEN), POLICIES, BUDGETS, subject.ranks):
        yield from history(subject, closes, weights, policy, budget, rank)


def history(
    subject: Performer, closes: int, weights: tuple[int, ...], policy: str, budget: int, rank: Rank
) -> Iterator[Found]:
    """One life of a cover from EMPTY: close, write by the policy, settle."""
    now = Reading(())
    weigh = cycle(weights)
    try:
        for _ in range(closes):
            titles = tuple(islice(weigh, 3))
            if subject.roams:
                yield subject.run(now, titles, budget, rank)
            closed = subject.close(now, next(weigh))
            yield closed
            now = closed.after
            writing = _to_write(now, policy)
            # What is wanted before the writes is not what is wanted after them.
            yield from asked(subject, now, budget, rank) if writing else ()
            for block in writing:
                wrote = subject.write(now, block, next(weigh))
                yield wrote
                now = wrote.after
            yield from asked(subject, now, budget, rank)
            settling = subject.settle(now, budget, rank)
            yield settling
            now = settling.after
            if settling.merged:
                yield from (subject.zoom(now, block) for block in now.shown)
    except (Untotal, Skipped) as broken:
        yield broken


def _to_write(now: Reading, policy: str) -> list[Block]:
    missing = now.unwritten()
    match policy:
        case "none":
            return []
        case "all":
            return missing
        case _:
            return missing[::2]


def long_lives(subject: Performer, lives: int, seed: int) -> Iterator[Found]:
    """Random histories of LONG closes: what goes wrong only far from the small views is looked for here.

    The same seed gives the same histories.
    """
    for life in range(lives):
        chance = random.Random(f"{seed}/{life}")
        scale = chance.choice((1, 1, 1000))
        budget = scale * chance.randint(2, 80)
        try:
            yield from _long_life(subject, chance, scale, budget, chance.choice(subject.ranks))
        except (Untotal, Skipped) as broken:
            yield broken


def _long_life(subject: Performer, chance: random.Random, scale: int, budget: int, rank: Rank) -> Iterator[Found]:
    now = Reading(())
    written = chance.choice((0.2, 0.9, 1.0))
    for _ in range(LONG):
        closed = subject.close(now, scale * chance.randint(0, 3))
        yield closed
        now = closed.after
        yield from asked(subject, now, budget, rank) if now.weight > budget else ()
        for block in now.unwritten() if now.weight > budget else ():
            if chance.random() < written:
                wrote = subject.write(now, block, scale * chance.randint(0, 2))
                yield wrote
                now = wrote.after
        yield from asked(subject, now, budget, rank)
        settling = subject.settle(now, budget, rank)
        yield settling
        now = settling.after
        start = chance.randint(0, now.units)
        yield subject.zoom(now, Block(start, chance.randint(0, now.units - start + 1)))


def exhaustive(subject: Performer, units: int, stride: int = 1) -> Iterator[Found]:
    """Every aligned view of up to `units` units and the malformed ones, with every budget, block and rank."""
    aligned = chain.from_iterable(aligned_views(total) for total in range(units + 1))
    for view in chain(aligned, malformed_views(stride)):
        yield from everything(subject, Reading(view))
        yield from everything(subject, Reading(reweighed(view, UNEVEN)))
    for view in (*HAND_MADE, *LARGE):
        yield from everything(subject, Reading(view))


def everything(subject: Performer, before: Reading) -> Iterator[Found]:
    """Every operation on one view, with every budget and block, and some titles."""
    near = range(-1, (before.units if before.units <= MOST_STARTS else FEW_STARTS) + 1)
    blocks = {Block(start, size) for start in near for size in (*near, len(near))}
    blocks |= before.shown.keys() | before.splits.keys()
    budgets = _budgets(before)
    yield from (tried(subject.close, before, *weight) for weight in ((), (0,), (2,), (-1,), (WIDE,), (HUGE,)))
    for block in sorted(blocks):
        yield tried(subject.write, before, block, 2)
        if block in before.splits:
            yield from (tried(subject.write, before, block, *weight) for weight in ((), (0,), (-1,), (WIDE,), (HUGE,)))
        if block.size <= MOST_STARTS:
            yield tried(subject.zoom, before, block)
    for rank in subject.ranks:
        for budget in budgets:
            yield from asked(subject, before, budget, rank)
            yield tried(subject.settle, before, budget, rank)
        for titles in ((1,), (0, 2), (2, 1, 1)):
            yield tried(subject.run, before, titles, before.weight + sum(titles), rank)
    yield from (tried(subject.settle, before, budget) for budget in budgets)
    yield from asked_twice(subject, before, budgets[len(budgets) // 2], subject.ranks[0])


def asked_twice(subject: Performer, before: Reading, budget: int, rank: Rank) -> Iterator[Found]:
    """What is wanted, and again after one of those lines is written."""
    try:
        if subject.asks and before.unwritten():
            first = subject.ask(before, budget, rank)
            yield first
            if first.blocks:
                wrote = subject.write(before, first.blocks[0], 1)
                yield wrote
                yield subject.ask(wrote.after, budget, rank)
    except (Untotal, Skipped) as broken:
        yield broken


def _budgets(before: Reading) -> Sequence[int]:
    """Every budget that can make a difference; only those near a limit where there would be too many."""
    least, most = min(before.weight, 0) - 2, max(before.weight, 0) + 2
    if most - least <= MOST_BUDGETS:
        return range(least, most)
    limits = {0, before.weight}
    for parts in before.splits.values():
        inside = before.shown.get(parts.left, 0) + before.shown.get(parts.right, 0)
        limits.add(before.weight - inside + (parts.line or 0))
    return sorted({limit * times + near for limit in limits for times in (1, 2) for near in (-1, 0, 1)})


def unaddressable(subject: Performer) -> Iterator[Found]:
    """Every operation on views where it need only answer: the laws do not speak of these."""
    for view in UNADDRESSABLE:
        before = Reading(view)
        yield tried(subject.close, before, 1)
        for block in (Block(0, 1), Block(0, 2), Block(0, 0), Block(-1, 3), Block(0, before.units)):
            yield tried(subject.write, before, block, 1)
        yield tried(subject.zoom, before, Block(0, 1))
        for budget in (0, 1 << 80):
            yield tried(subject.settle, before, budget)
            yield from asked(subject, before, budget, subject.ranks[0])


def asked(subject: Performer, before: Reading, budget: int, rank: Rank) -> Iterator[Found]:
    """What is wanted, where the subject can be asked."""
    if subject.asks:
        yield tried(subject.ask, before, budget, rank)


def tried(operation: Callable[..., Event], *arguments: object) -> Found:
    """The event, or how the operation failed to answer."""
    try:
        return operation(*arguments)
    except (Untotal, Skipped) as broken:
        return broken
