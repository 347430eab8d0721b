"""The charts of the report as Vega-Lite specifications.

Rule: a chart is a value, drawn by the library in the reader's browser. Colours of marks are of middle lightness, so
that they stand out on white and on black; those of text and lines are variables of the page's style, which follow
light and dark. A series of more than POINTS requests is drawn in as many steps.
"""

from __future__ import annotations

import csv
import io
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from foldcover_harness.replay.schedules import Bill
from foldcover_harness.replay.split import Series

Spec = dict[str, Any]

POINTS: Final = 300
"""The most points of one series that are drawn."""

PALETTE: Final = (
    "#7a7f87",
    "#d1495b",
    "#2f7ed8",
    "#0e8f9e",
    "#3a9150",
    "#8e5cc7",
    "#a0764e",
    "#c2571a",
    "#b7791f",
    "#c0559b",
    "#6b8e23",
    "#5b6ee1",
)
PARTS: Final = {"work in progress": "#2f7ed8", "conclusions": "#3a9150", "finished steps": "#c2571a"}

_CONFIG: Final[Spec] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--ink)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    },
    "legend": {
        "labelColor": "var(--ink)",
        "titleColor": "var(--ink)",
        "labelFontSize": 12,
        "orient": "bottom",
        "direction": "horizontal",
        "symbolStrokeWidth": 3,
    },
}

_REQUEST: Final[Spec] = {
    "field": "request",
    "type": "quantitative",
    "title": "request",
    "scale": {"nice": False, "zero": False},
    "axis": {"tickMinStep": 1, "grid": False},
}


def _chart(description: str, height: int, **more: Any) -> Spec:
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": description,
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": _CONFIG,
        **more,
    }


def _colours(schedules: Sequence[str]) -> Spec:
    return {"domain": list(schedules), "range": [PALETTE[index % len(PALETTE)] for index in range(len(schedules))]}


def steps(count: int) -> list[range]:
    """Return the requests of each step that is drawn: one each, or as many as it takes."""
    size = -(-count // POINTS) or 1
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def _drawn(values: array[int], pick: Callable[[array[int]], float]) -> list[tuple[int, float]]:
    return [(step.start + 1, pick(values[step.start : step.stop])) for step in steps(len(values))]


def _mean(values: array[int]) -> float:
    return sum(values) / len(values)


def _table(fields: Sequence[str], rows: Iterable[Sequence[object]]) -> Spec:
    """Return data as comma-separated values: a third of what it would be as objects."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([fields, *rows])
    return {"values": text.getvalue(), "format": {"type": "csv"}}


def reading(series: Series) -> Spec:
    """What the model reads with nothing folded: three parts, over the requests."""
    rows = [
        (request, part, round(tokens))
        for part, values in zip(PARTS, series, strict=True)
        for request, tokens in _drawn(values, _mean)
    ]
    return _chart(
        "Stacked areas: tokens of work in progress, conclusions and finished steps in each request",
        200,
        data=_table(("request", "part", "tokens"), rows),
        mark={"type": "area", "tooltip": True, "interpolate": "step-after"},
        encoding={
            "x": _REQUEST,
            "y": {"field": "tokens", "type": "quantitative", "title": None, "axis": {"format": "~s"}},
            "color": {
                "field": "part",
                "type": "nominal",
                "title": None,
                "scale": {"domain": list(PARTS), "range": list(PARTS.values())},
                "legend": {"columns": 3},
            },
            "order": {"field": "part", "sort": "descending"},
        },
    )


def prompts(bills: dict[str, Bill], columns: int) -> Spec:
    """The prompt's size under each schedule, over the requests; a click on the legend picks one out."""
    rows = [
        (request, schedule, tokens) for schedule, bill in bills.items() for request, tokens in _drawn(bill.prompts, max)
    ]
    return _chart(
        "Lines: tokens of each request's prompt under each schedule",
        260,
        data=_table(("request", "schedule", "tokens"), rows),
        params=[{"name": "picked", "select": {"type": "point", "fields": ["schedule"]}, "bind": "legend"}],
        mark={"type": "line", "tooltip": True, "interpolate": "step-after", "strokeWidth": 2},
        encoding={
            "x": _REQUEST,
            "y": {"field": "tokens", "type": "quantitative", "title": None, "axis": {"format": "~s"}},
            "color": {
                "field": "schedule",
                "type": "nominal",
                "title": None,
                "scale": _colours(list(bills)),
                "legend": {"columns": columns},
            },
            "opacity": {"condition": {"param": "picked", "value": 1}, "value": 0.12},
        },
    )


def costs(bills: dict[str, Bill], ratios: dict[str, float | None]) -> Spec:
    """The cost of each schedule as a bar, with its ratio to compaction."""
    rows = [
        {
            "schedule": schedule,
            "cost": bill.cost,
            "to compaction": "" if (part := ratios[schedule]) is None else f"{part:.2f}",
        }
        for schedule, bill in bills.items()
    ]
    bar = {"y": {"field": "schedule", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 140}}}
    return _chart(
        "Bars: the cost of each schedule in token-equivalents, its ratio to compaction beside it",
        24 * len(rows),
        data={"values": rows},
        encoding={
            **bar,
            "x": {
                "field": "cost",
                "type": "quantitative",
                "title": "token-equivalents",
                "axis": {"format": "~s", "tickCount": 4},
                "scale": {"domainMax": max((bill.cost for bill in bills.values()), default=0) * 1.12 or 1},
            },
        },
        layer=[
            {
                "mark": {"type": "bar", "tooltip": True},
                "encoding": {
                    "color": {
                        "field": "schedule",
                        "type": "nominal",
                        "scale": _colours(list(bills)),
                        "legend": None,
                    },
                },
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 4, "color": "var(--ink)", "fontSize": 12},
                "encoding": {"text": {"field": "to compaction"}},
            },
        ],
    )


def cache(bills: dict[str, Bill]) -> Spec:
    """Each schedule's requests on a time line: how much of the prompt came from the cache, and where it was not
    the whole previous prompt.
    """
    rows: list[tuple[object, ...]] = []
    for schedule, bill in bills.items():
        before = 0
        for step in steps(len(bill.prompts)):
            read = shared = rewrites = 0
            for request in step:
                prompt, hit = bill.prompts[request], bill.hits[request]
                read, shared = read + prompt, shared + hit
                rewrites += hit < before
                before = prompt
            share = round(shared / read, 4) if read else 0
            rows.append((schedule, step.start + 1, step.stop + 1, share, read - shared, rewrites))
    y = {"field": "schedule", "type": "nominal", "title": None, "sort": None, "axis": {"labelLimit": 140}}
    tooltip = [
        {"field": "schedule", "type": "nominal"},
        {"field": "from", "type": "quantitative", "title": "request"},
        {"field": "cached", "type": "quantitative", "title": "cached share", "format": ".0%"},
        {"field": "paid in full", "type": "quantitative", "format": ",", "title": "tokens paid in full"},
        {"field": "rewrites", "type": "quantitative"},
    ]
    return _chart(
        "A row a schedule: for each request the share of the prompt read from the cache; a mark where the cached "
        "beginning was cut short",
        22 * len(bills),
        data=_table(("schedule", "from", "to", "cached", "paid in full", "rewrites"), rows),
        encoding={
            "y": y,
            "x": {**_REQUEST, "field": "from"},
            "tooltip": tooltip,
        },
        layer=[
            {
                "mark": {"type": "rect", "height": {"band": 0.8}},
                "encoding": {
                    "x2": {"field": "to"},
                    "color": {
                        "field": "cached",
                        "type": "quantitative",
                        "title": "cached share of the prompt",
                        "scale": {
                            "domain": [0, 0.5, 1],
                            "range": ["#d9480f", "#8f9aa6", "#2f7ed8"],
                            "interpolate": "lab",
                        },
                        "legend": {"format": "~%", "gradientLength": 160, "titleLimit": 300},
                    },
                },
            },
            {
                "transform": [{"filter": "datum.rewrites > 0"}],
                "mark": {"type": "tick", "color": "var(--ink)", "thickness": 1.5, "height": {"band": 0.8}},
                "encoding": {},
            },
        ],
    )
