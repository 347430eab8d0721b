"""Where numbers of 16, 32 or 64 bits end: ranges that are another range in 32 bits, and zooms as long as is promised.

Each function yields events, as `cases` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from foldcover import Block, smallest_first
from foldcover_laws.cases import tried
from foldcover_laws.domain import LONGEST
from foldcover_laws.performer import Found, Performer, Skipped, Untotal
from foldcover_laws.reading import Reading
from foldcover_laws.views import LARGE, LONG, aligned_views

ROUND = 1 << 32
"""What 32 bits take for nothing."""
MOST_LINES = 64
"""Lines that a view may show in that history; the rule shows eleven at most."""
FAR = 1025
"""Closes of a history that is as long as a zoom without load can be."""


def edges(subject: Performer, units: int) -> Iterator[Found]:
    """What lies at the edges, on the views of up to `units` units (four at most) and the large ones."""
    if not subject.roams:
        yield from far(subject)
        return
    small = chain.from_iterable(aligned_views(total) for total in range(1, min(units, 4) + 1))
    for view in chain(small, LARGE):
        yield from turned(subject, Reading(view))
    long = Reading(LONG)
    for start in (0, 1, 2):
        yield tried(subject.zoom, long, Block(start, LONGEST))


def turned(subject: Performer, before: Reading) -> Iterator[Found]:
    """Write and read ranges that only 32 bits take for one of the view.

    No range is read that would be long where it was cut to what lies in the view.
    """
    end = before.units - 3
    for block in before.splits:
        for other in turns(block):
            yield tried(subject.write, before, other, 1)
    whole = turns(Block(0, before.units)) if before.units <= LONGEST else ()
    for block in (*whole, Block(end, 3), Block(end, 4), Block(ROUND, 2)):
        yield tried(subject.zoom, before, block)


def turns(block: Block) -> tuple[Block, Block]:
    """Blocks that are the same in 32 bits."""
    return Block(block.start + ROUND, block.size), Block(block.start, block.size + ROUND)


def far(subject: Performer) -> Iterator[Found]:
    """A history of FAR closes in which all is merged that can be, and then read as a whole."""
    now = Reading(())
    try:
        for _ in range(FAR):
            now = subject.close(now, 1).after
            for block in now.unwritten():
                now = subject.write(now, block, 1).after
            settling = subject.settle(now, 0, smallest_first)
            yield settling
            now = settling.after
            if now.lines > MOST_LINES:  # no longer the rule's: what is wrong was seen, and answers grow long
                return
        yield subject.zoom(now, Block(0, now.units))
    except (Untotal, Skipped) as broken:
        yield broken
