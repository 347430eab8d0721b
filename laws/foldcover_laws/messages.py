"""What is said over the protocol, as values: requests and answers.

Rule: no JSON here. `wire` turns these into lines and back; `spec/ports.md` says what each means.
"""

from __future__ import annotations

from dataclasses import dataclass

from foldcover import Block, Rank, Settled, View, age_over_size, smallest_first

RANKS: dict[str, Rank] = {"smallest_first": smallest_first, "age_over_size": age_over_size}
"""The ranks that have a name on the wire."""


@dataclass(frozen=True, slots=True)
class Plain:
    """hello, reset or bye."""

    op: str


@dataclass(frozen=True, slots=True)
class Load:
    """load: go to this view."""

    view: View
    op: str = "load"


@dataclass(frozen=True, slots=True)
class Close:
    """close with a weight."""

    weight: int
    op: str = "close"


@dataclass(frozen=True, slots=True)
class Write:
    """write a block's line."""

    block: Block
    weight: int
    op: str = "write"


@dataclass(frozen=True, slots=True)
class Budgeted:
    """settle or wanted, under a budget and a named rank."""

    op: str
    budget: int
    rank: Rank


@dataclass(frozen=True, slots=True)
class Zoom:
    """zoom into a range."""

    block: Block
    op: str = "zoom"


Request = Plain | Load | Close | Write | Budgeted | Zoom
HELLO, RESET, BYE = Plain("hello"), Plain("reset"), Plain("bye")


@dataclass(frozen=True, slots=True)
class Greeting:
    """What a port says of itself: its name, whether it loads views, whether it answers wanted."""

    name: str
    load: bool
    wanted: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """The view after reset, load, close or write."""

    view: View


@dataclass(frozen=True, slots=True)
class Listed:
    """The blocks that zoom or wanted names."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error: the operation was not performed, and nothing changed."""

    error: str


Answer = Greeting | Shown | Settled | Listed | Refusal
