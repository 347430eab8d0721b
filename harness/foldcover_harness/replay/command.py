"""`foldcover replay`: what is printed where, and with which exit code.

Rule: stdout carries the result and nothing else; notices and the progress bar go to stderr. A file that was
given by name and refused makes the exit code 1, as does having nothing to replay.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from foldcover_harness.replay.recording import Target
    from foldcover_harness.replay.report import Options, Replayed, Report
    from foldcover_harness.replay.sources import Refusal, Source, Sources

LONG_WORK: Final = 16 << 20
"""Bytes of transcripts from which on a progress bar is shown."""

EPILOG: Final = """\b
Examples:
  foldcover replay                         your own transcripts, or the sample
  foldcover replay session.jsonl           one file
  foldcover replay ~/.claude/projects      a folder, searched through
  foldcover replay --tokens bytes4 --json session.jsonl | jq .total
  foldcover replay --window 200000 --standing measured session.jsonl
  foldcover replay --schedules compaction,rule,trim session.jsonl
  foldcover replay --trace t.jsonl && foldcover laws --trace t.jsonl

\b
Exit codes: 0 replayed; 1 nothing could be replayed, or a file given by name
was refused; 2 usage.
"""


class _Names(click.ParamType[tuple[str, ...]]):
    """Names of schedules between commas, or "all"."""

    name = "NAMES"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        from foldcover_harness.replay.schedules import SCHEDULES

        if value == "all":
            return tuple(SCHEDULES)
        names = tuple(dict.fromkeys(name.strip() for name in str(value).split(",")))
        for name in names:
            if name not in SCHEDULES:
                self.fail(f"no schedule {name!r}: there are {', '.join(SCHEDULES)}, and 'all'", param, ctx)
        return names


class _Standing(click.ParamType[int | None]):
    """A number of tokens, or "measured" (None)."""

    name = "N|measured"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        if value is None or value == "measured":
            return None
        try:
            number = int(str(value))
        except ValueError:
            number = -1
        if not 0 <= number <= MOST:
            self.fail(f"{value!r} is neither a number of tokens nor 'measured'", param, ctx)
        return number


MOST: Final = 10**9
"""The largest window, or standing part, that is taken, in tokens."""


@click.command(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option(
    "--tokens",
    type=click.Choice(["calibrated", "bytes4"]),
    default="calibrated",
    show_default=True,
    help="How tokens are estimated: by the kind of text, or UTF-8 bytes / 4.",
)
@click.option(
    "--window",
    type=click.IntRange(1, MOST),
    default=100_000,
    show_default=True,
    help="The context window, in tokens.",
)
@click.option(
    "--standing",
    type=_Standing(),
    default="15000",
    show_default=True,
    help="Tokens of system prompt and tools, or 'measured': from the first reported usage.",
)
@click.option(
    "--boundaries",
    type=click.Choice(["turn"]),
    default="turn",
    show_default=True,
    help="When a unit closes: 'turn', at the next message of the user.",
)
@click.option(
    "--schedules",
    "names",
    type=_Names(),
    help="The schedules to price, with commas between them, or 'all' (unless said: all but half and sliding).",
)
@click.option(
    "--cover",
    type=click.Choice(["short", "all"]),
    default="short",
    show_default=True,
    help="Show the last lines of each cover, or all of them.",
)
@click.option(
    "--trace",
    metavar="FILE",
    help="Record the cover's operations under 'rule', a life a transcript, for 'foldcover laws --trace' "
    "(.gz is packed; - is stdout, and the table goes to stderr).",
)
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def replay(
    paths: tuple[Path, ...],
    tokens: str,
    window: int,
    standing: int | None,
    boundaries: str,
    names: tuple[str, ...] | None,
    cover: str,
    trace: str | None,
    as_json: bool,
) -> None:
    """Price recorded sessions under many ways of keeping the prompt short.

    Reads Claude Code transcripts and Codex CLI rollouts: files, or folders that are searched through. With no
    PATH it looks in ~/.claude/projects and ~/.codex/sessions; where there are none it uses a sample.
    No model is called and nothing is changed.
    """
    from foldcover_harness.replay import report as reports
    from foldcover_harness.replay.schedules import DEFAULT
    from foldcover_harness.replay.tokens import ESTIMATORS

    options = reports.Options(ESTIMATORS[tokens], window, standing, boundaries, names or DEFAULT)
    report = reports.Report(options)
    sources = _sources(paths, report)
    place = None if trace is None else _target(trace, sources, as_json)
    _run(sources, options, report)
    if not paths and not report.replayed:
        _use_sample(report)
        _run(_sample(), options, report)
    if place is not None and report.replayed:
        _record(report, place)
    if report.replayed or as_json:
        with redirect_stdout(sys.stderr) if place is not None and place.is_stdout else nullcontext():
            _print(report, as_json, cover == "all")
    named = any(refusal.named for refusal in report.refused)
    if not report.replayed:
        _notice("nothing could be replayed")
    if named or not report.replayed:
        sys.exit(1)


def _target(name: str, sources: Sources, as_json: bool) -> Target:
    """Where the trace goes, looked at before anything is read."""
    from foldcover_harness.replay.recording import Unwritable, target
    from foldcover_harness.replay.sources import SAMPLE

    try:
        place = target(name, [*(source.path for source in sources.files), SAMPLE])
    except Unwritable as error:
        raise click.UsageError(f"--trace {name or repr(name)}: {error}") from error
    if place.is_stdout and as_json:
        raise click.UsageError(f"--trace {name} and --json would both go to stdout")
    return place


def _record(report: Report, place: Target) -> None:
    from foldcover_harness.replay.covers import record
    from foldcover_harness.replay.recording import opened
    from foldcover_harness.trace import Recorder

    try:
        with opened(place) as file:
            recorder = Recorder(file)
            for one in report.replayed:
                record(recorder, one.units, one.budget)
    except BrokenPipeError:
        raise  # a reader of stdout that went away
    except OSError as error:
        raise click.UsageError(f"--trace {place.path or '-'}: {error.strerror or error}") from error


def _sources(paths: tuple[Path, ...], report: Report) -> Sources:
    from foldcover_harness.replay.sources import at_home, gather

    sources = gather(paths) if paths else at_home()
    if sources.repeated:
        from foldcover_harness.replay.cover import counted

        _note(report, f"{counted(sources.repeated, 'path')} to a file already taken")
    return sources


def _sample() -> Sources:
    from foldcover_harness.replay.sources import SAMPLE, gather

    return gather([SAMPLE])


def _use_sample(report: Report) -> None:
    what = "could be replayed" if report.refused else "found"
    _note(
        report,
        f"no transcripts {what} in ~/.claude/projects or ~/.codex/sessions; using the sample that ships with foldcover",
    )


def _note(report: Report, text: str) -> None:
    report.notes.append(text)
    _notice(text)


def _notice(text: str) -> None:
    from foldcover_harness.replay.cover import plain

    click.echo(f"foldcover: {plain(text)}", err=True)


def _run(sources: Sources, options: Options, report: Report) -> None:
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
            _notice(f"{name(source.path)}: {kind}: counted, and read on")


def _refuse(refusal: Refusal) -> None:
    from foldcover_harness.replay.as_json import name

    _notice(f"{name(refusal.path)}: {refusal.reason}")


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


def _print(report: Report, as_json: bool, whole_cover: bool) -> None:
    if as_json:
        from foldcover_harness.replay.as_json import to_json

        sys.stdout.buffer.write(to_json(report))
        sys.stdout.flush()
        return
    from foldcover_harness.replay.view import show

    show(report, whole_cover)
