"""The four operations as one record: what a port implements, and what the laws judge."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from foldcover.operations import close, write, zoom
from foldcover.ranks import Rank, smallest_first
from foldcover.settling import Settled, settle
from foldcover.trees import Block, View


class Close(Protocol):
    """The signature of close."""

    def __call__(self, view: View, weight: int = 1) -> View:
        """Append a unit."""
        ...


class Write(Protocol):
    """The signature of write."""

    def __call__(self, view: View, block: Block, weight: int = 1) -> View:
        """Note that the line of a block exists."""
        ...


class Settle(Protocol):
    """The signature of settle."""

    def __call__(self, view: View, budget: int, rank: Rank = smallest_first) -> Settled:
        """Merge down to half the budget."""
        ...


class Zoom(Protocol):
    """The signature of zoom."""

    def __call__(self, view: View, block: Block) -> tuple[Block, ...]:
        """List the units under a block."""
        ...


class Impl(NamedTuple):
    """An implementation of the four operations, in any language behind Python functions."""

    close: Close
    write: Write
    settle: Settle
    zoom: Zoom


CORE = Impl(close, write, settle, zoom)
