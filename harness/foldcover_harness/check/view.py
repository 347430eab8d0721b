"""The findings for people, in 80 columns, in a terminal and in a pipe.

Rule: every file has a line, every finding another; texts out of transcripts are shown as they are, never as
markup. The last line says what was found in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from foldcover_harness.check.as_json import name
from foldcover_harness.check.examine import KINDS, Examined, Finding
from foldcover_harness.check.report import Checked
from foldcover_harness.check.wires import PROVIDERS, Refusal
from foldcover_harness.replay.cover import clip, counted, plain
from foldcover_harness.replay.terminal import columns, write
from foldcover_harness.transcripts.recognise import Layout

_KIND: Final = 37
_PLACES: Final = {Layout.LINES: "line", Layout.ARRAY: "element", Layout.OBJECT: "message"}


def show(checked: Checked) -> None:
    """Print the findings on stdout."""
    write(_lines(checked, columns()))


def _lines(checked: Checked, columns: int) -> Iterator[tuple[str | None, str]]:
    for one in checked.examined:
        yield "bold", _end_of(plain(name(one.path)), columns)
        yield from ((None, clip(line, columns)) for line in _transcript(one))
        yield None, ""
    yield "bold", clip(_summary(checked), columns)


def _end_of(path: str, columns: int) -> str:
    return path if len(path) <= columns else "..." + path[3 - columns :]


def _transcript(one: Examined) -> Iterator[str]:
    what = (
        counted(one.turns, "turn"),
        counted(one.requests, "request"),
        counted(one.calls, "call"),
        counted(one.results, "result"),
    )
    yield f"  {one.client}, {', '.join(what)}"
    if not one.findings and not one.refusals:
        yield "  nothing found"
    if one.findings:
        yield f"  {'found':<{_KIND}}{'count':>7}  first at"
        yield from (_finding(finding, one.layout) for finding in one.findings)
    for own in (True, False):
        refusals = [refusal for refusal in one.refusals if refusal.own is own]
        if refusals:
            yield "  would be refused" + ("" if own else ", if it were converted")
        for refusal in refusals:
            yield from _refusal(refusal, one.layout)


def _finding(finding: Finding, layout: Layout) -> str:
    what = plain(finding.what)
    if finding.kind == "unknown":
        kind, what = f"unknown: {what}", ""
    else:
        kind = KINDS[finding.kind]
    if finding.other is not None:
        what = f"also in {plain(finding.other.name)}"
    return f"  {clip(kind, _KIND - 1):<{_KIND}}{finding.times:>7,}  {place(finding.place, layout)} {what}".rstrip()


def _refusal(refusal: Refusal, layout: Layout) -> Iterator[str]:
    which = "the next request" if refusal.request is None else f"request {refusal.request:,}"
    at = "" if refusal.at is None else f" ({place(refusal.at, layout)})"
    more = "" if refusal.times == 1 else f", and {refusal.times - 1:,} more such"
    yield f"  {PROVIDERS[refusal.provider]}: {which}{at}, for {place(refusal.place, layout)}{more}"
    yield f"      {refusal.why}"


def place(number: int | None, layout: Layout) -> str:
    """Return a place in a file in words; "" where there is none."""
    return "" if number is None else f"{_PLACES[layout]} {number:,}"


def _summary(checked: Checked) -> str:
    found = [one for one in checked.examined if one.findings or one.refusals]
    parts = [
        f"{counted(len(checked.examined), 'file')} read",
        f"something found in {len(found):,}" if found else "nothing found",
    ]
    if checked.refused:
        parts.append(f"{len(checked.refused):,} could not be read")
    return ", ".join(parts)
