"""`foldcover replay`: what is printed where, and with which exit code.

Rule: stdout carries the result and nothing else; notices and the progress bar go to stderr. A file that was
given by name and refused makes the exit code 1, as does having nothing to replay.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from foldcover_harness.replay.parameters import MOST, Address, Names, PlaceType, Standing

if TYPE_CHECKING:
    from foldcover_harness.replay.labels import Labels
    from foldcover_harness.replay.place import Url
    from foldcover_harness.replay.prices import Named
    from foldcover_harness.replay.schedules import Own

EPILOG: Final = """\b
Examples:
  foldcover replay                         your own transcripts, or the sample
  foldcover replay session.jsonl           one file
  foldcover replay ~/.claude/projects      a folder, searched through
  foldcover replay --tokens bytes4 --json session.jsonl | jq .total
  foldcover replay --window 200000 --standing measured session.jsonl
  foldcover replay --schedules compaction,rule,trim session.jsonl
  foldcover replay --prices claude-sonnet-5-5 --sweep
  foldcover replay --html report.html ~/.claude/projects
  foldcover replay --keep results s3://bucket/transcripts
  foldcover replay --dask tcp://scheduler:8786 s3://bucket/transcripts
  foldcover replay --schedule mypackage.halve:halve session.jsonl
  foldcover replay --trace t.jsonl && foldcover laws --trace t.jsonl

\b
Exit codes: 0 replayed; 1 nothing could be replayed, or a file given by name
was refused; 2 usage.
"""


@click.command(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=PlaceType())
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
    type=Standing(),
    default="15000",
    show_default=True,
    help="Tokens of system prompt and tools, or 'measured': from the first reported usage.",
)
@click.option(
    "--boundaries",
    type=click.Choice(["turn", "lexical", "labels", "model"]),
    default="turn",
    show_default=True,
    help="When a unit closes: at every turn, where the words shift, as --labels or --boundary-command say.",
)
@click.option(
    "--labels",
    "label_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Labelled boundaries, JSON lines or CSV: transcript, turn after which a unit closes.",
)
@click.option(
    "--boundary-command",
    "command",
    metavar="CMD",
    help="Gets two adjacent turns as JSON on stdin, answers 'same' or 'new' (for --boundaries model).",
)
@click.option(
    "--schedules",
    "names",
    type=Names(),
    help="The schedules to price, with commas between them, or 'all' (unless said: all but half and sliding).",
)
@click.option(
    "--schedule",
    "own",
    metavar="MODULE:NAME",
    multiple=True,
    help="Price a schedule of your own too: a Python function (see spec/replay.md). May be repeated.",
)
@click.option(
    "--prices",
    "model",
    metavar="MODEL",
    help="Show money too, by the list prices of MODEL (a wrong name tells which there are).",
)
@click.option(
    "--price-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Take prices from a TOML or JSON file (see spec/replay.md).",
)
@click.option("--sweep", is_flag=True, help="Show how the ratios change with window, titles, summaries and prices.")
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
@click.option(
    "--html",
    metavar="FILE",
    help="Write a report of one self-contained HTML file (needs the extra 'report'; .gz and - as for --trace).",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(1, 1024),
    help="Read in N processes (unless said: one a processor core where there is much to read, else one).",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    type=Address(),
    help="Read on the Dask cluster whose scheduler is at ADDRESS, tcp://host:port (needs the extra 'dask').",
)
@click.option(
    "--keep",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Keep each transcript's result in FOLDER: the next run with the same options goes on from there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON.")
def replay(
    paths: tuple[Path | Url, ...],
    tokens: str,
    window: int,
    standing: int | None,
    boundaries: str,
    label_file: Path | None,
    command: str | None,
    names: tuple[str, ...] | None,
    own: tuple[str, ...],
    model: str | None,
    price_file: Path | None,
    sweep: bool,
    cover: str,
    trace: str | None,
    html: str | None,
    jobs: int | None,
    dask: str | None,
    keep: Path | None,
    as_json: bool,
) -> None:
    """Price recorded sessions under many ways of keeping the prompt short.

    Reads the transcripts of many agents (spec/replay.md): files, or folders that are searched through, or URLs
    of either (s3://, gs://, file://). With no PATH it looks in ~/.claude/projects and ~/.codex/sessions; where
    there are none it uses a sample. Nothing is changed, and no model is called, but for what a --boundary-command
    calls.
    """
    from foldcover_harness.replay import feed, outputs, running
    from foldcover_harness.replay import report as reports
    from foldcover_harness.replay.schedules import DEFAULT, OwnScheduleError
    from foldcover_harness.replay.tokens import ESTIMATORS

    if jobs is not None and dask is not None:
        raise click.UsageError("--jobs and --dask exclude each other")
    functions = _own(own)
    options = reports.Options(
        ESTIMATORS[tokens],
        window,
        standing,
        boundaries,
        _command(boundaries, command),
        _labels(boundaries, label_file),
        (*(names or DEFAULT), *functions),
        functions,
        series=html is not None,
        price=_price(model, price_file),
        sweep=sweep,
    )
    report = reports.Report(options)
    sources = feed.sources(paths, report)
    places = outputs.places(trace, html, sources, as_json)
    try:
        running.start(sources, options, report, running.Running(jobs, dask, keep))
        if not paths and not report.replayed:
            feed.use_sample(report)
            running.start(feed.sample(), options, report)
    except OwnScheduleError as error:
        raise click.UsageError(f"--schedule: {error}") from error
    feed.tell_of_labels(report)
    if report.replayed:
        outputs.write(report, places)
    if report.replayed or as_json:
        outputs.show(report, as_json, cover == "all", places.take_stdout)
    named = any(refusal.named for refusal in report.refused)
    if not report.replayed:
        feed.notice("nothing could be replayed")
    if named or not report.replayed:
        sys.exit(1)


def _own(names: tuple[str, ...]) -> dict[str, Own]:
    from foldcover_harness.replay.schedules import OwnScheduleError
    from foldcover_harness.replay.schedules.own import load

    found: dict[str, Own] = {}
    for name in names:
        try:
            found[name] = load(name)
        except OwnScheduleError as error:
            raise click.UsageError(f"--schedule {name}: {error}") from error
    return found


def _price(model: str | None, file: Path | None) -> Named | None:
    from foldcover_harness.replay.prices import PriceError, find

    try:
        return find(model, file)
    except PriceError as error:
        raise click.UsageError(f"--price{'s' if file is None else '-file'}: {error}") from error


def _command(boundaries: str, command: str | None) -> str:
    from foldcover_harness.replay.boundaries import asked

    if (boundaries == "model") != (command is not None):
        raise click.UsageError("--boundaries model and --boundary-command belong together")
    if command is not None:
        try:
            asked(command)
        except ValueError as error:
            raise click.UsageError(f"--boundary-command {command!r}: {error}") from error
    return command or ""


def _labels(boundaries: str, file: Path | None) -> Labels | None:
    from foldcover_harness.replay.labels import LabelError, read

    if file is None:
        if boundaries == "labels":
            raise click.UsageError("--boundaries labels needs --labels FILE")
        return None
    try:
        return read(file)
    except LabelError as error:
        raise click.UsageError(f"--labels: {error}") from error
