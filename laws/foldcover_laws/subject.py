"""An implementation in Python on trial: it performs an operation, and what comes back becomes an event.

An operation that raises, or answers with something that is not a view, is a break of totality: the core promises
to answer for every view. It is reported beside the laws, under `total`. Somebody else's implementation may say no
(ValueError, OverflowError) to what lies outside the domain; the core may not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import foldcover
from foldcover import Block, Impl, Outcome, Rank, Settled, View, smallest_first
from foldcover_laws import domain
from foldcover_laws.events import Asked, Closed, Run, Settling, Wrote, Zoomed
from foldcover_laws.performer import Skipped, Untotal, close_and_settle
from foldcover_laws.reading import NotAView, Reading
from foldcover_laws.views import RANKS
from foldcover_laws.wire import printable

FAILURES = (Exception, SystemExit)
"""Whatever a stranger's operation raises is its answer."""
REFUSALS = (ValueError, OverflowError)
"""How an implementation says no."""


class Wanted(Protocol):
    """The signature of wanted."""

    def __call__(self, view: View, budget: int, rank: Rank = ...) -> tuple[Block, ...]:
        """List the lines that settle will need."""
        ...


@dataclass(frozen=True, slots=True)
class Subject:
    """The four operations of `impl`, and `wanted` where it is offered (else the pin `asks` is not judged).

    `whole`: it must answer for any integers, as the core must, and not only inside the domain.
    """

    name: str
    impl: Impl
    wanted: Wanted | None
    whole: bool = False

    @property
    def roams(self) -> bool:
        """It is asked about any view."""
        return True

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """Any rank; one without sense among them."""
        return RANKS

    @property
    def asks(self) -> bool:
        """Whether wanted is offered."""
        return self.wanted is not None

    def close(self, before: Reading, *weight: int) -> Closed:
        """Perform close; without a weight the default, 1, is what the event says."""
        own = weight[0] if weight else 1
        try:
            return Closed(before, own, _view(before, self.impl.close(before.view, *weight)))
        except FAILURES as error:
            raise self._failure("close", before, error, lambda view: domain.may_close(view, own)) from error

    def write(self, before: Reading, block: Block, *weight: int) -> Wrote:
        """Perform write; without a weight the default, 1, is what the event says."""
        own = weight[0] if weight else 1
        try:
            return Wrote(before, block, own, _view(before, self.impl.write(before.view, block, *weight)))
        except FAILURES as error:
            raise self._failure("write", before, error, lambda view: domain.may_write(view, block, own)) from error

    def settle(self, before: Reading, budget: int, *rank: Rank) -> Settling:
        """Perform settle; without a rank the default, smallest_first, is what the event says."""
        ranked = rank[0] if rank else smallest_first
        try:
            settled = _settled(self.impl.settle(before.view, budget, *rank))
            after = _view(before, settled.view)
        except FAILURES as error:
            raise self._failure("settle", before, error, lambda view: domain.may_settle(view, budget)) from error
        return Settling(before, budget, ranked, after, settled.merged, settled.outcome)

    def zoom(self, before: Reading, block: Block) -> Zoomed:
        """Perform zoom."""
        try:
            return Zoomed(before, block, _blocks(self.impl.zoom(before.view, block)))
        except FAILURES as error:
            raise self._failure("zoom", before, error, lambda view: domain.may_zoom(view, block)) from error

    def ask(self, before: Reading, budget: int, rank: Rank) -> Asked:
        """Perform wanted, which must be offered."""
        assert self.wanted is not None
        try:
            return Asked(before, budget, rank, _blocks(self.wanted(before.view, budget, rank)))
        except FAILURES as error:
            raise self._failure("wanted", before, error, lambda view: domain.may_settle(view, budget)) from error

    def run(self, before: Reading, titles: tuple[int, ...], budget: int, rank: Rank) -> Run:
        """Perform close and settle once for each title."""
        return close_and_settle(self, before, titles, budget, rank)

    def finish(self) -> None:
        """Nothing is to be done."""

    def _failure(
        self, call: str, before: Reading, error: BaseException, must: Callable[[domain.Extent | None], bool]
    ) -> Untotal | Skipped:
        """A refusal, which is none where it must answer: on an aligned view, inside the domain."""
        bound = self.whole or (before.is_aligned() and must(domain.extent(before.view)))
        if isinstance(error, REFUSALS) and not bound:
            return Skipped(refused=True)
        return Untotal(call, before.view, printable(f"{type(error).__name__}: {error}", 400))


def core() -> Subject:
    """The core as it is now, looked up at the time of the call, so that one put in its place is judged."""
    return Subject("foldcover.CORE", foldcover.CORE, foldcover.wanted, whole=True)


def _view(before: Reading, view: View) -> Reading:
    """The view that came back, read. Raises NotAView."""
    return before if view is before.view else _read(view)


def _read(view: View) -> Reading:
    """Read an answer. Raises NotAView also where a number is something else than an int."""
    reading = Reading(view)
    lines = (parts.line for parts in reading.splits.values() if parts.line is not None)
    for number in (*reading.shown.values(), *(block.size for block in reading.shown), *lines):
        if not is_number(number):
            raise NotAView(f"not an int: {number!r}")
    return reading


def is_number(value: object) -> bool:
    """Whether it is an int and no bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def _settled(answer: Settled) -> Settled:
    view, merged, outcome = answer
    if not isinstance(outcome, Outcome):
        raise TypeError(f"not an outcome: {outcome!r}")
    return Settled(view, _blocks(merged), outcome)


def _blocks(answer: Iterable[tuple[int, int]]) -> tuple[Block, ...]:
    blocks = tuple(Block(*block) for block in answer)
    for block in blocks:
        if not is_number(block.start) or not is_number(block.size):
            raise TypeError(f"not a block: {tuple(block)!r}")
    return blocks
