"""Where the results of `foldcover replay` go: the table or JSON, the trace, the HTML report.

Rule: whether a file can be written is known before anything is read (`recording.py`). What takes stdout has it for
itself: the table then goes to stderr.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO

    from foldcover_harness.replay.recording import Target
    from foldcover_harness.replay.report import Report
    from foldcover_harness.replay.sources import Sources


class Places(NamedTuple):
    """Where the trace and the HTML report go; None where they are not asked for."""

    trace: Target | None
    html: Target | None

    @property
    def take_stdout(self) -> bool:
        """Whether one of them takes stdout."""
        return any(place is not None and place.is_stdout for place in self)


def places(trace: str | None, html: str | None, sources: Sources, as_json: bool) -> Places:
    """Look at the places before anything is read. Raises click.UsageError."""
    if html is not None:
        from foldcover_harness.replay.page.build import Missing, need

        try:
            need()
        except Missing as error:
            raise click.UsageError(f"--html {error}") from error
    found = Places(_target("--trace", trace, sources), _target("--html", html, sources))
    stdout = [
        option
        for option, taken in (
            ("--trace", found.trace is not None and found.trace.is_stdout),
            ("--html", found.html is not None and found.html.is_stdout),
            ("--json", as_json),
        )
        if taken
    ]
    if len(stdout) > 1:
        raise click.UsageError(f"{' and '.join(stdout)} would both go to stdout")
    if found.trace is not None and found.html is not None and found.trace.path == found.html.path:
        raise click.UsageError(f"--trace and --html would both go to {found.html.path}")
    return found


def _target(option: str, name: str | None, sources: Sources) -> Target | None:
    from foldcover_harness.replay.place import local
    from foldcover_harness.replay.recording import Unwritable, target
    from foldcover_harness.replay.sources import SAMPLE

    if name is None:
        return None
    try:
        return target(name, [*filter(None, (local(source.path) for source in sources.files)), SAMPLE])
    except Unwritable as error:
        raise click.UsageError(f"{option} {name or repr(name)}: {error}") from error


def write(report: Report, found: Places) -> None:
    """Write the trace and the HTML report. Raises click.UsageError where that fails."""
    if found.trace is not None:
        _write("--trace", found.trace, lambda file: _record(report, file))
    if found.html is not None:
        from foldcover_harness.replay.page.build import page

        text = page(report)
        _write("--html", found.html, lambda file: file.write(text))


def _write(option: str, place: Target, fill: Callable[[IO[str]], object]) -> None:
    from foldcover_harness.replay.recording import opened

    try:
        with opened(place) as file:
            fill(file)
    except BrokenPipeError:
        raise  # a reader of stdout that went away
    except OSError as error:
        raise click.UsageError(f"{option} {place.path or '-'}: {error.strerror or error}") from error


def _record(report: Report, file: IO[str]) -> None:
    from foldcover_harness.replay.covers import record
    from foldcover_harness.trace import Recorder

    recorder = Recorder(file)
    for one in report.replayed:
        record(recorder, one.units, one.budget)


def show(report: Report, as_json: bool, whole_cover: bool, aside: bool) -> None:
    """Print the report on stdout; on stderr where something else takes stdout."""
    with redirect_stdout(sys.stderr) if aside else nullcontext():
        if as_json:
            from foldcover_harness.replay.as_json import to_json

            sys.stdout.buffer.write(to_json(report))
            sys.stdout.flush()
            return
        from foldcover_harness.replay import view

        view.show(report, whole_cover)
