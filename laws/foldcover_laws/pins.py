"""The pins: what the thirteen leave open. Laws and pins together determine the operations.

The thirteen hold for a core that settles to the wrong target, ignores the rank, or whose write does nothing. Each
pin is one relation over an event, in the same form as a law: True holds, False broken, None not spoken of.
"""

from __future__ import annotations

from foldcover import Block
from foldcover_laws.events import Asked, Closed, Settling, Wrote, Zoomed
from foldcover_laws.reading import Moment


def target(event: Settling) -> bool | None:
    """Before every merge the weight is above budget // 2; at the end it is not, or nothing is ready."""
    if event.before.weight <= event.budget:
        return None
    low = event.budget // 2
    moment = Moment(event.before)
    for block in event.merged:
        if moment.weight <= low:
            return False
        if block not in moment.splits:
            break
        moment.replace(block)
    return event.after.weight <= low or event.after.nothing_ready()


def ranked(event: Settling) -> bool | None:
    """No pair that is ready at the moment of a merge has a smaller key than the merged one (ties: start)."""
    if not event.merged:
        return None
    total = event.before.units
    moment = Moment(event.before)
    for block in event.merged:
        if block not in moment.splits:
            break
        own = (event.rank(block, total), block.start)
        for other in moment.pairs():
            if moment.splits[other].line is not None and (event.rank(other, total), other.start) < own:
                return False
        moment.replace(block)
    return True


def pair(event: Settling) -> bool | None:
    """Each merged block was a pair at its moment."""
    if not event.merged:
        return None
    moment = Moment(event.before)
    for block in event.merged:
        if not moment.is_pair(block):
            return False
        moment.replace(block)
    return True


def keeps(event: Settling) -> bool:
    """The view after is the view before with each merged block replaced by one line; other Splits keep their line."""
    moment = Moment(event.before)
    for block in event.merged:
        if block not in moment.splits:
            return False
        moment.replace(block)
    lines = {block: parts.line for block, parts in moment.splits.items()}
    return (
        moment.shown.keys() == event.after.shown.keys()
        and lines == event.after.lines_of_splits()
        and event.after.roots == event.before.roots
    )


def weighs_close(event: Closed) -> bool:
    """The new unit weighs the argument of close; a line shown before and after keeps its weight."""
    new = Block(event.before.units, 1)
    expected = {**event.before.shown, new: event.weight}
    return all(weight == expected.get(block, weight) for block, weight in event.after.shown.items())


def weighs_settle(event: Settling) -> bool:
    """A line shown before and after keeps its weight; a merged line weighs its Split's line."""
    for block, weight in event.after.shown.items():
        parts = event.before.splits.get(block)
        expected = event.before.shown.get(block) if parts is None else parts.line
        if expected is not None and weight != expected:
            return False
    return True


def write_sets(event: Wrote) -> bool:
    """An unwritten Split gets exactly that line; every other call changes nothing."""
    expected = event.before.lines_of_splits()
    if event.block in expected and expected[event.block] is None:
        expected[event.block] = event.weight
    return (
        event.after.lines_of_splits() == expected
        and event.after.shown == event.before.shown
        and event.after.roots == event.before.roots
    )


def shape(event: Closed) -> bool:
    """Close keeps every old node; over them the new unit, then unwritten Splits while equal in size."""
    before, after = event.before, event.after
    new = Block(before.units, 1)
    roots, grown = list(before.roots), new
    lines = before.lines_of_splits()
    while roots and roots[-1].size == grown.size:
        older = roots.pop()
        grown = Block(older.start, 2 * grown.size)
        lines[grown] = None
    return (
        after.shown.keys() == {*before.shown, new}
        and after.lines_of_splits() == lines
        and after.roots == [*roots, grown]
    )


def reads(event: Zoomed) -> bool:
    """Zoom reads exactly the units start .. stop - 1 of a range inside 0 .. n, and () for any other."""
    start, size = event.block
    inside = size >= 1 and start >= 0 and start + size <= event.before.units
    return list(event.blocks) == ([Block(unit, 1) for unit in range(start, start + size)] if inside else [])


def asks(event: Asked) -> bool:
    """Wanted is what settle merges when missing lines weigh 0, less the blocks whose line is there."""
    moment = Moment(event.before)
    missing: list[Block] = []
    if moment.weight > event.budget:
        total = event.before.units
        while moment.weight > event.budget // 2:
            block = min(moment.pairs(), key=lambda other: (event.rank(other, total), other.start), default=None)
            if block is None:
                break
            if moment.splits[block].line is None:
                missing.append(block)
            moment.replace(block)
    return list(event.blocks) == missing
