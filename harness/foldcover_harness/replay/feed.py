"""What is to be replayed, and telling of it on stderr.

Rule: notices and the progress bar go to stderr; each unknown kind is told once, each refused file with its reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foldcover_harness.replay.place import Place
    from foldcover_harness.replay.report import Report
    from foldcover_harness.replay.single import Result
    from foldcover_harness.replay.sources import Refusal, Source, Sources


def sources(paths: Sequence[Place], report: Report) -> Sources:
    """Return what the user named, or what lies at home. Raises click.UsageError."""
    from foldcover_harness.replay.place import Missing
    from foldcover_harness.replay.sources import at_home, gather

    try:
        found = gather(paths) if paths else at_home()
    except Missing as error:
        raise click.UsageError(str(error)) from error
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


class Teller:
    """Tells of each refused file, and of each unknown kind once."""

    def __init__(self) -> None:
        self.known: set[str] = set()

    def __call__(self, source: Source, result: Result) -> None:
        """Tell of one result."""
        from foldcover_harness.replay.as_json import name
        from foldcover_harness.replay.sources import Refusal

        if isinstance(result, Refusal):
            refuse(result)
            return
        for kind in sorted(result.unknown.keys() - self.known):
            self.known.add(kind)
            notice(f"{name(source.path)}: {kind}: counted, and read on")


def refuse(refusal: Refusal) -> None:
    """Tell of a refused file."""
    from foldcover_harness.replay.as_json import name

    notice(f"{name(refusal.path)}: {refusal.reason}")
