"""What the model reads, in three parts.

Rule: summed over all requests with nothing folded, without the standing part: the turn in progress is work
in progress; of each finished turn the last words of the model are its conclusion, everything else its
steps.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from foldcover_harness.replay.tape import Tape
from foldcover_harness.transcripts.model import Turn


class Split(NamedTuple):
    """Tokens read over all requests."""

    work: int
    conclusions: int
    steps: int

    @property
    def total(self) -> int:
        """All that is read."""
        return self.work + self.conclusions + self.steps

    def shares(self) -> tuple[float, float, float]:
        """Return the three parts as shares of all that is read; they add to 1. Zeros where nothing is
        read.
        """
        total = self.total
        return (self.work / total, self.conclusions / total, self.steps / total) if total else (0.0, 0.0, 0.0)

    def plus(self, other: Split) -> Split:
        """Return both together."""
        return Split(self.work + other.work, self.conclusions + other.conclusions, self.steps + other.steps)


NOTHING = Split(0, 0, 0)


class Series(NamedTuple):
    """The three parts of each request's prompt, in tokens."""

    work: array[int]
    conclusions: array[int]
    steps: array[int]


def split(tape: Tape, turns: list[Turn]) -> Split:
    """Return the parts of what is read over the whole tape."""
    work = conclusions = steps = 0
    for current, concluded, finished in _parts(tape, turns):
        work += current
        conclusions += concluded
        steps += finished
    return Split(work, conclusions, steps)


def series(tape: Tape, turns: list[Turn]) -> Series:
    """Return the parts of what each request reads."""
    found = Series(array("q"), array("q"), array("q"))
    for parts in _parts(tape, turns):
        for values, tokens in zip(found, parts, strict=True):
            values.append(tokens)
    return found


def _parts(tape: Tape, turns: list[Turn]) -> Iterator[tuple[int, int, int]]:
    concluding = iter(turns)
    current = concluded = finished = 0
    for parts, _ in tape.steps:
        for closes, weight, _ in parts:
            if closes:
                at = next(concluding).conclusion
                conclusion = 0 if at is None else tape.weights[at]
                concluded += conclusion
                finished += current - conclusion
                current = 0
            current += weight
        yield current, concluded, finished
