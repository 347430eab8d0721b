"""How a run goes: in which way, what is kept of it, and the progress bar.

Rule: the bar goes to a terminal on stderr, and only where there is much to do. What is kept already does not count.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from foldcover_harness.replay import feed
from foldcover_harness.replay.run import Way, WayError, here, nobody, run

if TYPE_CHECKING:
    from foldcover_harness.replay.kept import Kept
    from foldcover_harness.replay.report import Options, Report
    from foldcover_harness.replay.single import Passed, Result
    from foldcover_harness.replay.sources import Source, Sources

LONG_WORK: Final = 16 << 20
"""Bytes of transcripts from which on a progress bar is shown."""
WORTH: Final = 256 << 20
"""Bytes of transcripts from which on processes are worth their start (benchmarks/replay.py)."""


class Running(NamedTuple):
    """How many processes (None: as many as are worth it), the address of a Dask scheduler, the folder of results."""

    jobs: int | None = None
    dask: str | None = None
    keep: Path | None = None


HERE: Final = Running(jobs=1)


def start(sources: Sources, options: Options, report: Report, running: Running = HERE) -> None:
    """Replay all files into the report, telling of what is refused or unknown. Raises OwnScheduleError, and
    click.UsageError where a cluster or a folder cannot be used.
    """
    for refusal in sources.refused:
        feed.refuse(refusal)
    report.refused += sources.refused
    kept = _kept(running.keep, options)
    files = sources.files if kept is None else [source for source in sources.files if not kept.holds(source)]
    known = {number: found for number, source in enumerate(files) if kept and (found := kept.find(source))}
    todo = [source for number, source in enumerate(files) if number not in known]
    told: list[tuple[Source, Result]] = []
    try:
        with _bar(sum(source.size for source in todo)) as passed:
            run(
                files,
                options,
                report,
                feed.Teller() if passed is None else lambda source, result: told.append((source, result)),
                passed or nobody,
                _way(todo, running),
                known,
                _keeper(kept, running.keep),
            )
    except WayError as error:
        raise click.UsageError(f"--dask {running.dask}: {error}") from error
    # Told when the bar is gone: the two would write over each other.
    teller = feed.Teller()
    for source, result in told:
        teller(source, result)


def _way(todo: Sequence[Source], running: Running) -> Way:
    if running.dask is not None and todo:
        from foldcover_harness.replay.cluster import on

        return on(running.dask)
    jobs = processes(todo, running.jobs)
    if jobs == 1:
        return here
    from foldcover_harness.replay.processes import beside

    return beside(jobs)


def processes(sources: Sequence[Source], asked: int | None) -> int:
    """Return how many processes shall read: as many as asked for; else one a core where there is enough to read, and
    none but this one where there is not.
    """
    if asked is None:
        asked = _cores() if sum(source.size for source in sources) >= WORTH else 1
    return max(1, min(asked, len(sources)))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _kept(folder: Path | None, options: Options) -> Kept | None:
    if folder is None:
        return None
    from foldcover_harness.replay.kept import Kept

    try:
        return Kept(folder, options)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a path"
        raise click.UsageError(f"--keep {folder}: {reason}") from error


def _keeper(kept: Kept | None, folder: Path | None) -> Callable[[Source, Result], None]:
    """Return what keeps results until that fails, which is told, and costs nothing that was worked out."""
    failed = kept is None

    def keep(source: Source, result: Result) -> None:
        nonlocal failed
        if failed or kept is None:
            return
        try:
            kept.keep(source, result)
        except OSError as error:
            failed = True
            feed.notice(f"--keep {folder}: {error.strerror or error}: nothing more is kept")

    return keep


@contextmanager
def _bar(total: int) -> Generator[Passed | None]:
    """A progress bar, and what moves it on; None where there is none."""
    if sys.stderr is None or not sys.stderr.isatty() or total <= LONG_WORK:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("reading"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=total)
        yield lambda size: bar.advance(task, size)
