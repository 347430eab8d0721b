"""The tables of `foldcover measure found-rate`, in 80 columns.

Rule: figures are percent; what does not exist is a dash. Where not said otherwise a figure is how often the right line
was picked first, the mean of the three wordings, on well-posed questions.
"""

from __future__ import annotations

from collections.abc import Iterator

from foldcover_harness.measure.estimates import Estimate
from foldcover_harness.measure.figures import Figures, Rates, Result, Size
from foldcover_harness.replay.cover import clip


def lines(result: Result) -> Iterator[str]:
    """All lines of the report."""
    yield from _head(result)
    if result.sizes:
        yield from _sizes(result)
    if result.ages:
        yield from _ages(result)
    if result.groups:
        yield from _groups(result)
    if result.bytes:
        yield from _bytes(result)
    if result.budgets:
        yield from _budgets(result)
    for why, count in sorted(result.failures.items()):
        yield f"failed {count:,} times: {clip(why, 60)}"


def _head(result: Result) -> Iterator[str]:
    chosen, asked = result.settings, result.questions
    words = sum(count for source, count in asked.items() if source != "output")
    part = "" if chosen["reported_on"] == "all" else f" (asked in {chosen['reported_on']})"
    yield f"{result.units:,} units of {result.transcripts:,} transcripts{part}; {words:,} questions from words"
    yield f"and {asked['output']:,} from tool outputs; {result.copies:,} copied units left out"
    yield f"writer {clip(str(chosen['writer']), 50)}, {chosen['bound']} a line"
    yield f"reader {clip(str(chosen['reader']), 50)}; seed {chosen['seed']}"
    ways = ", ".join(f"{way} {percent(each)} %" for way, each in result.well_posed.items())
    yield f"well-posed (found in the full texts): {ways}"


def _sizes(result: Result) -> Iterator[str]:
    yield from ("", "By units under the line: well-posed questions, percent picked first")
    yield " units lines chance  keep mask soft  mean     95 % top 3   5-way 40-way  mixed"
    for row in result.sizes:
        found = row.uniform
        rates = found.well_posed
        yield (
            f"{row.units:>6}{found.lines:>6}{_share(found.chance):>7}{_ways(rates)}{percent(rates.top3):>6}"
            f"{_mean(row.five):>8}{_mean(row.forty):>7}{_mean(row.mixed):>7}"
        )
    other = clip(str(result.settings["against"]), 10)
    yield from ("", "All questions, the full-text ceiling; well-posed against another writer")
    yield f" units  keep mask soft  mean     95 % top 3  ceiling{other:>12}  gain    95 %"
    for row in result.sizes:
        rates = row.uniform.all
        yield (
            f"{row.units:>6}{_ways(rates)}{percent(rates.top3):>6}"
            f"{percent(row.uniform.ceiling):>9}{_mean(row.against):>12}{_gain(row)}"
        )


def _ways(rates: Rates) -> str:
    return (
        f"{percent(rates.keep):>6}{percent(rates.mask):>5}{percent(rates.soft):>5}"
        f"{percent(rates.mean):>6}{between(rates.mean):>9}"
    )


def _gain(row: Size) -> str:
    gain = row.gain
    signed = "-" if gain is None or gain.rate is None else f"{100 * gain.rate:+.0f}"
    return f"{signed:>6}{between(gain):>8}"


def _ages(result: Result) -> Iterator[str]:
    yield from ("", "By age, in units closed since")
    yield f"{'age':>14}{'questions':>11}{'1 a line':>11}{'95 %':>9}{'16 a line':>12}{'95 %':>9}"
    for row in result.ages:
        one, many = row.single.well_posed.mean, row.merged.well_posed.mean
        age = f"{row.oldest}-{row.newest}"
        yield (
            f"{age:>14}{row.single.questions:>11,}{percent(one):>11}{between(one):>9}"
            f"{percent(many):>12}{between(many):>9}"
        )


def _groups(result: Result) -> Iterator[str]:
    yield from ("", "By source and project, 16 units a line")
    yield f"  {'':<34}{'questions':>10}{'rate':>7}{'95 %':>8}{'all':>6}{'95 %':>8}"
    for row in result.groups:
        yield f"  {clip(f'{row.by} {row.name}', 34):<34}{row.figures.questions:>10,}{_both(row.figures)}"


def _bytes(result: Result) -> Iterator[str]:
    yield from ("", "By bytes a line, 16 units a line")
    yield f"{'bytes':>8}{'rate':>7}{'95 %':>8}{'all':>6}{'95 %':>8}"
    for row in result.bytes:
        yield f"{row.bytes:>8,}{_both(row.figures)}"


def _budgets(result: Result) -> Iterator[str]:
    yield from ("", "By budget and rank: the view that the core settles")
    head = f"{'budget':>8}  {'rank':<16}{'lines':>6}{'largest':>8}{'chance':>7}"
    yield f"{head}{'rate':>6}{'95 %':>8}{'all':>6}{'95 %':>8}"
    for row in result.budgets:
        found = row.figures
        yield (
            f"{row.kilobytes:>5} KB  {row.rank:<16}{found.lines:>6}{row.largest:>8}{_share(found.chance):>7}"
            f"{_both(found)[1:]}"
        )


def _both(found: Figures) -> str:
    posed, every = found.well_posed.mean, found.all.mean
    return f"{percent(posed):>7}{between(posed):>8}{percent(every):>6}{between(every):>8}"


def _mean(found: Figures | None) -> str:
    return "-" if found is None else percent(found.well_posed.mean)


def percent(found: Estimate | None) -> str:
    """A rate in percent, or a dash."""
    return "-" if found is None else _share(found.rate)


def between(found: Estimate | None) -> str:
    """An interval in percent, or a dash."""
    if found is None or found.low is None or found.high is None:
        return "-"
    if found.low < 0:
        return f"{100 * found.low:.0f}..{100 * found.high:.0f}"
    return f"{100 * found.low:.0f}-{100 * found.high:.0f}"


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}"
