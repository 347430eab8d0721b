"""Run events past the laws and keep count: how many cases, how long, and the smallest event that broke each.

A case is an event that the law speaks of: an event outside its premises is not counted. So a law that ran zero
cases was not judged at all, and that is a failure unless the subject does not offer the operation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain

from foldcover import Impl
from foldcover_laws.cases import CLOSES, Found, exhaustive, literals, long_lives, unaddressable
from foldcover_laws.catalogue import LAWS, Law, Relation
from foldcover_laws.events import Event
from foldcover_laws.subject import Subject, Untotal, Wanted, core


@dataclass(frozen=True, slots=True)
class Scope:
    """How much is run.

    Every aligned view of up to `units` units, every `stride`-th malformed one, `closes` in each literal, and `lives`
    random histories, which are the same for the same `seed`.
    """

    units: int = 6
    closes: int = CLOSES
    stride: int = 1
    lives: int = 12
    seed: int = 0


FULL = Scope()


class Verdict(Enum):
    """What is known of a law after a run."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_JUDGED = "not judged"
    """The subject does not offer the operation: neither a pass nor a failure."""
    NO_CASE = "no case"
    """Nothing ran: a failure of the run."""


@dataclass(slots=True)
class Tally:
    """The count for one law."""

    law: Law
    cases: int = 0
    breaks: int = 0
    seconds: float = 0.0
    witness: Event | None = None
    offered: bool = True

    @property
    def verdict(self) -> Verdict:
        """Broken by one case, held by all, or not judged."""
        if self.breaks:
            return Verdict.BROKEN
        if self.cases:
            return Verdict.HOLDS
        return Verdict.NO_CASE if self.offered else Verdict.NOT_JUDGED

    def judge(self, relation: Relation, event: Event) -> None:
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
                self.witness = event


@dataclass(slots=True)
class Report:
    """The result of a run: a tally for each law and pin, and what failed to answer."""

    subject: str
    scope: Scope
    tallies: list[Tally]
    calls: int = 0
    untotal: list[Untotal] = field(default_factory=list[Untotal])
    seconds: float = 0.0

    @property
    def broken(self) -> list[str]:
        """The slugs of the broken laws and pins, in their order."""
        return [tally.law.slug for tally in self.tallies if tally.verdict is Verdict.BROKEN]

    @property
    def ok(self) -> bool:
        """Whether every law that could be judged holds, each on at least one case, and every call was answered."""
        fine = (Verdict.HOLDS, Verdict.NOT_JUDGED)
        return self.calls > 0 and not self.untotal and all(tally.verdict in fine for tally in self.tallies)


def size_of(event: Event) -> tuple[int, int, int]:
    """How large an event is as a witness: fewer units, fewer lines, a shorter text."""
    return (event.before.units, event.before.lines, len(repr(event.before.view)))


class Judge:
    """Judges events one by one."""

    def __init__(self, subject: Subject, scope: Scope) -> None:
        tallies = [Tally(law, offered=law.slug != "asks" or subject.wanted is not None) for law in LAWS]
        self.report = Report(subject.name, scope, tallies)
        self._by_event: dict[type, list[tuple[Tally, Relation]]] = {}
        for tally in tallies:
            for event, relation in tally.law.relations.items():
                self._by_event.setdefault(event, []).append((tally, relation))

    def note(self, found: Found) -> None:
        """Count a call, and remember it if it was not answered."""
        self.report.calls += 1
        if isinstance(found, Untotal):
            self.report.untotal.append(found)

    def hear(self, found: Found) -> None:
        """Count a call, and judge the event by every law that speaks of such events."""
        self.note(found)
        if not isinstance(found, Untotal):
            for tally, relation in self._by_event[type(found)]:
                tally.judge(relation, found)


def run(
    subject: Subject,
    scope: Scope = FULL,
    progress: Callable[[Iterable[Found]], Iterable[Found]] = iter,
) -> Report:
    """Judge a subject on the literals, on every small view, on long lives, and on views where it need only answer.

    `progress` wraps the stream of events, for a display.
    """
    judge = Judge(subject, scope)
    start = time.perf_counter()
    streams = (
        literals(subject, scope.closes),
        exhaustive(subject, scope.units, scope.stride),
        long_lives(subject, scope.lives, scope.seed),
    )
    for found in progress(chain.from_iterable(streams)):
        judge.hear(found)
    for found in unaddressable(subject):
        judge.note(found)
    judge.report.seconds = time.perf_counter() - start
    return judge.report


def check(impl: Impl | None = None, wanted: Wanted | None = None, scope: Scope = FULL) -> Report:
    """Judge an implementation from Python: the core when none is given.

    Without `wanted` the pin `asks` is reported as not judged.
    """
    return run(core() if impl is None else Subject("impl", impl, wanted), scope)
