"""`foldcover check`: what is printed where, and with which exit code.

Rule: stdout carries the findings and nothing else; what could not be read, and the progress bar, go to
stderr. Anything found, and any file that could not be read, makes the exit code 1.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from foldcover_harness.check.report import Checked
    from foldcover_harness.replay.sources import Sources

LONG_WORK: Final = 16 << 20
"""Bytes of transcripts from which on a progress bar is shown."""

EPILOG: Final = """\b
Examples:
  foldcover check session.jsonl            one file
  foldcover check ~/.claude/projects       a folder, searched through
  foldcover check *.jsonl                  ids that two files share, too
  foldcover check --json run.traj | jq '.transcripts[].findings'

\b
Exit codes: 0 nothing found; 1 something found, a file could not be read, or
there was none; 2 usage.
"""


@click.command(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(paths: tuple[Path, ...], as_json: bool) -> None:
    """Say what is wrong in transcripts, and which provider would refuse them.

    Looks for calls without results and results without calls, ids that occur twice, broken chains, broken
    lines, empty messages and roles out of order; and asks the rules of Anthropic Messages, OpenAI Chat
    Completions and OpenAI Responses which request would be the first to be refused, and why. Nothing is
    changed and nothing is sent.
    """
    from foldcover_harness.check.as_json import name, to_json
    from foldcover_harness.check.report import Checked
    from foldcover_harness.replay.cover import counted, plain
    from foldcover_harness.replay.sources import gather

    sources = gather(paths)
    checked = Checked(refused=list(sources.refused))
    _run(sources, checked)
    if sources.repeated:
        click.echo(f"foldcover: {counted(sources.repeated, 'path')} to a file already taken", err=True)
    for refusal in checked.refused:
        click.echo(f"foldcover: {plain(name(Path(refusal.path)))}: {plain(refusal.reason)}", err=True)
    if as_json:
        sys.stdout.buffer.write(to_json(checked))
        sys.stdout.flush()
    else:
        from foldcover_harness.check.view import show

        show(checked)
    if not checked.examined:
        click.echo("foldcover: nothing could be checked", err=True)
    if not checked.clean or not checked.examined:
        sys.exit(1)


def _run(sources: Sources, checked: Checked) -> None:
    from foldcover_harness.check.report import run
    from foldcover_harness.replay.report import no_collector

    size = sum(source.size for source in sources.files)
    with no_collector():
        if size < LONG_WORK or not sys.stderr.isatty():
            run(sources.files, checked)
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("checking"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("checking", total=size)
            run(sources.files, checked, lambda passed: bar.advance(task, passed))
