"""The findings as JSON, under stable keys (documented in spec/transcripts.md).

Rule: a place is a number under the word that says what it counts: `line` from 1, or `index` from 0 in an
array or in the messages of one object. What does not exist is null.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import msgspec

from foldcover_harness.check.examine import Examined, Finding
from foldcover_harness.check.report import Checked
from foldcover_harness.check.wires import Refusal
from foldcover_harness.transcripts.recognise import Layout

VERSION: Final = 1
"""Grows when a key changes its meaning or goes."""


def to_json(checked: Checked) -> bytes:
    """Return the findings as one JSON object, indented, ending with a new line."""
    value = {
        "version": VERSION,
        "clean": checked.clean,
        "transcripts": [_transcript(one) for one in checked.examined],
        "refused": [
            {"path": name(Path(each.path)), "reason": each.reason, "named": each.named} for each in checked.refused
        ],
    }
    return msgspec.json.format(msgspec.json.encode(value)) + b"\n"


def name(path: Path) -> str:
    """Return a path as text that can be written: bytes that are not UTF-8 are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def _transcript(one: Examined) -> dict[str, Any]:
    return {
        "path": name(one.path),
        "client": one.client,
        "layout": one.layout.value,
        "turns": one.turns,
        "requests": one.requests,
        "calls": one.calls,
        "results": one.results,
        "findings": [_finding(finding, one.layout) for finding in one.findings],
        "refusals": [_refusal(refusal, one.layout) for refusal in one.refusals],
    }


def _finding(finding: Finding, layout: Layout) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "count": finding.times,
        **_place(finding.place, layout),
        "what": finding.what or None,
        "other": None if finding.other is None else name(finding.other),
    }


def _refusal(refusal: Refusal, layout: Layout) -> dict[str, Any]:
    return {
        "provider": refusal.provider,
        "own_wire": refusal.own,
        "why": refusal.why,
        "count": refusal.times,
        **_place(refusal.place, layout),
        "request": refusal.request,
        "request_at": _place(refusal.at, layout),
    }


def _place(place: int | None, layout: Layout) -> dict[str, int | None]:
    lines = layout is Layout.LINES
    return {"line": place if lines else None, "index": None if lines else place}
