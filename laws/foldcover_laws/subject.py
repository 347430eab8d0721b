"""The implementation on trial: it performs an operation, and what comes back becomes an event.

An operation that raises, or answers with something that is not a view, is a break of totality: the core promises
to answer for every view. It is reported beside the laws, under `total`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import foldcover
from foldcover import Block, Impl, Outcome, Rank, Settled, View, smallest_first
from foldcover_laws.events import Asked, Closed, Run, Settling, Wrote, Zoomed
from foldcover_laws.reading import NotAView, Reading

Answer = TypeVar("Answer")


class Wanted(Protocol):
    """The signature of wanted."""

    def __call__(self, view: View, budget: int, rank: Rank = ...) -> tuple[Block, ...]:
        """List the lines that settle will need."""
        ...


class Untotal(Exception):
    """An operation raised, or answered with something that is not an answer."""

    def __init__(self, call: str, view: View, reason: str) -> None:
        super().__init__(f"{call}: {reason}")
        self.call = call
        self.view = view
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Subject:
    """The four operations of `impl`, and `wanted` where it is offered (else the pin `asks` is not judged)."""

    name: str
    impl: Impl
    wanted: Wanted | None

    def close(self, before: Reading, *weight: int) -> Closed:
        """Perform close; without a weight the default, 1, is what the event says."""
        after = self._view("close", before, lambda: self.impl.close(before.view, *weight))
        return Closed(before, weight[0] if weight else 1, after)

    def write(self, before: Reading, block: Block, *weight: int) -> Wrote:
        """Perform write; without a weight the default, 1, is what the event says."""
        after = self._view("write", before, lambda: self.impl.write(before.view, block, *weight))
        return Wrote(before, block, weight[0] if weight else 1, after)

    def settle(self, before: Reading, budget: int, *rank: Rank) -> Settling:
        """Perform settle; without a rank the default, smallest_first, is what the event says."""
        settled = _guard("settle", before, lambda: _settled(self.impl.settle(before.view, budget, *rank)))
        after = self._view("settle", before, lambda: settled.view)
        ranked = rank[0] if rank else smallest_first
        return Settling(before, budget, ranked, after, settled.merged, settled.outcome)

    def zoom(self, before: Reading, block: Block) -> Zoomed:
        """Perform zoom."""
        return Zoomed(before, block, _guard("zoom", before, lambda: _blocks(self.impl.zoom(before.view, block))))

    def ask(self, before: Reading, budget: int, rank: Rank) -> Asked:
        """Perform wanted, which must be offered."""
        wanted = self.wanted
        assert wanted is not None
        blocks = _guard("wanted", before, lambda: _blocks(wanted(before.view, budget, rank)))
        return Asked(before, budget, rank, blocks)

    def run(self, before: Reading, titles: tuple[int, ...], budget: int, rank: Rank) -> Run:
        """Perform close and settle once for each title."""
        steps: list[tuple[Reading, Settling]] = []
        now = before
        for title in titles:
            given = self.close(now, title).after
            settling = self.settle(given, budget, rank)
            steps.append((given, settling))
            now = settling.after
        return Run(before, titles, budget, rank, tuple(steps))

    def _view(self, call: str, before: Reading, act: Callable[[], View]) -> Reading:
        view = _guard(call, before, act)
        return before if view is before.view else _guard(call, before, lambda: _read(view))


def core() -> Subject:
    """The core as it is now, looked up at the time of the call, so that one put in its place is judged."""
    return Subject("foldcover.CORE", foldcover.CORE, foldcover.wanted)


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


def _guard(call: str, before: Reading, act: Callable[[], Answer]) -> Answer:
    try:
        return act()
    except (Exception, SystemExit) as error:  # whatever a stranger's operation raises is its answer
        raise Untotal(call, before.view, ascii(f"{type(error).__name__}: {error}")[1:-1]) from error
