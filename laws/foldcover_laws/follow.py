"""Follow a life from its requests and answers: what each answer shows is what the next operation starts from.

Rule: bounded memory. Kept are the view of now, and the last few closes that were settled at once under one budget:
those make the runs that the law `quiet` speaks of.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from foldcover import Rank, Settled, View
from foldcover_laws import domain
from foldcover_laws.events import Asked, Closed, Run, Settling, Wrote, Zoomed
from foldcover_laws.messages import Answer, Budgeted, Close, Listed, Load, Plain, Refusal, Request, Shown, Write, Zoom
from foldcover_laws.performer import Found, Skipped, Untotal
from foldcover_laws.reading import Reading
from foldcover_laws.reproduce import lines
from foldcover_laws.wire import Malformed, printable, view_told

LONGEST_RUN = 8
"""Closes in the longest run that is kept."""


class Runs:
    """The runs that end with the last settle, of one close up to LONGEST_RUN."""

    def __init__(self) -> None:
        self._closed: Closed | None = None
        self._steps: deque[tuple[Closed, Settling]] = deque(maxlen=LONGEST_RUN)
        self._terms: tuple[int, Rank] | None = None

    def close(self, event: Closed) -> None:
        """A close; two in a row begin anew."""
        if self._closed is not None:
            self._steps.clear()
        self._closed = event

    def settle(self, event: Settling) -> Iterator[Run]:
        """A settle; another budget, or one without a close before it, begins anew."""
        closed, self._closed = self._closed, None
        if closed is None or self._terms != (event.budget, event.rank):
            self._steps.clear()
        self._terms = (event.budget, event.rank)
        if closed is None:
            return
        self._steps.append((closed, event))
        steps = list(self._steps)
        for first in range(len(steps)):
            titles = tuple(closed.weight for closed, _ in steps[first:])
            given = tuple((closed.after, settling) for closed, settling in steps[first:])
            yield Run(steps[first][0].before, titles, event.budget, event.rank, given)

    def stop(self) -> None:
        """Something else happened to the view."""
        self._closed = None
        self._steps.clear()


class Follower:
    """Where a life stands. `views_refused` counts loads that were rightly refused."""

    def __init__(self) -> None:
        self.now: Reading | None = None
        self.views_refused = 0
        self._runs = Runs()

    def hear(self, request: Request, answer: Answer) -> Iterator[Found]:
        """The events of a request and its answer. Raises Malformed where nobody knows what view it starts from."""
        match request:
            case Plain(op="reset"):
                yield from self._go(Load(()), answer, "reset")
            case Load():
                yield from self._go(request, answer, "load")
            case Plain():
                self.forget()
            case _ if self.now is None:
                raise Malformed(f"{request.op} before any reset or load: nobody knows the view it starts from")
            case _ if isinstance(answer, Refusal):
                yield _refused(self.now, request, answer)
            case _:
                yield from self._operate(self.now, request, answer)

    def forget(self) -> None:
        """The process is another one, or gone."""
        self.now = None
        self._runs.stop()

    def _go(self, request: Load, answer: Answer, op: str) -> Iterator[Found]:
        self._runs.stop()
        aim = Reading(request.view)
        if isinstance(answer, Shown):
            self.now = Reading(answer.view)
            if answer.view != request.view:
                yield Untotal(op, request.view, f"it shows another view: {view_told(answer.view)}", lines(aim, []))
        elif isinstance(answer, Refusal):
            if aim.is_aligned() and domain.extent(aim.view) is not None:
                reason = f"an aligned view is refused: {printable(answer.error)}"
                yield Untotal(op, request.view, reason, lines(aim, []))
            else:
                self.views_refused += 1

    def _operate(self, before: Reading, request: Request, answer: Answer) -> Iterator[Found]:
        match request, answer:
            case Close(weight=weight), Shown(view=view):
                closed = Closed(before, weight, self._at(view))
                self._runs.close(closed)
                yield closed
            case Write(block=block, weight=weight), Shown(view=view):
                self._runs.stop()
                yield Wrote(before, block, weight, self._at(view))
            case Budgeted(budget=budget, rank=rank), Settled(view=view, merged=merged, outcome=outcome):
                settling = Settling(before, budget, rank, self._at(view), merged, outcome)
                yield settling
                yield from self._runs.settle(settling)
            case Budgeted(budget=budget, rank=rank), Listed(blocks=blocks):
                yield Asked(before, budget, rank, blocks)
            case Zoom(block=block), Listed(blocks=blocks):
                yield Zoomed(before, block, blocks)
            case _:
                raise Malformed(f"no answer to {request.op}: {printable(answer)}")

    def _at(self, view: View) -> Reading:
        self.now = Reading(view)
        return self.now


def _refused(before: Reading, request: Request, answer: Refusal) -> Untotal | Skipped:
    """An error: a failure inside the domain."""
    extent = domain.extent(before.view)
    match request:
        case Close(weight=weight):
            must = domain.may_close(extent, weight)
        case Write(block=block, weight=weight):
            must = domain.may_write(extent, block, weight)
        case Zoom(block=block):
            must = domain.may_zoom(extent, block)
        case Budgeted(budget=budget):
            must = domain.may_settle(extent, budget)
        case _:
            must = True
    if not must:
        return Skipped(refused=True)
    return Untotal(request.op, before.view, f"an error: {printable(answer.error)}", lines(before, [request]))
