"""The report for people, in 80 columns, in a terminal and in a pipe.

Rule: every line fits, nothing is drawn with boxes; colour and plots are for a terminal only. Texts out of
transcripts are shown as they are: never as markup.
"""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from foldcover_harness.replay import tables
from foldcover_harness.replay.accuracy import median, quantile
from foldcover_harness.replay.as_json import name
from foldcover_harness.replay.cover import Shown, clip, counted, plain
from foldcover_harness.replay.plots import BLOCKS, EIGHTHS, bars, plots
from foldcover_harness.replay.prices import Named
from foldcover_harness.replay.report import Options, Replayed, Report
from foldcover_harness.replay.split import Split
from foldcover_harness.replay.terminal import COLUMNS, columns, write
from foldcover_harness.replay.total import ENOUGH, Total

COVER_LINES: Final = 12
"""Lines of a cover that are shown unless all are asked for."""
CLOSES: Final = {
    "turn": "a unit closes at every turn",
    "lexical": "a unit closes where the topic shifts",
    "labels": "a unit closes where labels say so",
    "model": "a unit closes where a command says so",
}


def show(report: Report, whole_cover: bool) -> None:
    """Print the report on stdout."""
    plotted = sys.stdout.isatty() and _can_show(BLOCKS + EIGHTHS)
    lines = _lines(report, whole_cover, plotted, columns())
    write(lines)


def _can_show(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _lines(report: Report, whole_cover: bool, plotted: bool, columns: int) -> Iterator[tuple[str | None, str]]:
    yield from ((None, clip(line, columns)) for line in _setting(report.options))
    for one in report.replayed:
        yield None, ""
        yield "bold", _tail_of(name(one.path), columns)
        yield from ((None, clip(line, columns)) for line in _transcript(one, report.options))
        if plotted:
            yield from (("cyan", clip(line, columns)) for line in plots(one.bills))
        shown = one.cover if whole_cover else one.cover[-COVER_LINES:]
        yield from ((None, clip(line, columns)) for line in _cover(one, shown, columns))
    yield None, ""
    yield from _total(report.total, report.options, plotted, columns)


def _setting(options: Options) -> Iterator[str]:
    standing = "as measured" if options.standing is None else f"{options.standing:,} tokens (assumed)"
    yield f"replay: window {options.window:,} tokens, standing part {standing},"
    yield f"tokens estimated by {options.estimator.name}, {CLOSES[options.boundaries]}."
    yield "Cost in token-equivalents: a cached token counts a tenth; output is not priced."
    if options.price is not None:
        yield from _wrapped(price_line(options.price), COLUMNS)


def price_line(named: Named) -> str:
    """Return which prices the money is reckoned with."""
    price = named.price
    amounts = [f"input {price.input:g}", f"cached {price.cached:g}"]
    if price.cache_write is not None:
        amounts.append(f"cache write {price.cache_write:g}")
    amounts.append("output not priced" if price.output is None else f"output {price.output:g}")
    when = f" of {price.as_of}" if price.as_of else ""
    where = f" ({price.source})" if price.source else ""
    return f"Money by the prices of {named.model}{when}, {price.currency} per million: {', '.join(amounts)}{where}."


def _transcript(one: Replayed, options: Options) -> Iterator[str]:
    what = (counted(one.turns, "turn"), counted(one.requests, "request"), counted(one.calls, "tool call"))
    yield f"  {one.client}, {', '.join(what)}" + ("" if one.counted else f" (under {ENOUGH}: not in the total)")
    if one.standing_from == "measured":
        yield f"  standing part {one.standing:,} tokens, measured on the first reported usage"
    if one.requests:
        yield from tables.table(tables.of_one(one), options)
        yield from tables.usage(one.usage, one.requests, options)
        yield _split(one.split)
        yield from _accuracy(one.accuracy.steps, one.accuracy.prompts, one.accuracy.compared)
    yield from tables.agreements(one.agreements)
    yield from (f"  note: {line}" for note in one.notes for line in _wrapped(note, COLUMNS - 8))
    yield from _counts("left out", one.left_out)
    yield from _counts("unknown", one.unknown)


def _split(split: Split) -> str:
    work, conclusions, steps = split.shares()
    return f"  read: {work:.1%} work in progress, {conclusions:.1%} conclusions, {steps:.1%} finished steps"


def _accuracy(steps: Iterable[float], prompts: Iterable[float], compared: int) -> Iterator[str]:
    steps, prompts = list(steps), list(prompts)
    if not compared:
        yield "  estimate: no usage reported, so nothing to compare it with"
        return
    yield (
        f"  estimate against reported usage: a step is off by {_error(steps)},"
        if steps
        else "  estimate against reported usage: no step grew,"
    )
    yield f"  a whole prompt by {_error(prompts)} (median, 90th percentile; {counted(compared, 'request')})"


def _error(values: list[float]) -> str:
    return f"{median(values) or 0:.1%} and {quantile(values, 0.9) or 0:.1%}"


def _counts(what: str, counts: Counter[str]) -> Iterator[str]:
    for kind, number in sorted(counts.items()):
        yield f"  {what}: {plain(kind)} ({number:,})"


def _cover(one: Replayed, shown: tuple[Shown, ...], columns: int) -> Iterator[str]:
    if not one.units:
        yield "  cover under the rule: empty, no turn closed"
        return
    lines = counted(len(one.cover), "line")
    hidden = len(one.cover) - len(shown)
    cut = f"; the last {len(shown)} (all: --cover all):" if hidden else ":"
    yield f"  cover under the rule: {lines} for {counted(one.units, 'unit')}{cut}"
    for line in shown:
        address = f"  {line.address:>7} "
        yield address + line.text(columns - len(address))


def _total(total: Total, options: Options, plotted: bool, columns: int) -> Iterator[tuple[str | None, str]]:
    left = f" ({counted(total.left_out, 'transcript')} under {ENOUGH} requests left out)" if total.left_out else ""
    if not total.transcripts:
        yield "bold", clip(f"Total: nothing to add up{left}", columns)
        return
    what = (
        counted(total.transcripts, "transcript"),
        counted(total.turns, "turn"),
        counted(total.requests, "request"),
    )
    yield "bold", f"Total of {', '.join(what)}"
    if left:
        yield None, " " + left
    for line in tables.table(tables.of_total(total), options):
        yield None, clip(line, columns)
    if plotted:
        for line in bars({schedule: row.bill for schedule, row in total.rows.items()}):
            yield "cyan", clip(line, columns)
    for line in tables.usage(total.usage, total.requests, options):
        yield None, clip(line, columns)
    yield None, clip(_split(total.split), columns)
    for line in tables.agreements(total.agreements):
        yield None, clip(line, columns)
    for line in _accuracy(total.steps, total.prompts, total.compared):
        yield None, clip(line, columns)
    yield (
        None,
        f"  covers: {counted(total.lines, 'line')} for {counted(total.units, 'unit')}; 'last' is the median",
    )
    if options.sweep:
        yield None, ""
        yield "bold", "Sweep: the ratio to compaction when one assumption changes"
        for line in tables.sweep(total.grid):
            yield None, clip(line, columns)


def _tail_of(path: str, columns: int) -> str:
    """Return a path, its beginning cut where it is too long: its end tells more."""
    text = plain(path)
    return text if len(text) <= columns else "..." + text[len(text) - columns + 3 :]


def _wrapped(text: str, columns: int) -> list[str]:
    return textwrap.wrap(plain(text), columns)
