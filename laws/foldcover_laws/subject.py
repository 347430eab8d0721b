"""The implementation on trial: it performs an operation, and what comes back becomes an event.

An operation that raises, or answers with something that is not a view, is a break of totality: the core promises
to answer for every view. It is reported beside the laws, under `total`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import foldcover
from foldcover import Block, Impl, Outcome, Rank, View
from foldcover_laws.events import Asked, Closed, Run, Settling, Wrote, Zoomed
from foldcover_laws.reading import Reading

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

    def close(self, before: Reading, weight: int) -> Closed:
        """Perform close."""
        return Closed(before, weight, self._view("close", before, lambda: self.impl.close(before.view, weight)))

    def write(self, before: Reading, block: Block, weight: int) -> Wrote:
        """Perform write."""
        after = self._view("write", before, lambda: self.impl.write(before.view, block, weight))
        return Wrote(before, block, weight, after)

    def settle(self, before: Reading, budget: int, rank: Rank) -> Settling:
        """Perform settle."""
        view, merged, outcome = _guard("settle", before, lambda: self.impl.settle(before.view, budget, rank))
        if not isinstance(outcome, Outcome):
            raise Untotal("settle", before.view, f"not an outcome: {outcome!r}")
        blocks = _guard("settle", before, lambda: _blocks(merged))
        return Settling(before, budget, rank, self._view("settle", before, lambda: view), blocks, outcome)

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
        return before if view is before.view else _guard(call, before, lambda: Reading(view))


def core() -> Subject:
    """The core as it is now, looked up at the time of the call, so that one put in its place is judged."""
    return Subject("foldcover.CORE", foldcover.CORE, foldcover.wanted)


def _blocks(answer: Iterable[tuple[int, int]]) -> tuple[Block, ...]:
    return tuple(Block(*block) for block in answer)


def _guard(call: str, before: Reading, act: Callable[[], Answer]) -> Answer:
    try:
        return act()
    except Exception as error:  # whatever a stranger's operation raises is its answer
        raise Untotal(call, before.view, f"{type(error).__name__}: {error}") from error
