"""A report in the three forms that people and CI read: rows for the eye, JSON, and JUnit XML."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

import foldcover
from foldcover_laws.judge import Report, Tally, Verdict
from foldcover_laws.ruler import picture, picture_of_failure

MARKS = {Verdict.HOLDS: "holds", Verdict.BROKEN: "BROKEN", Verdict.NOT_JUDGED: "not judged", Verdict.NO_CASE: "NO CASE"}


def rows(report: Report) -> Iterator[str]:
    """A row a law: slug, verdict, cases, seconds, and what it says."""
    for kind, title in (("law", "the thirteen"), ("pin", "the pins")):
        yield f"{title:<15}{'verdict':<10}{'cases':>7}{'time':>7}"
        for tally in report.tallies:
            if tally.law.kind == kind:
                head = f"{tally.law.slug:<15}{MARKS[tally.verdict]:<10}{tally.cases:>7,}{tally.seconds:>6.1f}s"
                yield f"{head} {tally.law.sentence}"
        yield ""
    answered = "every call was answered" if not report.untotal else f"{len(report.untotal):,} calls were NOT answered"
    yield f"{report.calls:,} calls on {report.subject} in {report.seconds:.1f} s: {answered}"


def witnesses(report: Report) -> Iterator[str]:
    """For everything broken, the smallest witness as a picture."""
    for tally in report.tallies:
        if tally.witness is not None:
            yield f"{tally.law.slug} is broken ({tally.breaks:,} of {tally.cases:,} cases): {tally.law.sentence}"
            yield from (f"  {line}" for line in picture(tally.witness))
            yield f"  ({tally.law.anchor})"
            yield ""
    for failure in report.untotal[:3]:
        yield from picture_of_failure(failure)
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
    parts += [f"{len(report.untotal):,} calls not answered"] if report.untotal else []
    return "; ".join(parts)


def as_dict(report: Report) -> dict[str, object]:
    """The report as plain data, for --json."""
    return {
        "foldcover": foldcover.__file__,
        "subject": report.subject,
        **asdict(report.scope),
        "ok": report.ok,
        "calls": report.calls,
        "not_answered": len(report.untotal),
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
    }


def as_json(report: Report) -> str:
    """The report as a JSON text."""
    return json.dumps(as_dict(report), indent=2)


def write_junit(report: Report, path: Path) -> None:
    """Write the report as a JUnit XML file: a test case a law, and one for totality."""
    suite = ElementTree.Element("testsuite", name="foldcover.laws", time=f"{report.seconds:.3f}")
    failures = skipped = 0
    for tally in report.tallies:
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"foldcover.{tally.law.kind}", name=tally.law.slug, time=f"{tally.seconds:.3f}"
        )
        if tally.verdict is Verdict.NOT_JUDGED:
            skipped += 1
            ElementTree.SubElement(case, "skipped", message="the subject does not offer the operation")
        elif tally.verdict is not Verdict.HOLDS:
            failures += 1
            text = "no case ran" if tally.witness is None else "\n".join(picture(tally.witness))
            ElementTree.SubElement(case, "failure", message=f"{tally.verdict.value}: {tally.law.sentence}").text = text
    total = ElementTree.SubElement(suite, "testcase", classname="foldcover.total", name="total")
    if report.untotal:
        failures += 1
        text = "\n".join(picture_of_failure(report.untotal[0]))
        ElementTree.SubElement(total, "failure", message=f"{len(report.untotal)} calls not answered").text = text
    suite.set("tests", str(len(report.tallies) + 1))
    suite.set("failures", str(failures))
    suite.set("skipped", str(skipped))
    ElementTree.indent(suite)
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def show(text: Iterable[str]) -> None:
    """Print line by line. A reader that goes away early changes nothing about the verdict that follows."""
    try:
        for line in text:
            print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        # What Python would still write at its exit goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
