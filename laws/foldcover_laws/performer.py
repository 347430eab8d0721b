"""Whatever performs operations on a given view: the core, somebody's Impl, or a port behind a pipe.

Rule: cases ask it, and what comes back is an event, or one of three ways not to answer. Untotal is a failure. Skipped
is none: the call lies outside the domain, or the view could not be brought to the performer. Fault is the end of the
run: the performer can be asked no more.
"""

from __future__ import annotations

from typing import Protocol

from foldcover import Block, Rank, View
from foldcover_laws.events import Asked, Closed, Event, Run, Settling, Wrote, Zoomed
from foldcover_laws.reading import Reading


class Untotal(Exception):
    """An operation raised, or answered with something that is not an answer."""

    def __init__(self, call: str, view: View, reason: str, reproduce: tuple[str, ...] = ()) -> None:
        """`reproduce`: the requests on the wire that led to it, where there is a wire."""
        super().__init__(f"{call}: {reason}")
        self.reproduce = reproduce
        self.call = call
        self.view = view
        self.reason = reason


class Skipped(Exception):
    """A call that need not be answered, and was not; `refused` when the performer itself said no."""

    def __init__(self, refused: bool) -> None:
        super().__init__()
        self.refused = refused


class Fault(Exception):
    """The performer broke off: what it did, in one line, and the exit code, 2 or (only out of time) 3."""

    def __init__(self, what: str, code: int, reproduce: tuple[str, ...] = ()) -> None:
        super().__init__(what)
        self.reproduce = reproduce
        self.what = what
        self.code = code


Found = Event | Untotal | Skipped


class Performer(Protocol):
    """What cases are run on."""

    @property
    def name(self) -> str:
        """What the report calls it."""
        ...

    @property
    def asks(self) -> bool:
        """Whether it offers wanted; else the pin `asks` is not judged."""
        ...

    @property
    def roams(self) -> bool:
        """Whether it can be asked about any view, not only the one that its own history has led to."""
        ...

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """The ranks that it can be given."""
        ...

    def close(self, before: Reading, *weight: int) -> Closed:
        """Perform close; without a weight, the default, 1."""
        ...

    def write(self, before: Reading, block: Block, *weight: int) -> Wrote:
        """Perform write; without a weight, the default, 1."""
        ...

    def settle(self, before: Reading, budget: int, *rank: Rank) -> Settling:
        """Perform settle; without a rank, the default, smallest_first."""
        ...

    def zoom(self, before: Reading, block: Block) -> Zoomed:
        """Perform zoom."""
        ...

    def ask(self, before: Reading, budget: int, rank: Rank) -> Asked:
        """Perform wanted, which must be offered."""
        ...

    def run(self, before: Reading, titles: tuple[int, ...], budget: int, rank: Rank) -> Run:
        """Perform close and settle once for each title."""
        ...

    def finish(self) -> None:
        """Nothing more will be asked."""
        ...


def close_and_settle(on: Performer, before: Reading, titles: tuple[int, ...], budget: int, rank: Rank) -> Run:
    """Let it close and settle once for each title."""
    steps: list[tuple[Reading, Settling]] = []
    now = before
    for title in titles:
        given = on.close(now, title).after
        settling = on.settle(given, budget, rank)
        steps.append((given, settling))
        now = settling.after
    return Run(before, titles, budget, rank, tuple(steps))
