"""A port on trial: any program that performs the operations over JSON lines (spec/ports.md).

Rule: a port is stateful, so it is brought to the view that an operation starts from: it is there already, or by reset,
or by load where it offers that. Nothing outside the domain is ever sent. What comes back is judged from the view that
the port itself showed last, so zoom and wanted that change something are found out by what follows.
"""

from __future__ import annotations

import shlex
from collections.abc import Generator
from contextlib import contextmanager
from typing import TypeVar

from foldcover import Block, Rank, Settled, View, smallest_first
from foldcover_laws import domain
from foldcover_laws.child import Broken, Child
from foldcover_laws.events import Asked, Closed, Event, Run, Settling, Wrote, Zoomed
from foldcover_laws.judge import Judge, Progress, Report, Scope, run
from foldcover_laws.messages import (
    BYE,
    HELLO,
    RANKS,
    RESET,
    Answer,
    Budgeted,
    Close,
    Greeting,
    Listed,
    Load,
    Refusal,
    Request,
    Shown,
    Write,
    Zoom,
)
from foldcover_laws.performer import Fault, Skipped, Untotal, close_and_settle
from foldcover_laws.reading import Reading
from foldcover_laws.reproduce import Lines, lines, lines_of
from foldcover_laws.stopping import held, stoppable
from foldcover_laws.wire import Malformed, after_reading, id_of, parse, printable, read_answer, request_text, view_told

Form = TypeVar("Form", bound=Answer)
RECENT = 8
"""Requests that are repeated as they were sent; of more, only the last, from its own view, where the port loads."""


class Port:
    """A running port. Every method may raise Fault, Untotal or Skipped."""

    ranks = tuple(RANKS.values())

    def __init__(self, child: Child) -> None:
        """Greet it. Raises Fault."""
        self._child = child
        self._number = 0
        self._life: list[str] = []
        self._before = self._last = ""
        self.roams = False
        self._state: Reading | None = None
        self._unloadable: Reading | None = None
        self._measured: tuple[Reading, domain.Extent | None] | None = None
        self.views_refused = 0
        greeting = self._exchange(HELLO)
        if not isinstance(greeting, Greeting):
            raise Fault(f"request 1 (hello): answered with an error: {_why(greeting)}", 2)
        self.name, self.roams, self.asks = greeting.name, greeting.load, greeting.wanted

    def where(self) -> str:
        """The request that was sent last, and whether one before it may have changed what it must not."""
        return f"request {self._number:,}" + after_reading(self._before)

    def how(self, event: Event) -> Lines:
        """The requests since the last load or reset; where those are many, the view before and the event's own."""
        return self._recent() or lines_of(event)

    def _recent(self) -> Lines:
        return () if self.roams and len(self._life) > RECENT else tuple(self._life)

    def _just_now(self, request: Request) -> Lines:
        """How to repeat the request that went wrong."""
        before = self._state or Reading(())
        return self._recent() or lines(before, [request])

    def close(self, before: Reading, *weight: int) -> Closed:
        """Perform close."""
        own = weight[0] if weight else 1
        _demand(domain.may_close(self._extent(before), own))
        return Closed(before, own, self._view(before, self._perform(before, Close(own), Shown).view))

    def write(self, before: Reading, block: Block, *weight: int) -> Wrote:
        """Perform write."""
        own = weight[0] if weight else 1
        _demand(domain.may_write(self._extent(before), block, own))
        return Wrote(before, block, own, self._view(before, self._perform(before, Write(block, own), Shown).view))

    def settle(self, before: Reading, budget: int, *rank: Rank) -> Settling:
        """Perform settle. There are no defaults on the wire."""
        own = rank[0] if rank else smallest_first
        _demand(domain.may_settle(self._extent(before), budget))
        settled = self._perform(before, Budgeted("settle", budget, own), Settled)
        after = self._view(before, settled.view)
        return Settling(before, budget, own, after, settled.merged, settled.outcome)

    def zoom(self, before: Reading, block: Block) -> Zoomed:
        """Perform zoom."""
        _demand(domain.may_zoom(self._extent(before), block))
        return Zoomed(before, block, self._perform(before, Zoom(block), Listed).blocks)

    def ask(self, before: Reading, budget: int, rank: Rank) -> Asked:
        """Perform wanted."""
        _demand(domain.may_settle(self._extent(before), budget))
        return Asked(before, budget, rank, self._perform(before, Budgeted("wanted", budget, rank), Listed).blocks)

    def run(self, before: Reading, titles: tuple[int, ...], budget: int, rank: Rank) -> Run:
        """Perform close and settle once for each title."""
        return close_and_settle(self, before, titles, budget, rank)

    def finish(self) -> None:
        """Say bye; the program must end."""
        try:
            self._child.end(self._next(BYE))
        except Broken as broken:
            raise self._fault(BYE, str(broken), broken.late) from broken

    def _extent(self, before: Reading) -> domain.Extent | None:
        """The extent of the view, measured once as long as it is asked about."""
        if self._measured is None or self._measured[0] is not before:
            self._measured = (before, domain.extent(before.view))
        return self._measured[1]

    def _perform(self, before: Reading, request: Request, form: type[Form]) -> Form:
        """Bring the port to the view, and let it perform."""
        self._go(before)
        answer = self._exchange(request)
        if not isinstance(answer, form):
            reason = f"{self.where()}: an error: {_why(answer)}"
            raise Untotal(request.op, before.view, reason, self._just_now(request))
        return answer

    def _go(self, before: Reading) -> None:
        if self._state is not None and (self._state is before or self._state.view == before.view):
            self._state = before
            return
        if before is self._unloadable:
            raise Skipped(refused=False)
        assert self.roams or not before.view, "a history went back"
        going = Load(before.view) if before.view else RESET
        answer = self._exchange(going)
        if isinstance(answer, Shown) and answer.view == before.view:
            self._state = before
            return
        self._unloadable = before
        if isinstance(answer, Shown):
            self._state = None
            reason = f"{self.where()}: it shows another view: {view_told(answer.view)}"
            raise Untotal(going.op, before.view, reason, tuple(self._life))
        if before.is_aligned():
            reason = f"{self.where()}: an aligned view is refused: {_why(answer)}"
            raise Untotal(going.op, before.view, reason, tuple(self._life))
        self.views_refused += 1
        raise Skipped(refused=False)

    def _view(self, before: Reading, view: View) -> Reading:
        """The view that the port shows now, read."""
        self._state = before if view == before.view else Reading(view)
        return self._state

    def _exchange(self, request: Request) -> Answer:
        """Send a request, read its answer. Raises Fault."""
        asked = self._next(request)
        try:
            found = parse(self._child.ask(asked))
            number = id_of(found)
            if number != self._number:
                raise Malformed(f"an answer with id {number}, not {self._number}")
            return read_answer(found, request)
        except Malformed as malformed:
            raise self._fault(request, str(malformed), late=False) from malformed
        except Broken as broken:
            raise self._fault(request, str(broken), broken.late) from broken

    def _next(self, request: Request) -> bytes:
        """The request as a line, noted."""
        self._number += 1
        self._before, self._last = self._last, request.op
        text = request_text(self._number, request)
        if request.op in ("reset", "load"):
            self._life.clear()
        self._life.append(text)
        return text.encode()

    def _fault(self, request: Request, what: str, late: bool) -> Fault:
        what = f"request {self._number} ({request.op}): {what}"
        return Fault(what, 3 if late else 2, self._just_now(request))


def judge_port(command: str, timeout: float, scope: Scope, progress: Progress = iter) -> Report:
    """Start a port, judge it, and end it. What goes wrong is in the report."""
    try:
        with running(command, timeout) as port:
            report = run(port, scope, progress, port.where, port.how)
            if not port.roams:
                report.notes.append("views: not judged (the port does not load)")
            if port.views_refused:
                report.notes.append(f"{port.views_refused:,} malformed views refused by the port: not judged")
            return report
    except Fault as fault:
        report = Judge(command, scope, lambda law: True).report
        report.cut_short(fault)
        return report


@contextmanager
def running(command: str, timeout: float) -> Generator[Port]:
    """A port that runs as long as the block does, and never longer. Raises Fault when it cannot be started."""
    child: Child | None = None
    with stoppable():
        try:
            try:
                argv = shlex.split(command)
                if not argv:
                    raise ValueError("no command")
                with held():
                    child = Child(argv, timeout)
            except ValueError as error:
                raise Fault(f"cannot be started: in CMD: {printable(str(error)).lower()}", 2) from error
            except FileNotFoundError as error:
                raise Fault(f"cannot be started: no such program: {printable(shlex.split(command)[0])}", 2) from error
            except OSError as error:
                why = printable((error.strerror or str(error)).lower())
                raise Fault(f"cannot be started: {printable(shlex.split(command)[0])}: {why}", 2) from error
            yield Port(child)
        finally:
            if child is not None:
                child.kill()


def _demand(inside: bool) -> None:
    """Raises Skipped for a call from outside the domain."""
    if not inside:
        raise Skipped(refused=False)


def _why(answer: Answer) -> str:
    return printable(answer.error) if isinstance(answer, Refusal) else printable(answer)
