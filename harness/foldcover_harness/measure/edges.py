"""What all measurements have in common at their edges: the files that they read, and what they say on stderr.

Rule: files that cannot be read are named, one line each; what is measured goes to stdout and nothing else does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from foldcover_harness.measure.history import History, Transcript


def read(paths: tuple[Path, ...]) -> tuple[History, bool]:
    """The units of all files that can be read, and whether one that was named could not."""
    from foldcover_harness.measure.history import history, load
    from foldcover_harness.replay.sources import at_home, gather
    from foldcover_harness.session.importing import Unknown

    sources = gather(paths) if paths else at_home()
    named = False
    for refusal in sources.refused:
        notice(f"{refusal.path}: {refusal.reason}")
        named |= refusal.named
    if sources.repeated:
        notice(f"{sources.repeated:,} repeated paths left out")
    found: list[Transcript] = []
    unknown = 0
    for source in sources.files:
        try:
            found.append(load(Path(source.path)))
        except (Unknown, OSError) as error:
            if source.named:
                why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
                notice(why if str(source.path) in why else f"{source.path}: {why}")
                named = True
            unknown += not source.named
    if unknown:
        notice(f"{unknown:,} files in folders left out: no transcripts that can be read with their texts")
    return history(found), named


def notice(text: str) -> None:
    """Say something on stderr, in one line."""
    from foldcover_harness.replay.cover import plain

    click.echo(f"foldcover: {plain(text)}", err=True)


@contextmanager
def progress() -> Generator[tuple[Callable[[], None], Callable[[int], None]]]:
    """What counts a question asked, and what says how many there will be: a bar with an estimate on a terminal."""
    if not sys.stderr.isatty():
        yield (lambda: None), (lambda _: None)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("asking", total=None)
        yield (lambda: bar.advance(task)), (lambda total: bar.update(task, total=total))


def show_json(result: object) -> None:
    """Print a result as JSON."""
    import msgspec

    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    sys.stdout.flush()
