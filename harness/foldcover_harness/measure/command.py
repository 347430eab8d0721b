"""`foldcover measure`: measurements on recorded sessions.

Rule: stdout carries the result and nothing else; notices and progress go to stderr. An error is one line.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from foldcover_harness.measure import SECTIONS, edges
from foldcover_harness.measure.attend import attention
from foldcover_harness.measure.reopen import reopen

if TYPE_CHECKING:
    from foldcover_harness.measure.figures import Result

EPILOG: Final = """\b
Examples:
  foldcover measure found-rate                     your own transcripts
  foldcover measure found-rate --held-out 0.5 runs/
  foldcover measure found-rate --writer titles --against none a.jsonl
  foldcover measure found-rate --bytes 240 --only sizes,budgets runs/
  foldcover measure found-rate --reader command:./pick --questions 50 \\
      --only sizes runs/
  foldcover measure found-rate --writer model:local --questions 20 \\
      --only sizes runs/
  foldcover measure found-rate --json runs/ | jq '.sizes[4].uniform'

\b
Exit codes: 0 measured; 1 nothing to measure, or a file given by name was
refused; 2 usage.
"""


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def measure() -> None:
    """Measure what a cover costs: what is still found, what it distracts from, what was needed again.

    \b
    Examples:
      foldcover measure found-rate                 your own transcripts
      foldcover measure attention --model local    a model behind long covers
      foldcover measure reopen sessions/           what was folded and needed
      foldcover measure found-rate --help          what it can do
    """


measure.add_command(attention)
measure.add_command(reopen)


class _Sections(click.ParamType[tuple[str, ...]]):
    """Names of sections between commas."""

    name = "NAMES"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """The names, in the order of the report."""
        names = {name.strip() for name in str(value).split(",")}
        for name in sorted(names - {*SECTIONS}):
            self.fail(f"no section {name!r}: there are {', '.join(SECTIONS)}", param, ctx)
        return tuple(name for name in SECTIONS if name in names)


@measure.command("found-rate", epilog=EPILOG, short_help="How often a reader of the cover finds the right line.")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option(
    "--writer",
    "recipe",
    default="index",
    show_default=True,
    metavar="NAME",
    help="Who writes the lines: titles, keywords, index, command:CMD, or a model: model:NAME (an index), summary:NAME "
    "(a paraphrase).",
)
@click.option(
    "--against",
    default="keywords",
    show_default=True,
    metavar="NAME",
    help="A writer to compare with, or none.",
)
@click.option("--tokens", type=click.IntRange(1, 4000), help="Tokens a line may have, about.  [default: 60]")
@click.option("--bytes", "most_bytes", type=click.IntRange(1, 16000), help="UTF-8 bytes a line may have, instead.")
@click.option(
    "--reader",
    default="bm25",
    show_default=True,
    metavar="NAME",
    help="Who picks a line: bm25, command:CMD (JSON on stdin; answers a line's number), or model:NAME.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0, 3600, min_open=True),
    default=120,
    show_default=True,
    help="Seconds that a command has for one answer.",
)
@click.option("--base-url", metavar="URL", help="Where models are asked, instead of their provider.")
@click.option("--questions", type=click.IntRange(1), metavar="N", help="Ask at most N questions, drawn by the seed.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="What all draws go by.")
@click.option(
    "--held-out",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Ask only in this share of the transcripts, drawn by the seed.",
)
@click.option("--others", is_flag=True, help="Ask in those that --held-out leaves: to choose constants on.")
@click.option("--only", "sections", type=_Sections(), help=f"Parts of the report: {','.join(SECTIONS)}.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON (see spec/found-rate.md).")
def found_rate(
    paths: tuple[Path, ...],
    recipe: str,
    against: str,
    tokens: int | None,
    most_bytes: int | None,
    reader: str,
    timeout: float,
    base_url: str | None,
    questions: int | None,
    seed: int,
    held_out: float | None,
    others: bool,
    sections: tuple[str, ...] | None,
    as_json: bool,
) -> None:
    """Measure how often a reader who sees only the cover opens the right line.

    Takes sentences out of the units of recorded sessions (files, or folders that are searched through), writes the
    lines of all aligned blocks without them, and asks for the sentences. No model is called unless --writer or --reader
    names one or a command that calls one; nothing is changed. Models: local, local:FILE.gguf, anthropic:NAME,
    openai:NAME, responses:NAME, or any NAME with --base-url.
    """
    from foldcover_harness.measure import options
    from foldcover_harness.measure.lines import Bound

    try:
        options.need()
    except options.Missing as error:
        raise click.UsageError(f"measure {error}") from error
    if tokens is not None and most_bytes is not None:
        raise click.UsageError("--tokens and --bytes exclude each other")
    if others and held_out is None:
        raise click.UsageError("--others needs --held-out")
    bound = Bound(tokens or 60) if most_bytes is None else Bound(most_bytes, "bytes")
    chosen = options.Settings(
        recipe, against, bound, reader, seed, timeout, questions, held_out, others, sections or SECTIONS, base_url
    )
    try:
        options.check(chosen)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    history, named = edges.read(paths)
    result = None
    if history.units:
        with edges.progress() as (tick, total):
            result = options.measure(history, chosen, tick, total)
    if result is None or not sum(result.questions.values()):
        edges.notice(
            "nothing to measure" if result is None else "nothing to measure: no unit has a sentence to ask for"
        )
        sys.exit(1)
    _show(result, as_json)
    if named:
        sys.exit(1)


def _show(result: Result, as_json: bool) -> None:
    from foldcover_harness.measure import table

    if as_json:
        edges.show_json(result)
        return
    for line in table.lines(result):
        click.echo(line)
