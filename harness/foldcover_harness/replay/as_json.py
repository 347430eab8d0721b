"""The report as JSON: every figure, under stable keys (documented in spec/replay.md).

Rule: what is estimated, measured, assumed or reported is so named in its key. A figure that does not exist
is null.
"""

from __future__ import annotations

import os
from typing import Any, Final

import msgspec

from foldcover_harness.replay.accuracy import median, quantile
from foldcover_harness.replay.boundaries import Agreement
from foldcover_harness.replay.place import Place
from foldcover_harness.replay.prices import Price
from foldcover_harness.replay.report import Options, Replayed, Report
from foldcover_harness.replay.schedules import Bill
from foldcover_harness.replay.split import Split
from foldcover_harness.replay.sweep import lines
from foldcover_harness.replay.total import Total
from foldcover_harness.replay.usage import Usage

VERSION: Final = 1
"""Grows when a key changes its meaning or goes."""


def to_json(report: Report) -> bytes:
    """Return the report as one JSON object, indented, ending with a new line."""
    options = report.options
    value = {
        "version": VERSION,
        "options": {
            "tokens": options.estimator.name,
            "window": options.window,
            "standing": "measured" if options.standing is None else options.standing,
            "boundaries": options.boundaries,
            "schedules": list(options.schedules),
            "price": None if options.price is None else {"model": options.price.model, **_price(options.price.price)},
        },
        "transcripts": [_transcript(one, options) for one in report.replayed],
        "total": _total(report.total, options),
        "sweep": [
            {"parameter": line.parameter, "value": line.value, "ratio_to_compaction": line.ratios}
            for line in lines(report.total.grid)
        ]
        if options.sweep
        else None,
        "refused": [{"path": name(each.path), "reason": each.reason, "named": each.named} for each in report.refused],
        "notes": report.notes,
    }
    return msgspec.json.format(msgspec.json.encode(value)) + b"\n"


def name(path: Place) -> str:
    """Return a path, or a URL, as text that can be written: bytes that are not UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _transcript(one: Replayed, options: Options) -> dict[str, Any]:
    return {
        "path": name(one.path),
        "client": one.client,
        "turns": one.turns,
        "requests": one.requests,
        "tool_calls": one.calls,
        "in_total": one.counted,
        "standing": one.standing,
        "standing_from": one.standing_from,
        "schedules": {
            schedule: None
            if (bill := one.bills.get(schedule)) is None
            else {
                **_schedule(bill, one.base, one.answers, options),
                "last_prompt": bill.prompts[-1] if bill.prompts else None,
            }
            for schedule in options.schedules
        },
        "recorded_usage": _usage(one.usage, options),
        "read": _split(one.split),
        "accuracy": {
            **_accuracy(one.accuracy.steps, one.accuracy.prompts, one.accuracy.compared, one.accuracy.odd),
            "requests_with_reported_usage": one.accuracy.reported,
        },
        "cover": {
            "units": one.units,
            "lines": [{"start": line.block.start, "size": line.block.size, "text": line.text()} for line in one.cover],
        },
        "boundaries": _agreements(one.agreements),
        "unknown": dict(one.unknown),
        "left_out": dict(one.left_out),
        "notes": list(one.notes),
    }


def _total(total: Total, options: Options) -> dict[str, Any]:
    return {
        "transcripts": total.transcripts,
        "transcripts_left_out": total.left_out,
        "turns": total.turns,
        "requests": total.requests,
        "schedules": {
            schedule: None
            if (row := total.rows.get(schedule)) is None
            else {
                **_schedule(row.bill, row.base, row.answers, options),
                "median_last_prompt": median(row.last),
                "transcripts": row.transcripts,
            }
            for schedule in options.schedules
        },
        "recorded_usage": _usage(total.usage, options),
        "read": _split(total.split),
        "accuracy": _accuracy(total.steps, total.prompts, total.compared, total.odd),
        "cover": {"units": total.units, "lines": total.lines},
        "boundaries": _agreements(total.agreements),
    }


def _schedule(bill: Bill, base: int, answers: int, options: Options) -> dict[str, Any]:
    priced = options.price
    written = bill.written + answers
    return {
        "cost": bill.cost,
        "ratio_to_compaction": ratio(bill, base),
        "prefix_rewrites": bill.rewrites,
        "requests": len(bill.prompts),
        "compactions": bill.compactions,
        "blocked": bill.blocked,
        "prompt_tokens": bill.read,
        "cached_tokens": bill.shared,
        "written_tokens": written,
        "money": None if priced is None else priced.price.money(bill.read, bill.shared, written),
        "median_prompt": median(bill.prompts),
    }


def ratio(bill: Bill, base: int) -> float | None:
    """Return the cost of `bill` over that of compaction, in tenths; None where that is nothing."""
    return bill.tenths / base if base else None


def _usage(usage: Usage, options: Options) -> dict[str, Any] | None:
    if not usage.requests:
        return None
    return {
        "requests": usage.requests,
        "prompt_tokens": usage.prompts,
        "cached_tokens": usage.cached,
        "output_tokens": usage.output,
        "cost": usage.cost,
        "money": None
        if options.price is None
        else options.price.price.money(usage.prompts, usage.cached, usage.output),
    }


def _agreements(agreements: dict[str, Agreement]) -> dict[str, Any] | None:
    return {
        way: {
            "found": each.found,
            "labelled": each.labelled,
            "precision": each.precision,
            "recall": each.recall,
            "mean_distance": each.mean_distance,
        }
        for way, each in agreements.items()
    } or None


def _price(price: Price) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(price)
    return found


def _split(split: Split) -> dict[str, Any]:
    parts = zip(("work_in_progress", "conclusions", "steps"), split[:3], split.shares(), strict=True)
    return {part: {"tokens": tokens, "share": share} for part, tokens, share in parts}


def _accuracy(steps: Any, prompts: Any, compared: int, odd: int) -> dict[str, Any]:
    return {
        "requests_compared": compared,
        "reported_but_odd": odd,
        "step_error_median": median(steps),
        "step_error_p90": quantile(steps, 0.9),
        "prompt_error_median": median(prompts),
        "prompt_error_p90": quantile(prompts, 0.9),
    }
