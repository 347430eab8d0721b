"""A report for the eye, in rows, and for programs, as JSON; `junit` writes it for CI."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict

import foldcover
from foldcover_laws.judge import Report, Tally, Verdict
from foldcover_laws.reproduce import for_the_eye
from foldcover_laws.ruler import picture, picture_of_failure

MARKS = {
    Verdict.HOLDS: "holds",
    Verdict.BROKEN: "BROKEN",
    Verdict.NOT_JUDGED: "not judged",
    Verdict.NO_CASE: "NO CASE",
    Verdict.UNDECIDED: "undecided",
}


def rows(report: Report) -> Iterator[str]:
    """A row a law: slug, verdict, cases, seconds, and what it says."""
    for kind, title in (("law", "the thirteen"), ("pin", "the pins")):
        yield f"{title:<15}{'verdict':<10}{'cases':>7}{'time':>7}"
        for tally in report.tallies:
            if tally.law.kind == kind:
                head = f"{tally.law.slug:<15}{MARKS[tally.verdict]:<10}{tally.cases:>7,}{tally.seconds:>6.1f}s"
                yield f"{head} {tally.law.sentence}"
        yield ""
    if report.not_answered:
        answered = f"{report.not_answered:,} calls were NOT answered as they must be"
    else:
        answered = "every call was answered" if report.fault is None else "cut short"
    yield f"{report.calls:,} calls on {report.subject} in {report.seconds:.1f} s: {answered}"
    if report.refused:
        yield f"{report.refused:,} calls outside the domain or on malformed views refused: no failures"
    yield from report.notes


def witnesses(report: Report) -> Iterator[str]:
    """For everything broken, the smallest witness as a picture."""
    for tally in report.tallies:
        if tally.witness is not None:
            yield f"{tally.law.slug} is broken ({tally.breaks:,} of {tally.cases:,} cases): {tally.law.sentence}"
            yield from (f"  {line}" for line in ([f"at {tally.where}"] if tally.where else []))
            yield from (f"  {line}" for line in picture(tally.witness))
            yield from (f"  {line}" for line in for_the_eye(tally.reproduce))
            yield f"  ({tally.law.anchor})"
            yield ""
    for failure in report.untotal[:3]:
        yield from picture_of_failure(failure)
        yield ""
    if report.fault is not None and report.fault.reproduce:
        yield report.fault.what
        yield from (f"  {line}" for line in for_the_eye(report.fault.reproduce))
        yield ""


def summary(report: Report) -> str:
    """One line: what holds, what does not."""
    verdicts = [tally.verdict for tally in report.tallies]
    if report.ok:
        missing = verdicts.count(Verdict.NOT_JUDGED)
        return f"{verdicts.count(Verdict.HOLDS)} laws and pins hold" + (f", {missing} not judged" if missing else "")
    parts = [f"broken: {', '.join(report.broken)}"] if report.broken else []
    idle = [tally.law.slug for tally in report.tallies if tally.verdict is Verdict.NO_CASE]
    parts += [f"no case ran for: {', '.join(idle)}"] if idle else []
    parts += [f"{report.not_answered:,} calls not answered"] if report.not_answered else []
    parts += [] if report.calls or report.fault else ["nothing ran"]
    parts += [f"cut short, {report.fault.what}"] if report.fault else []
    return "; ".join(parts)


def as_dict(report: Report) -> dict[str, object]:
    """The report as plain data, for --json."""
    return {
        "foldcover": foldcover.__file__,
        "subject": report.subject,
        **({} if report.scope is None else asdict(report.scope)),
        "ok": report.ok,
        "calls": report.calls,
        "exit_code": report.exit_code,
        "not_answered": report.not_answered,
        "refused": report.refused,
        "notes": report.notes,
        "failures": [
            {"call": each.call, "reason": each.reason, "reproduce": [*each.reproduce]} for each in report.untotal
        ],
        "fault": None if report.fault is None else report.fault.what,
        "reproduce": [] if report.fault is None else [*report.fault.reproduce],
        "seconds": round(report.seconds, 3),
        "laws": [_law_as_dict(tally) for tally in report.tallies],
    }


def _law_as_dict(tally: Tally) -> dict[str, object]:
    return {
        "slug": tally.law.slug,
        "kind": tally.law.kind,
        "group": tally.law.group,
        "sentence": tally.law.sentence,
        "spec": tally.law.anchor,
        "verdict": tally.verdict.value,
        "cases": tally.cases,
        "breaks": tally.breaks,
        "seconds": round(tally.seconds, 3),
        "witness": None if tally.witness is None else picture(tally.witness),
        "where": tally.where or None,
        "reproduce": [*tally.reproduce],
    }


def as_json(report: Report) -> str:
    """The report as a JSON text."""
    return json.dumps(as_dict(report), indent=2)


def show(text: Iterable[str]) -> None:
    """Print line by line. A reader that goes away early changes nothing about the verdict that follows."""
    try:
        for line in text:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        # What Python would still write at its exit goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
