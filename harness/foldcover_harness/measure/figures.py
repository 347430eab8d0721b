"""What the experiment found, as records; their fields are the keys of --json.

Rule: a record holds figures and nothing that is derived from them for people's eyes.
"""

from __future__ import annotations

import msgspec

from foldcover_harness.measure.estimates import Estimate


class Rates(msgspec.Struct, frozen=True):
    """How often the right line was picked first, by wording and as their mean; and how often it was among three."""

    keep: Estimate
    mask: Estimate
    soft: Estimate
    mean: Estimate
    top3: Estimate


class Figures(msgspec.Struct, frozen=True):
    """The rates of one view. `ceiling` is what the lexical reader finds in the full texts: the unit that it picks
    there is under the right line. None where there is no one view to hold it against.
    """

    questions: int
    lines: int
    chance: float | None
    well_posed: Rates
    all: Rates
    ceiling: Estimate | None
    failed: int
    """Answers that the reader failed to give; they count as not found."""


class Size(msgspec.Struct, frozen=True):
    """Lines of `units` units each: the uniform view, the fixed choices, the mixed views, the other recipe's lines."""

    units: int
    uniform: Figures
    five: Figures | None
    forty: Figures | None
    mixed: Figures | None
    against: Figures | None
    gain: Estimate | None
    """The mean on well-posed questions less that of the other recipe, on the same questions."""


class Age(msgspec.Struct, frozen=True):
    """Units of an age (closed so many units ago, the last one 1): every unit its own line, and 16 units a line."""

    oldest: int
    newest: int
    single: Figures
    merged: Figures


class Group(msgspec.Struct, frozen=True):
    """Questions of one kind, at 16 units a line: `by` is "source" or "project"."""

    by: str
    name: str
    figures: Figures


class Bytes(msgspec.Struct, frozen=True):
    """Lines of at most so many UTF-8 bytes, 16 units each."""

    bytes: int
    figures: Figures


class Budget(msgspec.Struct, frozen=True):
    """The view that the core settles at a budget with a rank; `largest` is its biggest block."""

    kilobytes: int
    rank: str
    largest: int
    figures: Figures


class Result(msgspec.Struct, frozen=True):
    """All of a run."""

    settings: dict[str, str | int | float | None]
    transcripts: int
    units: int
    copies: int
    questions: dict[str, int]
    """By source."""
    well_posed: dict[str, Estimate]
    """The share of questions that the lexical reader answers from the full texts, by wording; no tool outputs."""
    lines_written: int
    lines_missing: int
    sizes: list[Size] = []
    ages: list[Age] = []
    groups: list[Group] = []
    bytes: list[Bytes] = []
    budgets: list[Budget] = []
    failures: dict[str, int] = {}
    """Why the reader or the writer failed, and how often."""
