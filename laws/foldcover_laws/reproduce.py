"""A case as requests on the wire, so that whoever wrote the port can repeat it by hand.

Rule: JSON lines as they would be sent, beginning where a view is known: at `reset` or `load`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from foldcover_laws.events import Asked, Closed, Event, Run, Settling, Wrote, Zoomed
from foldcover_laws.messages import RESET, Budgeted, Close, Load, Request, Write, Zoom
from foldcover_laws.reading import Reading
from foldcover_laws.wire import request_text

MOST = 2000
"""Characters that are printed for the eye."""

Lines = tuple[str, ...]


def nothing(event: Event) -> Lines:
    """Where there is no wire."""
    return ()


def lines_of(event: Event) -> Lines:
    """The view before, and the operation."""
    return lines(event.before, requests_of(event))


def lines(before: Reading, requests: Sequence[Request]) -> Lines:
    """The view before, and what is asked then. Empty where a stranger's view is nested too deep to be written."""
    going = Load(before.view) if before.view else RESET
    try:
        return tuple(request_text(number, request) for number, request in enumerate((going, *requests), 1))
    except RecursionError:
        return ()


def requests_of(event: Event) -> tuple[Request, ...]:
    """What is asked in an event."""
    match event:
        case Closed(weight=weight):
            return (Close(weight),)
        case Wrote(block=block, weight=weight):
            return (Write(block, weight),)
        case Settling(budget=budget, rank=rank):
            return (Budgeted("settle", budget, rank),)
        case Asked(budget=budget, rank=rank):
            return (Budgeted("wanted", budget, rank),)
        case Zoomed(block=block):
            return (Zoom(block),)
        case Run(titles=titles, budget=budget, rank=rank):
            return tuple(each for title in titles for each in (Close(title), Budgeted("settle", budget, rank)))


def for_the_eye(requests: Lines) -> Iterator[str]:
    """The lines under a heading; only how to get them where they are long."""
    if requests:
        length = sum(map(len, requests))
        if length > MOST:
            yield f'to reproduce: {len(requests):,} lines, {length:,} characters: "reproduce" in --json has them'
        else:
            yield "to reproduce, on the port's stdin:"
            yield from (f"  {line}" for line in requests)
