"""A symbolic report for the eye and as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby

import foldcover
from foldcover_laws.symbolic.crosshair import Verdict
from foldcover_laws.symbolic.run import Finding, Report

MARKS = {Verdict.CONFIRMED: "C", Verdict.REFUTED: "X", Verdict.UNDECIDED: "?"}


def rows(report: Report) -> Iterator[str]:
    """A row a law, a column an n: C confirmed over all paths, X refuted, ? undecided."""
    settings = report.settings
    counts = range(settings.least, settings.units + 1)
    yield f"{'on views of n units':<20}{''.join(f'{count:>3}' for count in counts)}   C confirmed over all paths"
    for slug, findings in groupby(report.findings, key=lambda one: one.contract.law.slug):
        marks: dict[int, str] = {}
        law = None
        for one in findings:
            law = one.contract.law
            marks[one.contract.units] = worse(marks.get(one.contract.units, "C"), MARKS[one.answer.verdict])
        cells = "".join(f"{marks.get(count, ' '):>3}" for count in counts)
        yield f"{slug:<20}{cells}   {law.sentence if law else ''}"
    yield ""
    if report.steps:
        yield f"{'steps, of any size':<20}"
        yield from (f"{step.name:<20}{MARKS[step.verdict]:>3}" for step in report.steps)
        yield ""


def worse(one: str, other: str) -> str:
    """The worse of two marks: X, then ?, then C."""
    return min(one, other, key="X?C".index)


def failures(report: Report) -> Iterator[str]:
    """Everything that is not confirmed: the counterexample as a ruler, or CrossHair's words."""
    for one in report.findings:
        if one.answer.verdict is Verdict.CONFIRMED:
            continue
        yield f"{one.contract.name}: {one.answer.verdict.value}"
        yield from (f"  {line}" for line in one.witness or (one.answer.words,))
        yield ""
    for step in report.steps:
        if step.verdict is not Verdict.CONFIRMED:
            yield f"step {step.name}: {step.verdict.value}: {step.words}"


def summary(report: Report) -> str:
    """One line: how many of how many, up to which n."""
    verdicts = [*(one.answer.verdict for one in report.findings), *(step.verdict for step in report.steps)]
    if not report.findings:
        return "no contract was checked: undecided"
    head = f"{verdicts.count(Verdict.CONFIRMED)} of {len(verdicts)} contracts and steps confirmed over all paths"
    counts = {name: verdicts.count(Verdict(name)) for name in ("refuted", "undecided")}
    rest = "".join(f", {count} {name}" for name, count in counts.items() if count)
    return f"{head}{rest}, n up to {report.settings.units}, {report.seconds:.0f} s"


def finding_as_dict(one: Finding) -> dict[str, object]:
    """A finding as plain data."""
    return {
        "law": one.contract.law.slug,
        "name": one.contract.name,
        "units": one.contract.units,
        "every_rank": one.contract.ranks,
        "verdict": one.answer.verdict.value,
        "words": one.answer.words,
        "seconds": round(one.answer.seconds, 3),
        "witness": list(one.witness) or None,
    }


def as_json(report: Report) -> str:
    """The report as a JSON text."""
    return json.dumps(
        {
            "foldcover": foldcover.__file__,
            "units": report.settings.units,
            "ok": report.exit_code == 0,
            "exit_code": report.exit_code,
            "seconds": round(report.seconds, 3),
            "steps": [{"name": step.name, "verdict": step.verdict.value, "words": step.words} for step in report.steps],
            "contracts": [finding_as_dict(one) for one in report.findings],
        },
        indent=2,
    )
