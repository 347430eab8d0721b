"""foldcover session: fold a real transcript, look at a session, get everything back.

Rule: only `import` writes; all else opens a session for reading, also while its agent runs. Errors are one line on
stderr and exit code 2; `doctor` ends with 1 where it found damage.
"""

from __future__ import annotations

import io
import json
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

import foldcover as fc
from foldcover_harness.session import checking, importing
from foldcover_harness.session.disk import reason
from foldcover_harness.session.journal import JournalError
from foldcover_harness.session.lines import one_line, printable
from foldcover_harness.session.lock import Locked
from foldcover_harness.session.place import JOURNAL
from foldcover_harness.session.reports import SessionError
from foldcover_harness.session.session import Session
from foldcover_harness.session.wires.wire import Message, Role

EPILOG = """\b
Examples:
  foldcover session import run.jsonl --dir work    fold a transcript
  foldcover session show work                      ruler, cover, tail
  foldcover session search work 'EADDRINUSE'
  foldcover session zoom work 0 15                 the titles of a range
  foldcover session export work > original.json    every word, as it came
  foldcover session doctor work                    is everything there?
\b
Exit codes:
  0 done · 1 damage, or nothing found · 2 usage, or no session
"""


@click.group(epilog=EPILOG)
def session() -> None:
    """Fold a transcript into a session, and look at sessions."""


def _holds_a_session(ctx: click.Context, parameter: click.Parameter, folder: Path) -> Path:
    if not (folder / JOURNAL).is_file():
        raise click.BadParameter(f"{folder} holds no session.", ctx, parameter)
    return folder


FOLDER = click.argument(
    "folder", type=click.Path(path_type=Path, file_okay=False, exists=True), callback=_holds_a_session
)


@contextmanager
def clear() -> Generator[None]:
    """Say what goes wrong in one line."""
    try:
        yield
    except (SessionError, JournalError, Locked, importing.Unknown) as error:
        raise click.UsageError(printable(str(error))) from error
    except OSError as error:
        raise click.UsageError(printable(reason(error))) from error


@session.command("import")
@click.argument("transcript", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("--dir", "folder", required=True, type=click.Path(path_type=Path), help="The new session's folder.")
@click.option(
    "--window", default=200_000, show_default=True, type=click.IntRange(1), help="The model's window, in tokens."
)
def import_(transcript: Path, folder: Path, window: int) -> None:
    """Fold a real transcript at its turn boundaries, so that you see what the prompt would have been."""
    with clear():
        read = importing.read(transcript)
        refused = 0
        with Session.create(folder, wire=read.wire, window=window) as made:
            for role, message in _progress(read.messages):
                try:
                    if role == "user":
                        made.user(message)
                        made.end_turn()
                        _fold_before(made)
                    elif role == "assistant":
                        made.assistant(message)
                    else:
                        made.tool_result(message)
                except SessionError:
                    refused += 1
            left = ", ".join(f"{count} {what}" for what, count in read.left_out.most_common())
            click.echo(
                f"{len(made.state.turns)} turns, {len(made.state.units)} of them folded; {made.load().tokens:,} tokens"
            )
            click.echo(f"left out: {left or 'nothing'}" + (f"; refused by the wire: {refused}" if refused else ""))


def _fold_before(made: Session) -> None:
    last = len(made.state.turns) - 2
    if last >= 0 and made.state.turns[last].open:
        made.fold(last, last)


def _progress(
    messages: list[tuple[Role, Message]],
) -> Iterator[tuple[Role, Message]]:
    if not sys.stderr.isatty():
        yield from messages
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(messages, "folding", console=Console(stderr=True), transient=True)


@session.command()
@FOLDER
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def show(folder: Path, as_json: bool) -> None:
    """The ruler, the cover, and the turns that are open."""
    with clear(), Session.open(folder, read_only=True) as opened:
        load, blocks = opened.load(), fc.cover(opened.state.view)
        rows = [
            (number, opened.state.wire.said(turn.entries[0].message), len(turn.entries))
            for number, turn in enumerate(opened.state.turns)
            if turn.entries
        ]
        if as_json:
            tail = [{"turn": number, "user": said, "messages": count} for number, said, count in rows]
            facts = {"units": len(opened.state.units), "tokens": load._asdict(), "counters": _counters(opened)}
            click.echo(json.dumps({**facts, "blocks": blocks, "cover": opened.cover(), "tail": tail}))
            return
        width = _width()
        click.echo(_ruler(blocks, width))
        for line in opened.cover():
            click.echo(click.style(_fit(line, width), fg="cyan"))
        for number, said, count in rows:
            click.echo(_fit(f"turn {number} is open, {count} messages: {one_line(said, 400)}", width))
        click.echo(f"{load.tokens:,} tokens: standing {load.standing:,}, cover {load.cover:,}, tail {load.tail:,}")


def _counters(opened: Session) -> dict[str, int]:
    counted = opened.counters()
    return {"read_backs": counted.read_backs, "repeated": counted.repeated, "reopened": counted.reopened}


def _width() -> int:
    return shutil.get_terminal_size((80, 24)).columns if sys.stdout.isatty() else 10_000


def _fit(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _ruler(blocks: tuple[fc.Block, ...], width: int) -> str:
    """The shown blocks on a line: each as a bracket with the binary logarithm of its size."""
    cells = "".join(f"[{block.size.bit_length() - 1}]" if block.size > 1 else "·" for block in blocks)
    return _fit(f"{sum(block.size for block in blocks)} units, {len(blocks)} lines  {cells}", width)


@session.command()
@FOLDER
def card(folder: Path) -> None:
    """The card that would ride on the next user message."""
    with clear(), Session.open(folder, read_only=True) as opened:
        click.echo(printable(opened.card() or "no card is due"))


@session.command()
@FOLDER
@click.argument("first", type=int)
@click.argument("last", type=int)
def zoom(folder: Path, first: int, last: int) -> None:
    """The titles of the units FIRST to LAST, in order."""
    with clear(), Session.open(folder, read_only=True) as opened:
        titles = opened.zoom(fc.Block(first, last - first + 1))
        if not titles:
            raise click.UsageError(f"units {first} to {last}: the session has {len(opened.state.units)} units, from 0")
        for number, title in enumerate(titles, first):
            click.echo(f"{number}: {title}")


@session.command()
@FOLDER
@click.argument("text")
@click.pass_context
def search(ctx: click.Context, folder: Path, text: str) -> None:
    """Where a literal text stands: titles first, then archives, with file and line."""
    with clear(), Session.open(folder, read_only=True) as opened:
        found = opened.search(text)
    for hit in found.hits:
        where = f"unit {hit.unit}" if hit.line == 0 else f"{hit.path}:{hit.line}"
        click.echo(printable(f"{where}: {hit.text}"))
    if found.more:
        click.echo("there is more", err=True)
    ctx.exit(0 if found.hits else 1)


@session.command()
@FOLDER
def export(folder: Path) -> None:
    """Every message as it came, one JSON line each, folded ones included."""
    with clear():
        for message in checking.original(folder, JOURNAL):
            sys.stdout.write(f"{checking.exact(message)}\n")


@session.command()
@FOLDER
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def doctor(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Check the journal, every archive against its sha256, and the laws on the life of the cover."""
    found = checking.examine(folder, JOURNAL)
    troubles, judged = list(found.troubles), 0
    if not troubles:
        judged, said = _laws(folder)
        troubles += said
    if as_json:
        click.echo(json.dumps({**found._asdict(), "troubles": troubles, "operations_judged": judged}))
    else:
        for line in (*troubles, *found.notes):
            click.echo(printable(line))
        click.echo(
            f"{found.events} events, {found.archives} archives, {judged} operations judged: {len(troubles)} troubles"
        )
    ctx.exit(1 if troubles else 0)


def _laws(folder: Path) -> tuple[int, list[str]]:
    """The laws on the recorded life. How many operations, and what is broken."""
    from foldcover_harness.trace import Recorder
    from foldcover_laws.trace import judge_trace

    with tempfile.TemporaryFile() as file:
        text = io.TextIOWrapper(file, encoding="utf-8", write_through=True)
        count = checking.record(folder, JOURNAL, Recorder(text))
        text.flush()
        text.detach()
        if not count:
            return 0, []
        file.seek(0)
        report = judge_trace("the journal", file)
    return count, [f"the law {slug} is broken in the life of the cover" for slug in report.broken]
