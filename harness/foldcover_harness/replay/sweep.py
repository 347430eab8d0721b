"""How much the ratios to compaction depend on what the prices assume: one parameter at a time, over a small grid.

Rule: window, title and summary change what a schedule does, so that it is priced anew; the price of a cached token and
of output only weigh sums that are there. Both prices are in parts of that of input. Sums are over the transcripts of
the total.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from foldcover_harness.replay.schedules import NONE, Bill, Own, Setting, price
from foldcover_harness.replay.tape import Tape

WINDOWS: Final = (50_000, 100_000, 200_000, 400_000, 1_000_000)
TITLES: Final = (15, 30, 60, 120, 240)
SUMMARIES: Final = (500, 1_000, 2_000, 4_000, 8_000)
CACHED: Final = (0.025, 0.05, 0.1, 0.25, 0.5)
OUTPUTS: Final = (0.0, 1.0, 2.5, 5.0, 10.0)
BASE: Final = "compaction"


class Sums(NamedTuple):
    """Tokens read, shared and written, of all requests."""

    read: int = 0
    shared: int = 0
    written: int = 0

    def plus(self, other: Sums) -> Sums:
        """Return both together."""
        return Sums(self.read + other.read, self.shared + other.shared, self.written + other.written)

    def cost(self, cached: float = 0.1, output: float = 0.0) -> float:
        """Return the cost in tokens of input, at these prices of a cached token and of one written."""
        return self.read - (1 - cached) * self.shared + output * self.written


Grid = dict[tuple[str, float], dict[str, tuple[Sums, Sums]]]
"""For a parameter's value, and for a schedule: its sums, and compaction's over the same transcripts."""


def sweep(tape: Tape, setting: Setting, schedules: tuple[str, ...], own: Mapping[str, Own] = NONE) -> Grid:
    """Return the sums of each schedule at each value, for one transcript."""
    settings = {
        **{("window", float(value)): setting._replace(window=value) for value in _with(WINDOWS, setting.window)},
        **{("title", float(value)): setting._replace(line=value) for value in TITLES},
        **{("summary", float(value)): setting._replace(summary=value) for value in SUMMARIES},
        ("report", 0.0): setting,
    }
    done: dict[tuple[str, Setting], Sums] = {}

    def priced(schedule: str, at: Setting) -> Sums:
        if (schedule, at) not in done:
            done[schedule, at] = _sums(price(tape, schedule, at, own), tape)
        return done[schedule, at]

    return {
        point: {schedule: (priced(schedule, at), priced(BASE, at)) for schedule in schedules}
        for point, at in settings.items()
    }


def _with(values: tuple[int, ...], own: int) -> tuple[int, ...]:
    return tuple(sorted({*values, own}))


def _sums(bill: Bill, tape: Tape) -> Sums:
    return Sums(bill.read, bill.shared, bill.written + tape.answers)


def add(total: Grid, one: Grid) -> None:
    """Add one transcript to the sums of all."""
    for point, schedules in one.items():
        place = total.setdefault(point, {})
        for schedule, (sums, base) in schedules.items():
            before, base_before = place.get(schedule, (Sums(), Sums()))
            place[schedule] = (before.plus(sums), base_before.plus(base))


class Line(NamedTuple):
    """The ratios to compaction of each schedule at one value of one parameter; None where compaction costs nothing."""

    parameter: str
    value: float
    ratios: dict[str, float | None]


def lines(grid: Grid) -> list[Line]:
    """Return the whole sweep, parameter by parameter; nothing of no transcript."""
    if not grid:
        return []
    found = [
        Line(parameter, value, {name: _ratio(sums, base) for name, (sums, base) in schedules.items()})
        for (parameter, value), schedules in grid.items()
        if parameter != "report"
    ]
    at_hand = grid.get(("report", 0.0), {})
    for cached in CACHED:
        ratios = {name: _ratio(sums, base, cached=cached) for name, (sums, base) in at_hand.items()}
        found.append(Line("cached price", cached, ratios))
    for output in OUTPUTS:
        ratios = {name: _ratio(sums, base, output=output) for name, (sums, base) in at_hand.items()}
        found.append(Line("output price", output, ratios))
    return found


def _ratio(sums: Sums, base: Sums, cached: float = 0.1, output: float = 0.0) -> float | None:
    whole = base.cost(cached, output)
    return sums.cost(cached, output) / whole if whole else None
