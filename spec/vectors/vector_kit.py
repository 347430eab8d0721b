"""What the cases of the vectors are made of: a case, the requests in it, and some views.

Rule: nothing is performed here.
"""

from __future__ import annotations

from typing import NamedTuple

from foldcover import Leaf, Merged, Rank, Split, Tree, View, smallest_first
from foldcover_laws.messages import Budgeted, Request


class Case(NamedTuple):
    """One operation on one view; or, with `steps`, a history from the empty view."""

    name: str
    why: str
    law: str
    view: View
    steps: tuple[Request, ...]


def one(name: str, why: str, law: str, view: View, request: Request) -> Case:
    """A case of one operation."""
    return Case(name, why, law, view, (request,))


def settle(budget: int, rank: Rank = smallest_first) -> Budgeted:
    """The request."""
    return Budgeted("settle", budget, rank)


def wanted(budget: int, rank: Rank = smallest_first) -> Budgeted:
    """The request."""
    return Budgeted("wanted", budget, rank)


def pair(line: int | None = None, older: int = 1, newer: int = 1) -> Split:
    """Two units."""
    return Split(Leaf(older), Leaf(newer), line)


def tower(size: int, line: int | None) -> Tree:
    """A block of `size` units, split everywhere."""
    return Leaf() if size == 1 else Split(tower(size // 2, line), tower(size // 2, line), line)


def view_of(total: int, line: int | None) -> View:
    """The view of `total` units, split everywhere."""
    return tuple(tower(1 << bit, line) for bit in range(total.bit_length()) if total >> bit & 1)


ONES = view_of(1, None)
SEVEN: View = (Leaf(), pair(1), Split(pair(1), pair(1), 1))
MIXED: View = (Leaf(2), Split(Merged(2, 3), pair(None, 1, 4), None))
