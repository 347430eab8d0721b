"""The tables of the report: a row a schedule, and the sweep. Plain text within 80 columns.

Rule: a figure that does not exist is a dash, with the reason where one is known. Money stands there only when prices
were asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from foldcover_harness.replay.accuracy import median
from foldcover_harness.replay.as_json import ratio
from foldcover_harness.replay.boundaries import Agreement
from foldcover_harness.replay.cover import clip, counted
from foldcover_harness.replay.report import Options, Replayed
from foldcover_harness.replay.schedules import Bill
from foldcover_harness.replay.sweep import BASE, Grid, lines
from foldcover_harness.replay.total import Total
from foldcover_harness.replay.usage import Usage


class Entry(NamedTuple):
    """What a row shows of one schedule: its bill, what compaction costs, its last prompt, what the model wrote."""

    bill: Bill
    base: int
    last: float | None
    answers: int

    @property
    def ratio(self) -> float | None:
        """Its cost over that of compaction."""
        return ratio(self.bill, self.base)

    def money(self, options: Options) -> float | None:
        """What it costs in money; None unless prices were asked for."""
        if options.price is None:
            return None
        return options.price.price.money(self.bill.read, self.bill.shared, self.bill.written + self.answers)


def of_one(one: Replayed) -> dict[str, Entry]:
    """Return the rows of a transcript."""
    return {
        name: Entry(bill, one.base, bill.prompts[-1] if bill.prompts else None, one.answers)
        for name, bill in one.bills.items()
    }


def of_total(total: Total) -> dict[str, Entry]:
    """Return the rows of the total; the last prompt is the median of the last ones."""
    return {name: Entry(row.bill, row.base, median(row.last), row.answers) for name, row in total.rows.items()}


def table(entries: dict[str, Entry], options: Options) -> Iterator[str]:
    """Yield the heading and a row for each schedule that was asked for."""
    middle = "requests" if options.price is None else options.price.price.currency
    yield f"  {'schedule':<18}{'cost':>13}{'ratio':>7}{'rewrites':>10}{middle:>10}{'median':>9}{'last':>9}"
    for schedule in options.schedules:
        name = f"  {clip(schedule, 18):<18}"
        if schedule not in entries:
            yield f"{name}{'-':>13}  nothing recorded"
            continue
        entry = entries[schedule]
        bill, money = entry.bill, entry.money(options)
        yield (
            f"{name}{bill.cost:>13,.0f}{'-' if entry.ratio is None else f'{entry.ratio:.2f}':>7}{bill.rewrites:>10,}"
            f"{f'{len(bill.prompts):,}' if money is None else f'{money:,.2f}':>10}"
            f"{number(median(bill.prompts)):>9}{number(entry.last):>9}"
        )


def usage(found: Usage, requests: int, options: Options) -> Iterator[str]:
    """Yield what was recorded, if anything was."""
    if not found.requests:
        return
    share = found.cached / found.prompts if found.prompts else 0
    yield f"  recorded usage: {found.cost:,.0f} by the same rule, {share:.0%} of the input cached"
    if options.price is not None:
        price = options.price.price
        output = "output included" if found.output is not None else "no output recorded"
        money = price.money(found.prompts, found.cached, found.output)
        yield f"  recorded usage: {money:,.2f} {price.currency}, {output}"
    if found.requests < requests:
        yield f"  (of {found.requests:,} of {counted(requests, 'request')}; the others record none)"


def agreements(found: dict[str, Agreement]) -> Iterator[str]:
    """Yield how far each way of telling boundaries is from the labels."""
    for way, each in found.items():
        shares = ("-" if share is None else f"{share:.0%}" for share in (each.precision, each.recall))
        far = "-" if each.mean_distance is None else f"{each.mean_distance:.1f}"
        yield (
            f"  {way} boundaries against {each.labelled:,} labelled: precision {next(shares)}, recall {next(shares)}, "
            f"{far} turns off"
        )


def number(value: float | None) -> str:
    """Return a whole number, or a dash."""
    return "-" if value is None else f"{value:,.0f}"


def sweep(grid: Grid) -> Iterator[str]:
    """Yield a small table for each parameter: the ratios to compaction, a column a value."""
    for parameter, group in groupby(lines(grid), key=lambda line: line.parameter):
        found = list(group)
        yield f"  {parameter:<18}" + "".join(f"{_value(line.value):>10}" for line in found)
        for schedule in found[0].ratios:
            if schedule == BASE:
                continue
            parts = (line.ratios[schedule] for line in found)
            yield f"  {clip(schedule, 18):<18}" + "".join(
                f"{'-' if part is None else f'{part:.2f}':>10}" for part in parts
            )


def _value(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"
