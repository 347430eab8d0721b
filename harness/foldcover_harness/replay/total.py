"""The sum over all transcripts that count.

Rule: those with fewer than ENOUGH requests are shown but left out of the total, and counted. A schedule is compared
with compaction over the transcripts that have it.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from foldcover_harness.replay import split as parts
from foldcover_harness.replay import sweep as sweeps
from foldcover_harness.replay import usage as usages
from foldcover_harness.replay.boundaries import Agreement
from foldcover_harness.replay.schedules import Bill

if TYPE_CHECKING:
    from foldcover_harness.replay.report import Replayed

ENOUGH: Final = 20
"""Requests that a transcript needs to be part of the total."""


@dataclass(slots=True)
class Row:
    """A schedule over the transcripts that have it: the sum of their bills, what compaction costs on the same
    ones, the last prompt of each, and the tokens that the model wrote.
    """

    bill: Bill
    base: int = 0
    transcripts: int = 0
    answers: int = 0
    last: array[int] = field(default_factory=lambda: array("q"))


@dataclass(slots=True)
class Total:
    """The sum over all transcripts that count."""

    transcripts: int = 0
    left_out: int = 0
    requests: int = 0
    turns: int = 0
    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    usage: usages.Usage = usages.NOTHING
    split: parts.Split = parts.NOTHING
    steps: array[float] = field(default_factory=lambda: array("d"))
    prompts: array[float] = field(default_factory=lambda: array("d"))
    compared: int = 0
    odd: int = 0
    units: int = 0
    lines: int = 0
    agreements: dict[str, Agreement] = field(default_factory=dict[str, Agreement])
    grid: sweeps.Grid = field(default_factory=dict[tuple[str, float], "dict[str, tuple[sweeps.Sums, sweeps.Sums]]"])

    def add(self, one: Replayed) -> None:
        """Take in a transcript."""
        if not one.counted:
            self.left_out += 1
            return
        self.transcripts += 1
        self.requests += one.requests
        self.turns += one.turns
        for name, bill in one.bills.items():
            row = self.rows.setdefault(name, Row(Bill(0, 0, 0, array("q"), array("q"), 0, 0, 0)))
            row.bill = together(row.bill, bill)
            row.base += one.base
            row.transcripts += 1
            row.answers += one.answers
            row.last.extend(bill.prompts[-1:])
        self.usage = self.usage.plus(one.usage)
        self.split = self.split.plus(one.split)
        self.steps.extend(one.accuracy.steps)
        self.prompts.extend(one.accuracy.prompts)
        self.compared += one.accuracy.compared
        self.odd += one.accuracy.odd
        self.units += one.units
        self.lines += len(one.cover)
        for kind, agreement in one.agreements.items():
            self.agreements[kind] = self.agreements.get(kind, Agreement()).plus(agreement)
        sweeps.add(self.grid, one.grid)


def together(one: Bill, other: Bill) -> Bill:
    """Return the sum of two bills; the first one's list of prompts is extended, not copied, and its hits stay as they
    are: nobody draws those of many transcripts.
    """
    one.prompts.extend(other.prompts)
    return Bill(
        one.read + other.read,
        one.shared + other.shared,
        one.written + other.written,
        one.prompts,
        one.hits,
        one.rewrites + other.rewrites,
        one.compactions + other.compactions,
        one.blocked + other.blocked,
    )
