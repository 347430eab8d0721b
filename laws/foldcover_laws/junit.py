"""A report as JUnit XML: a test case a law, one for totality, and one that says whether the run was whole."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from foldcover_laws.judge import Report, Tally, Verdict
from foldcover_laws.ruler import picture, picture_of_failure


def write_junit(report: Report, path: Path) -> None:
    """Write the file. What is not judged is skipped; what is undecided is an error, which is no pass either."""
    suite = Element("testsuite", name="foldcover.laws", time=f"{report.seconds:.3f}")
    for tally in report.tallies:
        _law(suite, tally)
    total = SubElement(suite, "testcase", classname="foldcover.total", name="total")
    if report.untotal:
        text = "\n".join(picture_of_failure(report.untotal[0]))
        SubElement(total, "failure", message=f"{report.not_answered} calls not answered").text = text
    if report.fault is not None:
        SubElement(total, "error", message=report.fault.what)
    suite.set("tests", str(len(suite)))
    for kind, count in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(len(suite.findall(f"testcase/{count}"))))
    properties = Element("properties")
    told = {"subject": report.subject, "refused": str(report.refused), "notes": "; ".join(report.notes)}
    for name, value in told.items():
        SubElement(properties, "property", name=name, value=value)
    suite.insert(0, properties)
    indent(suite)
    ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _law(suite: Element, tally: Tally) -> None:
    law, verdict = tally.law, tally.verdict
    name = f"foldcover.{law.kind}"
    case = SubElement(suite, "testcase", classname=name, name=law.slug, time=f"{tally.seconds:.3f}")
    match verdict:
        case Verdict.HOLDS:
            pass
        case Verdict.NOT_JUDGED:
            SubElement(case, "skipped", message="the operation is not offered, or does not occur")
        case Verdict.UNDECIDED:
            SubElement(case, "error", message="undecided: the run was cut short")
        case Verdict.BROKEN | Verdict.NO_CASE:
            text = "no case ran" if tally.witness is None else "\n".join(picture(tally.witness))
            SubElement(case, "failure", message=f"{verdict.value}: {law.sentence}").text = text
