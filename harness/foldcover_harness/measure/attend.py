"""`foldcover measure attention`: what a long cover in front costs a model's answers about the work in progress.

Rule: Ctrl-C prints what was measured and says that it is a part. Where nothing was answered there is no result.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from foldcover_harness.measure import edges

if TYPE_CHECKING:
    from foldcover_harness.measure.attention import Covers, Result, Trial
    from foldcover_harness.measure.history import History
    from foldcover_harness.models.model import Model

EPILOG: Final = """\b
Examples:
  foldcover measure attention --model local --answer-tokens 64
  foldcover measure attention --model anthropic:claude-haiku-4-5 runs/
  foldcover measure attention --model openai:gpt-5-mini --questions 100 runs/
  foldcover measure attention --model qwen3 \\
      --base-url http://localhost:11434/v1 --json runs/ | jq .rows

\b
Exit codes: 0 measured; 1 nothing was answered, it was given up, or a file
given by name was refused; 2 usage; 130 interrupted.
"""


class _Sizes(click.ParamType[tuple[int, ...]]):
    """Numbers of tokens between commas."""

    name = "TOKENS"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """The numbers, the smallest first, each once."""
        words = [word.strip() for word in str(value).split(",")]
        if not all(word.isdecimal() and len(word) < 10 for word in words):
            self.fail(f"numbers of tokens between commas, not {value!r}", param, ctx)
        return tuple(sorted({int(word) for word in words}))


@click.command(epilog=EPILOG, short_help="What a long cover costs in attention.")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option(
    "--model",
    "name",
    required=True,
    metavar="NAME",
    help="Who is asked: local, local:FILE.gguf, anthropic:NAME, openai:NAME, responses:NAME, or any NAME with "
    "--base-url.",
)
@click.option("--base-url", metavar="URL", help="Where it is asked, instead of its provider.")
@click.option(
    "--sizes",
    type=_Sizes(),
    help="Tokens of the covers, about.  [default: 0,1000,4000,10000,23000, as far as the transcripts go]",
)
@click.option(
    "--questions",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    metavar="N",
    help="Questions; each is asked once a size.",
)
@click.option(
    "--answer-tokens",
    "most",
    type=click.IntRange(1, 100_000),
    default=1_024,
    show_default=True,
    metavar="N",
    help="Tokens that an answer may have; a model that thinks first needs many.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, help="What all draws go by.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as JSON (see spec/attention.md).")
def attention(
    paths: tuple[Path, ...],
    name: str,
    base_url: str | None,
    sizes: tuple[int, ...] | None,
    questions: int,
    most: int,
    seed: int,
    as_json: bool,
) -> None:
    """Ask a model about the work in progress, with covers of several sizes in front.

    The covers are made of the titles of recorded sessions (files, or folders that are searched through; without any
    those of Claude Code and Codex here, or else a sample that comes with foldcover). The work is made up, holds one
    fact, and is the same for every size. Sends the model --questions requests a size.
    """
    from foldcover_harness.models.choose import choose, kind_of
    from foldcover_harness.models.model import ModelError

    if base_url is not None and kind_of(name) == "local":
        raise click.UsageError(f"{name} runs here, and --base-url is the address of a server: leave one of them out")
    try:
        model = choose(name, base_url=base_url)
    except ModelError as error:
        raise click.UsageError(str(error)) from error
    history, refused = _history(paths)
    if not history.units:
        edges.notice("nothing to make covers of")
        sys.exit(1)
    covers = _covers(history)
    chosen = _chosen(sizes, covers.most)
    result, code = _measured(model, history, covers, chosen, questions, most, seed)
    if not any(row.answered for row in result.rows):
        why = "".join(f"; {count:,} times: {why}" for why, count in result.failures.items())
        edges.notice(f"nothing measured: {name} answered nothing{why}")
        sys.exit(code or 1)
    _show(result, as_json)
    sys.exit(code or int(refused))


def _history(paths: tuple[Path, ...]) -> tuple[History, bool]:
    from foldcover_harness.replay.sources import SAMPLE

    history, refused = edges.read(paths)
    if not paths and not history.units:
        edges.notice("no transcripts of Claude Code or Codex here: covers are made of the sample session")
        history, _ = edges.read((SAMPLE,))
    return history, refused


def _covers(history: History) -> Covers:
    from foldcover_harness.measure.attention import Covers
    from foldcover_harness.measure.lines import title

    return Covers([title(unit) for unit in history.units])


def _chosen(sizes: tuple[int, ...] | None, most: int) -> tuple[int, ...]:
    """The sizes asked for, or those of the usual ones that there are titles for."""
    from foldcover_harness.measure.attention import SIZES

    if sizes is None:
        if SIZES[-1] <= most:
            return SIZES
        edges.notice(f"the titles make a cover of {most:,} tokens at most: that takes the place of larger sizes")
        return (*(size for size in SIZES if size < most), most)
    if sizes[-1] > most:
        raise click.UsageError(f"--sizes {sizes[-1]}: the titles of these transcripts make {most:,} tokens at most")
    return sizes


def _measured(
    model: Model, history: History, covers: Covers, sizes: tuple[int, ...], questions: int, most: int, seed: int
) -> tuple[Result, int]:
    """What was measured, and the exit code that says whether it is all."""
    from foldcover_harness.measure.attention import Result, failures, rows, trials

    done: list[Trial] = []
    code = 0
    asked: Iterator[Trial] = trials(model, covers, sizes, questions, most, seed)
    total_trials = len(sizes) * questions
    with edges.progress() as (tick, total):
        total(total_trials)
        try:
            for trial in asked:
                done.append(trial)
                tick()
        except KeyboardInterrupt:
            code = 130
    partial = len(done) < total_trials
    if partial:
        how = "interrupted" if code else "given up, for nothing was answered any more"
        edges.notice(f"{how}: {len(done):,} of {total_trials:,} requests")
    settings: dict[str, str | int | list[int]] = {
        "model": model.name,
        "sizes": list(sizes),
        "questions": questions,
        "answer_tokens": most,
        "seed": seed,
    }
    transcripts = len({unit.transcript for unit in history.units})
    found = Result(settings, len(history.units), transcripts, partial, rows(done), failures(done))
    return found, code or int(partial)


def _show(result: Result, as_json: bool) -> None:
    if as_json:
        edges.show_json(result)
        return
    for line in table(result):
        click.echo(line)


def table(result: Result) -> Iterator[str]:
    """The report, in 80 columns."""
    from foldcover_harness.measure.table import between, percent
    from foldcover_harness.replay.cover import clip

    chosen = result.settings
    yield f"model {clip(str(chosen['model']), 70)}"
    yield f"{chosen['questions']:,} questions a size, seed {chosen['seed']}; covers of {result.units:,} titles of"
    yield f"{result.transcripts:,} transcripts{'; PARTIAL: it ended before all was asked' if result.partial else ''}"
    yield ""
    yield "    size   cover    prompt  right/answered     %     95 %   lost  won  failed"
    for row in result.rows:
        counted = f"{'' if row.reported else '~'}{_whole(row.prompt)}"
        yield (
            f"{row.size:>8,}{_whole(row.cover):>8}{counted:>10}{f'{row.right:,}/{row.answered:,}':>16}"
            f"{percent(row.rate):>6}{between(row.rate):>9}{row.lost:>7,}{row.won:>5,}{row.failed:>8,}"
        )
    yield ""
    yield "tokens are means, ~ estimated; lost, won: right with the smallest cover and"
    yield "wrong with this one, and vice versa, question by question"
    for why, count in result.failures.items():
        yield f"failed {count:,} times: {clip(why, 60)}"


def _whole(mean: float | None) -> str:
    return "-" if mean is None else f"{mean:,.0f}"
