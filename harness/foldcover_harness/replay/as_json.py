"""The report as JSON: every figure, under stable keys (documented in spec/replay.md).

Rule: what is estimated, measured, assumed or reported is so named in its key. A figure that does not exist
is null.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import msgspec

from foldcover_harness.replay.accuracy import median, quantile
from foldcover_harness.replay.report import Replayed, Report, Total
from foldcover_harness.replay.schedules import Bill
from foldcover_harness.replay.split import Split

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
        },
        "transcripts": [_transcript(one) for one in report.replayed],
        "total": _total(report.total),
        "refused": [{"path": name(each.path), "reason": each.reason, "named": each.named} for each in report.refused],
        "notes": report.notes,
    }
    return msgspec.json.format(msgspec.json.encode(value)) + b"\n"


def name(path: Path) -> str:
    """Return a path as text that can be written: bytes that are not UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _transcript(one: Replayed) -> dict[str, Any]:
    return {
        "path": name(one.path),
        "client": one.client,
        "turns": one.turns,
        "requests": one.requests,
        "tool_calls": one.calls,
        "in_total": one.counted,
        "standing": one.standing,
        "standing_from": one.standing_from,
        "schedules": _schedules(one.bills, None),
        "read": _split(one.split),
        "accuracy": {
            **_accuracy(one.accuracy.steps, one.accuracy.prompts, one.accuracy.compared, one.accuracy.odd),
            "requests_with_reported_usage": one.accuracy.reported,
        },
        "cover": {
            "units": one.units,
            "lines": [{"start": line.block.start, "size": line.block.size, "text": line.text()} for line in one.cover],
        },
        "unknown": dict(one.unknown),
        "left_out": dict(one.left_out),
        "notes": list(one.notes),
    }


def _total(total: Total) -> dict[str, Any]:
    return {
        "transcripts": total.transcripts,
        "transcripts_left_out": total.left_out,
        "turns": total.turns,
        "requests": total.requests,
        "schedules": _schedules(total.bills, total),
        "read": _split(total.split),
        "accuracy": _accuracy(total.steps, total.prompts, total.compared, total.odd),
        "cover": {"units": total.units, "lines": total.lines},
    }


def _schedules(bills: dict[str, Bill], total: Total | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for schedule, bill in bills.items():
        last = median(total.last[schedule]) if total else (bill.prompts[-1] if bill.prompts else None)
        found[schedule] = {
            "cost": bill.cost,
            "ratio_to_compaction": ratio(bill, bills),
            "prefix_rewrites": bill.rewrites,
            "requests": len(bill.prompts),
            "compactions": bill.compactions,
            "blocked": bill.blocked,
            "median_prompt": median(bill.prompts),
            "median_last_prompt" if total else "last_prompt": last,
        }
    return found


def ratio(bill: Bill, bills: dict[str, Bill]) -> float | None:
    """Return the cost of `bill` over that of compaction; None where that is nothing."""
    base = bills["compaction"].tenths
    return bill.tenths / base if base else None


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
