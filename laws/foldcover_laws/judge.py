"""Run events past the laws and keep count: how many cases, how long, and the smallest event that broke each.

A case is an event that the law speaks of: an event outside its premises is not counted. So a law that ran zero
cases was not judged at all, and that is a failure unless the subject does not offer the operation.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from foldcover import Impl
from foldcover_laws.cases import CLOSES, exhaustive, literals, long_lives, unaddressable
from foldcover_laws.catalogue import LAWS, Law, Relation
from foldcover_laws.edges import edges
from foldcover_laws.events import Event
from foldcover_laws.lives import short_lives
from foldcover_laws.performer import Fault, Found, Performer, Skipped, Untotal
from foldcover_laws.reproduce import Lines, nothing
from foldcover_laws.subject import Subject, Wanted, core


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is run.

    Every aligned view of up to `units` units, every `stride`-th malformed one, `closes` in each literal, and `lives`
    random histories, which are the same for the same `seed`, and `short` short ones that only go forward.
    """

    units: int = 6
    closes: int = CLOSES
    stride: int = 1
    lives: int = 12
    seed: int = 0
    short: int = 0


How = Callable[[Event], Lines]
"""An event as requests on the wire."""
Progress = Callable[[Iterable[Found]], Iterable[Found]]
"""Passes events on, and shows how many there were."""
FULL = Scope()
TOLD = 100
"""How many of the calls that were not answered are kept to be told of."""


class Verdict(Enum):
    """What is known of a law after a run."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_JUDGED = "not judged"
    """The subject does not offer the operation: neither a pass nor a failure."""
    NO_CASE = "no case"
    """Nothing ran: a failure of the run."""
    UNDECIDED = "undecided"
    """Not found broken, before the run was cut short."""


@dataclass(slots=True)
class Tally:
    """The count for one law."""

    law: Law
    cases: int = 0
    breaks: int = 0
    seconds: float = 0.0
    witness: Event | None = None
    where: str = ""
    """The place of the witness in a longer record, where there is one."""
    reproduce: Lines = ()
    """The witness as requests on the wire, where there is one."""
    offered: bool = True
    cut_short: bool = False

    @property
    def verdict(self) -> Verdict:
        """Broken by one case, held by all of a whole run, or not judged."""
        if self.breaks:
            return Verdict.BROKEN
        if not self.cases and not self.offered:
            return Verdict.NOT_JUDGED
        if self.cut_short:
            return Verdict.UNDECIDED
        return Verdict.HOLDS if self.cases else Verdict.NO_CASE

    def judge(self, relation: Relation, event: Event, where: Callable[[], str], how: How) -> None:
        """Ask the law about one event."""
        start = time.perf_counter()
        holds = relation(event)
        self.seconds += time.perf_counter() - start
        if holds is None:
            return
        self.cases += 1
        if not holds:
            self.breaks += 1
            if self.witness is None or size_of(event) < size_of(self.witness):
                self.witness, self.where, self.reproduce = event, where(), how(event)


@dataclass(slots=True)
class Report:
    """The result of a run: a tally for each law and pin, what failed to answer, and what cut the run short."""

    subject: str
    scope: Scope | None
    tallies: list[Tally]
    calls: int = 0
    untotal: list[Untotal] = field(default_factory=list[Untotal])
    """The first calls that were not answered, TOLD at most."""
    not_answered: int = 0
    refused: int = 0
    """Calls outside the domain that were refused: no failures."""
    fault: Fault | None = None
    notes: list[str] = field(default_factory=list[str])
    """What else the reader must know: what was not looked at."""
    seconds: float = 0.0

    @property
    def broken(self) -> list[str]:
        """The slugs of the broken laws and pins, in their order."""
        return [tally.law.slug for tally in self.tallies if tally.verdict is Verdict.BROKEN]

    @property
    def ok(self) -> bool:
        """Whether every law that could be judged holds, each on at least one case, and every call was answered."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """0 ok; 1 something is broken, or ran on nothing; what the fault says where nothing was found broken before."""
        if self.broken or self.not_answered:
            return 1
        if self.fault is not None:
            return self.fault.code
        fine = (Verdict.HOLDS, Verdict.NOT_JUDGED)
        return 0 if self.calls and all(tally.verdict in fine for tally in self.tallies) else 1

    def cut_short(self, fault: Fault) -> None:
        """Note the end of the run before its time: what was not found broken is undecided."""
        self.fault = fault
        for tally in self.tallies:
            tally.cut_short = True


def size_of(event: Event) -> tuple[int, int, int]:
    """How large an event is as a witness: fewer units, fewer lines, a shorter text."""
    try:
        length = len(repr(event.before.view))
    except RecursionError:  # a stranger's view may be nested deeper than Python likes to print
        length = sys.maxsize
    return (event.before.units, event.before.lines, length)


class Judge:
    """Judges events one by one."""

    def __init__(
        self,
        name: str,
        scope: Scope | None,
        offered: Callable[[Law], bool],
        where: Callable[[], str] = str,
        how: How = nothing,
    ) -> None:
        """`offered`: a law that ran no case though it is offered is a failure. `where`: the place of an event."""
        self._how = how
        tallies = [Tally(law, offered=offered(law)) for law in LAWS]
        self.report = Report(name, scope, tallies)
        self._where = where
        self._by_event: dict[type, list[tuple[Tally, Relation]]] = {}
        for tally in tallies:
            for event, relation in tally.law.relations.items():
                self._by_event.setdefault(event, []).append((tally, relation))

    @staticmethod
    def of(subject: Performer, scope: Scope, where: Callable[[], str] = str, how: How = nothing) -> Judge:
        """The judge of a performer."""
        return Judge(subject.name, scope, lambda law: law.slug != "asks" or subject.asks, where, how)

    def note(self, found: Found) -> None:
        """Count a call, and remember it if it was not answered."""
        report = self.report
        if isinstance(found, Skipped):
            report.refused += found.refused
            return
        report.calls += 1
        if isinstance(found, Untotal):
            report.not_answered += 1
            if report.not_answered <= TOLD:
                report.untotal.append(found)

    def hear(self, found: Found) -> None:
        """Count a call, and judge the event by every law that speaks of such events."""
        self.note(found)
        if not isinstance(found, Untotal | Skipped):
            self.weigh(found)

    def weigh(self, event: Event) -> None:
        """Judge an event whose calls have been counted."""
        for tally, relation in self._by_event[type(event)]:
            tally.judge(relation, event, self._where, self._how)


def run(
    subject: Performer,
    scope: Scope = FULL,
    progress: Progress = iter,
    where: Callable[[], str] = str,
    how: How = nothing,
) -> Report:
    """Judge a performer on the literals, on every small view, on long lives, and on views where it need only answer.

    One that stands where its history has led it is judged on histories only. `progress` wraps the stream of events,
    for a display; `where` names the place of the last one, `how` says how to repeat it.
    """
    judge = Judge.of(subject, scope, where, how)
    start = time.perf_counter()
    try:
        for found in progress(_streams(subject, scope)):
            judge.hear(found)
        for found in unaddressable(subject) if subject.roams else ():
            judge.note(found)
        subject.finish()
    except Fault as fault:
        judge.report.cut_short(fault)
    judge.report.seconds = time.perf_counter() - start
    return judge.report


def _streams(subject: Performer, scope: Scope) -> Iterator[Found]:
    yield from literals(subject, scope.closes)
    if subject.roams:
        yield from exhaustive(subject, scope.units, scope.stride)
    yield from edges(subject, scope.units)
    yield from long_lives(subject, scope.lives, scope.seed)
    yield from short_lives(subject, scope.short, scope.seed)


def check(impl: Impl | None = None, wanted: Wanted | None = None, scope: Scope = FULL) -> Report:
    """Judge an implementation from Python: the core when none is given.

    Without `wanted` the pin `asks` is reported as not judged.
    """
    return run(core() if impl is None else Subject("impl", impl, wanted), scope)
