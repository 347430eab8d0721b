"""What a law is about: one operation on one view, with its arguments and its result.

The same events come from literals, from exhaustive small views, from random histories and from anybody else's
implementation; a law never knows which.
"""

from __future__ import annotations

from dataclasses import dataclass

from foldcover import Block, Outcome, Rank
from foldcover_laws.reading import Reading


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """close(before, weight) -> after."""

    before: Reading
    weight: int
    after: Reading


@dataclass(frozen=True, slots=True, eq=False)
class Wrote:
    """write(before, block, weight) -> after."""

    before: Reading
    block: Block
    weight: int
    after: Reading


@dataclass(frozen=True, slots=True, eq=False)
class Settling:
    """settle(before, budget, rank) -> (after, merged, outcome)."""

    before: Reading
    budget: int
    rank: Rank
    after: Reading
    merged: tuple[Block, ...]
    outcome: Outcome


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """wanted(before, budget, rank) -> blocks."""

    before: Reading
    budget: int
    rank: Rank
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Zoomed:
    """zoom(before, block) -> blocks."""

    before: Reading
    block: Block
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A close and the settle after it, again and again: one title each, the same budget.

    `steps` holds for each title the view that settle was given, and what settle made of it.
    """

    before: Reading
    titles: tuple[int, ...]
    budget: int
    rank: Rank
    steps: tuple[tuple[Reading, Settling], ...]


Event = Closed | Wrote | Settling | Asked | Zoomed | Run
