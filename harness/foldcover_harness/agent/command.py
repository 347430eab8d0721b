"""foldcover agent: a coding agent in the terminal whose prompt stays short.

Rule: with a prompt it does one turn and ends; without one it converses. stdout carries the model's words (with --json
one object), everything else goes to stderr. What is wrong before the first request is one line and exit code 2.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import click
from click.core import ParameterSource

from foldcover_harness.agent import folders
from foldcover_harness.agent.conversation import Room, converse, once
from foldcover_harness.agent.setup import Choices, opened
from foldcover_harness.agent.strategies import BadStrategy
from foldcover_harness.agent.terminal import Terminal
from foldcover_harness.models.choose import SILENCE
from foldcover_harness.models.model import ModelError
from foldcover_harness.models.retrying import Retries
from foldcover_harness.session import SessionError
from foldcover_harness.session.disk import reason
from foldcover_harness.session.journal import JournalError
from foldcover_harness.session.lines import printable
from foldcover_harness.session.lock import Locked
from foldcover_harness.session.wires.values import well_formed

EPILOG = """\b
Examples:
  foldcover agent --model anthropic:claude-sonnet-5
  foldcover agent --model openai:gpt-5 'Why does the login test fail?'
  foldcover agent --base-url http://localhost:11434/v1 --model qwen3
  foldcover agent --model local                   no account, no network
  foldcover agent --resume                        go on where you were
  git diff | foldcover agent --yes -              the prompt from stdin
\b
Models:
  anthropic:NAME    needs foldcover[anthropic] and ANTHROPIC_API_KEY
  openai:NAME       needs foldcover[openai]; any server of its kind with
                    --base-url (llama.cpp, Ollama, vLLM, OpenRouter)
  responses:NAME    the same over OpenAI's Responses
  local[:FILE]      needs foldcover[local]; FILE is a GGUF of your own
\b
Exit codes:
  0 done · 1 the turn did not come to its end · 2 usage, no model, no disk
  130 Ctrl-C
"""


@click.command(epilog=EPILOG)
@click.argument("prompt", nargs=-1)
@click.option("--model", envvar="FOLDCOVER_MODEL", show_envvar=True, metavar="NAME", help="See below.")
@click.option("--base-url", metavar="URL", help="The address of an OpenAI-compatible server, or of a proxy.")
@click.option("--dir", "folder", type=click.Path(path_type=Path, file_okay=False), help="The session's folder.")
@click.option("--resume", is_flag=True, help="Go on with the session of --dir, or with the last one begun here.")
@click.option("--yes", is_flag=True, help="Run every command without asking.")
@click.option(
    "--allow",
    "allowed",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder that may be read and changed beside the working folder.",
)
@click.option(
    "--window",
    type=click.IntRange(2_000),
    help="The model's window, in tokens. [default: 200000, or what a local model has]",
)
@click.option("--counsel", metavar="NAME", help="The stronger model that the strategy counsel asks.")
@click.option("--writer", metavar="NAME", help="A cheap model that writes merged lines; without one no model does.")
@click.option(
    "--strategies",
    "own",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder with strategies of your own (TOML).",
)
@click.option(
    "--retries", default=Retries().times, show_default=True, type=click.IntRange(0), help="Repetitions of a request."
)
@click.option(
    "--timeout", default=SILENCE, show_default=True, type=click.FloatRange(1), help="Seconds of a provider's silence."
)
@click.option("--quiet", is_flag=True, help="Show no tool calls and no thinking.")
@click.option("--json", "as_json", is_flag=True, help="One turn, and its answer with its figures as JSON.")
@click.pass_context
def agent(
    ctx: click.Context,
    prompt: tuple[str, ...],
    model: str | None,
    base_url: str | None,
    folder: Path | None,
    resume: bool,
    yes: bool,
    allowed: tuple[Path, ...],
    window: int | None,
    counsel: str | None,
    writer: str | None,
    own: Path | None,
    retries: int,
    timeout: float,
    quiet: bool,
    as_json: bool,
) -> None:
    """A coding agent whose prompt stays short: finished work becomes one line.

    It reads, searches and changes files of the working folder, and runs commands that you confirm.
    """
    # From a stdin that was closed before we began nothing comes.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    words = _words(prompt, as_json)
    if resume and ctx.get_parameter_source("model") is ParameterSource.ENVIRONMENT:
        model = None  # a session goes on with its own model, unless another one is named now
    with _clear():
        root = folders.here()
    chosen = Choices(
        root=root,
        folder=folder,
        resume=resume,
        model=model,
        base_url=base_url,
        yes=yes,
        asks=sys.stdin.isatty() and not as_json,
        allowed=allowed,
        window=window,
        counsel=counsel,
        writer=writer,
        strategies=own,
        retries=retries,
        timeout=timeout,
    )
    screen = Terminal(quiet or as_json, silent=as_json)
    with _clear(), opened(chosen, screen) as room:
        if words is None:
            click.echo(f"session {room.agent.session.folder}; /help lists what you can type", err=True)
            done = converse(room) or sys.stdin.isatty()
        else:
            done = once(room, words)
        if as_json:
            click.echo(json.dumps(well_formed(_figures(room, done)), ensure_ascii=False))
    ctx.exit(0 if done else 130 if screen.interrupted else 1)


def _words(prompt: tuple[str, ...], as_json: bool) -> str | None:
    """The prompt of a single turn; None for a conversation."""
    if not prompt and as_json:
        raise click.UsageError("--json is for one turn: give a prompt")
    if prompt == ("-",):
        try:
            words = sys.stdin.buffer.read().decode()
        except UnicodeDecodeError as error:
            raise click.UsageError(f"stdin is not UTF-8: {error.reason} at byte {error.start}") from error
    else:
        words = " ".join(prompt)
    if prompt and not words.strip():
        raise click.UsageError("the prompt is empty")
    return words if prompt else None


def _figures(room: Room, done: bool) -> dict[str, object]:
    session, spent = room.agent.session, room.screen.spent
    return {
        "done": done,
        "answer": room.screen.text,
        "said": room.screen.lines,
        "folder": str(session.folder),
        "requests": spent.requests,
        "usage": spent.usage._asdict() if spent.usage else None,
        "prompt": session.load()._asdict(),
        "units": len(session.state.units),
        "cover": session.cover(),
    }


class Unfit(click.ClickException):
    """What is wrong before the first request, or with the disk."""

    exit_code = 2


@contextmanager
def _clear() -> Generator[None]:
    """Say what goes wrong in one line."""
    try:
        yield
    except (SessionError, JournalError, Locked, ModelError, BadStrategy) as error:
        raise Unfit(printable(str(error))) from error
    except OSError as error:
        raise Unfit(printable(f"{reason(error)}; what was noted is kept")) from error
