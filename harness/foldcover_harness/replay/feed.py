"""Reading what is to be replayed, and telling of it on stderr.

Rule: notices and the progress bar go to stderr; each unknown kind is told once, each refused file with its reason.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from pathlib import Path

    from foldcover_harness.replay.report import Options, Replayed, Report
    from foldcover_harness.replay.sources import Refusal, Source, Sources

LONG_WORK: Final = 16 << 20
"""Bytes of transcripts from which on a progress bar is shown."""


def sources(paths: tuple[Path, ...], report: Report) -> Sources:
    """Return what the user named, or what lies at home."""
    from foldcover_harness.replay.sources import at_home, gather

    found = gather(paths) if paths else at_home()
    if found.repeated:
        from foldcover_harness.replay.cover import counted

        note(report, f"{counted(found.repeated, 'path')} to a file already taken")
    return found


def sample() -> Sources:
    """Return the sample that ships with foldcover."""
    from foldcover_harness.replay.sources import SAMPLE, gather

    return gather([SAMPLE])


def use_sample(report: Report) -> None:
    """Say that the sample is used."""
    what = "could be replayed" if report.refused else "found"
    note(
        report,
        f"no transcripts {what} in ~/.claude/projects or ~/.codex/sessions; using the sample that ships with foldcover",
    )


def note(report: Report, text: str) -> None:
    """Say something about the run, and keep it in the report."""
    report.notes.append(text)
    notice(text)


def tell_of_labels(report: Report) -> None:
    """Say so where labels are of transcripts that were not looked at."""
    labels = report.options.labels
    if labels is None:
        return
    seen = [*(one.path for one in report.replayed), *(each.path for each in report.refused)]
    unused = labels.unused(seen)
    if unused:
        from foldcover_harness.replay.cover import counted

        number, row = unused[0]
        what = counted(len(unused), "label")
        note(report, f"{labels.file}: {what} of no transcript here (the first: line {number}, {row.transcript})")


def notice(text: str) -> None:
    """Say something on stderr."""
    from foldcover_harness.replay.cover import plain

    click.echo(f"foldcover: {plain(text)}", err=True)


def run(sources: Sources, options: Options, report: Report) -> None:
    """Replay all files into the report, telling of what is refused or unknown."""
    from foldcover_harness.replay import report as reports

    for refusal in sources.refused:
        _refuse(refusal)
    report.refused += sources.refused
    if sys.stderr is not None and sys.stderr.isatty() and sum(source.size for source in sources.files) > LONG_WORK:
        _run_with_bar(sources, options, report)
    else:
        reports.run(sources.files, options, report, _Teller())


class _Teller:
    """Tells of each refused file, and of each unknown kind once."""

    def __init__(self) -> None:
        self.known: set[str] = set()

    def __call__(self, source: Source, result: Replayed | Refusal) -> None:
        from foldcover_harness.replay.as_json import name
        from foldcover_harness.replay.sources import Refusal

        if isinstance(result, Refusal):
            _refuse(result)
            return
        for kind in sorted(result.unknown.keys() - self.known):
            self.known.add(kind)
            notice(f"{name(source.path)}: {kind}: counted, and read on")


def _refuse(refusal: Refusal) -> None:
    from foldcover_harness.replay.as_json import name

    notice(f"{name(refusal.path)}: {refusal.reason}")


def _run_with_bar(sources: Sources, options: Options, report: Report) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from foldcover_harness.replay import report as reports

    tell = _Teller()
    results: list[tuple[Source, Replayed | Refusal]] = []
    columns = (TextColumn("reading"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=sum(source.size for source in sources.files))
        reports.run(
            sources.files,
            options,
            report,
            lambda source, result: results.append((source, result)),
            lambda size: bar.advance(task, size),
        )
    # Told when the bar is gone: the two would write over each other.
    for source, result in results:
        tell(source, result)
