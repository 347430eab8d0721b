"""The report as one HTML file that needs nothing else: no network, no other file.

Rule: what comes from a transcript is escaped, by the template or as JSON without an opening angle bracket. What was
left out of the drawing is said in the page. The drawing library stands in the file, once.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module, resources
from itertools import groupby
from typing import Any, Final

import msgspec

from foldcover_harness.replay.accuracy import median, quantile
from foldcover_harness.replay.as_json import name, ratio
from foldcover_harness.replay.cover import counted, plain
from foldcover_harness.replay.page import charts
from foldcover_harness.replay.page.ruler import UNITS, ruler
from foldcover_harness.replay.report import Options, Replayed, Report
from foldcover_harness.replay.sweep import BASE, Grid, lines
from foldcover_harness.replay.tables import Entry, of_one, of_total
from foldcover_harness.replay.total import ENOUGH, Total
from foldcover_harness.replay.usage import Usage
from foldcover_harness.replay.view import CLOSES, price_line

SECTIONS: Final = 12
"""The most transcripts that are drawn: the largest ones, by requests."""


class Missing(Exception):
    """What draws is not installed; the message says how to install it."""


def need() -> None:
    """Look whether the libraries are there. Raises Missing."""
    try:
        for library in ("jinja2", "vl_convert"):
            import_module(library)
    except ImportError as error:
        raise Missing("needs the extra 'report': pip install 'foldcover[report]'") from error


def page(report: Report) -> str:
    """Return the whole file."""
    import jinja2
    import vl_convert

    here = resources.files(__package__ or "")
    template = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    ).from_string((here / "page.html.j2").read_text(encoding="utf-8"))
    largest = sorted(range(len(report.replayed)), key=lambda index: -report.replayed[index].requests)[:SECTIONS]
    sections = [
        _section(f"transcript-{index + 1}", report.replayed[index], report.options) for index in sorted(largest)
    ]
    total = _total(report.total, report.options) if len(report.replayed) > 1 else None
    data = {
        section["id"]: section.pop("data") for section in [*([total] if total else []), *sections] if "data" in section
    }
    return template.render(
        style=(here / "page.css").read_text(encoding="utf-8"),
        script=(here / "page.js").read_text(encoding="utf-8"),
        library=vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"),
        data=_json(data),
        setting=_setting(report.options),
        currency=report.options.price.price.currency if report.options.price else "",
        total=total,
        sections=sections,
        sweep=_sweep(report.total.grid),
        left_out=len(report.replayed) - len(sections),
        refused=[(plain(name(each.path)), each.reason) for each in report.refused],
        notes=report.notes,
    )


def _json(value: Any) -> str:
    """Return JSON that can stand in a script element whatever is in it."""
    return msgspec.json.encode(value).decode().replace("<", "\\u003c")


def _setting(options: Options) -> str:
    standing = "as measured" if options.standing is None else f"{options.standing:,} tokens (assumed)"
    money = f" {price_line(options.price)}" if options.price else ""
    return (
        f"Window {options.window:,} tokens, standing part {standing}, tokens estimated by {options.estimator.name}, "
        f"{CLOSES[options.boundaries]}. "
        "Cost in token-equivalents: a cached token counts a tenth; output is not priced."
        f"{money}"
    )


def _section(identity: str, one: Replayed, options: Options) -> dict[str, Any]:
    ratios = {schedule: ratio(bill, one.base) for schedule, bill in one.bills.items()}
    turns = [turn for line in one.cover for turn in line.turns]
    data: dict[str, Any] = {"ruler": ruler(turns, one.units, one.budget)}
    notes = [plain(note) for note in one.notes]
    if one.requests:
        assert one.series is not None
        data["reading"] = charts.reading(one.series)
        data["prompts"] = charts.prompts(one.bills, 2)
        data["costs"] = charts.costs(one.bills, ratios)
        data["cache"] = charts.cache(one.bills)
    longest = max((len(bill.prompts) for bill in one.bills.values()), default=0)
    if longest > charts.POINTS:
        notes.append(
            f"More than {charts.POINTS} requests: each point drawn stands for {-(-longest // charts.POINTS)} of them "
            "(of prompts the largest, of the split the mean)."
        )
    notes += [f"{schedule}: nothing is recorded." for schedule in options.schedules if schedule not in one.bills]
    if one.units > UNITS:
        notes.append(f"Of {one.units:,} closes the first {UNITS} can be drawn on the ruler.")
    return {
        "id": identity,
        "title": plain(name(one.path)).rsplit("/", 1)[-1] or "transcript",
        "path": plain(name(one.path)),
        "what": _counts(one.client, one.turns, one.requests, one.calls)
        + ("" if one.counted else f" (under {ENOUGH} requests: not in the total)"),
        "rows": _rows(of_one(one), options) if one.requests else [],
        "read": _read(one.split.shares()),
        "usage": _usage(one.usage, one.requests),
        "accuracy": _accuracy(one.accuracy.prompts, one.accuracy.compared),
        "units": one.units,
        "notes": notes,
        "data": data,
    }


def _counts(client: str, turns: int, requests: int, calls: int) -> str:
    return f"{client}, {counted(turns, 'turn')}, {counted(requests, 'request')}, {counted(calls, 'tool call')}"


def _total(total: Total, options: Options) -> dict[str, Any]:
    bills = {schedule: row.bill for schedule, row in total.rows.items()}
    ratios = {schedule: ratio(row.bill, row.base) for schedule, row in total.rows.items()}
    return {
        "id": "total",
        "what": f"{counted(total.transcripts, 'transcript')}, {counted(total.turns, 'turn')}, "
        f"{counted(total.requests, 'request')}",
        "left_out": f"{counted(total.left_out, 'transcript')} under {ENOUGH} requests left out."
        if total.left_out
        else "",
        "rows": _rows(of_total(total), options),
        "partly": [
            f"{schedule}: over {counted(row.transcripts, 'transcript')}, which record what their tool did."
            for schedule, row in total.rows.items()
            if row.transcripts < total.transcripts
        ],
        "read": _read(total.split.shares()),
        "usage": _usage(total.usage, total.requests),
        "accuracy": _accuracy(total.prompts, total.compared),
        "data": {"costs": charts.costs(bills, ratios)} if bills else {},
    }


def _rows(entries: dict[str, Entry], options: Options) -> list[dict[str, str]]:
    return [
        {
            "schedule": schedule,
            "cost": f"{entry.bill.cost:,.0f}",
            "short": short(entry.bill.cost),
            "ratio": "-" if entry.ratio is None else f"{entry.ratio:.2f}",
            "rewrites": f"{entry.bill.rewrites:,}",
            "requests": f"{len(entry.bill.prompts):,}",
            "money": "" if (money := entry.money(options)) is None else f"{money:,.2f}",
            "median": short(median(entry.bill.prompts)),
            "last": short(entry.last),
        }
        for schedule, entry in entries.items()
    ]


def _sweep(grid: Grid) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for parameter, group in groupby(lines(grid), key=lambda line: line.parameter):
        values = list(group)
        rows = [
            (name, ["-" if (part := line.ratios[name]) is None else f"{part:.2f}" for line in values])
            for name in values[0].ratios
            if name != BASE
        ]
        found.append({"parameter": parameter, "values": [short_value(line.value) for line in values], "rows": rows})
    return found


def short_value(value: float) -> str:
    """Return a value of the sweep: from a thousand on in units of it."""
    return short(value) if value >= 1000 else f"{value:g}"


def short(value: float | None) -> str:
    """Return a number in at most six characters: 1234567 as 1.23M."""
    if value is None:
        return "-"
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g}{unit}" if value < 999.5 * limit else f"{value / limit:,.0f}{unit}"
    return f"{value:.0f}"


def _read(shares: tuple[float, float, float]) -> list[dict[str, str]]:
    return [
        {"part": part, "share": f"{share:.1%}", "width": f"{100 * share:.2f}", "colour": colour}
        for (part, colour), share in zip(charts.PARTS.items(), shares, strict=True)
    ]


def _usage(usage: Usage, requests: int) -> str:
    if not usage.requests:
        return ""
    share = usage.cached / usage.prompts if usage.prompts else 0
    return (
        f"Recorded usage, of {usage.requests:,} of {counted(requests, 'request')}: {usage.cost:,.0f} by the same "
        f"rule, {share:.0%} of the input cached."
    )


def _accuracy(prompts: Iterable[float], compared: int) -> str:
    errors = list(prompts)
    if not compared:
        return "No usage is reported, so the estimate of tokens has nothing to be compared with."
    return (
        f"Estimate against reported usage: a prompt is off by {median(errors) or 0:.1%} and "
        f"{quantile(errors, 0.9) or 0:.1%} (median, 90th percentile; {counted(compared, 'request')})."
    )
