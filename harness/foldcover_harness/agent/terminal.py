"""What the user sees of an agent at work.

Rule: the model's words go to stdout, everything of the host's to stderr, so that a pipe gets the answer alone. What
came from a model or a tool can move no cursor and change no colour. A tool call is one line; so is a fold.
"""

from __future__ import annotations

import shutil
import sys
from typing import Literal

import click
from rich.cells import cell_len, set_cell_size

from foldcover_harness.agent.spent import Spent
from foldcover_harness.agent.tools import Result
from foldcover_harness.agent.tools.tool import Unable
from foldcover_harness.cli import let_go_of_stdout
from foldcover_harness.models.model import Usage
from foldcover_harness.session.lines import ELLIPSIS, one_line, printable
from foldcover_harness.session.wires.values import compact, is_object
from foldcover_harness.session.wires.wire import Call

TELLING = ("command", "path", "file_path", "pattern", "name", "title", "text", "brief", "reason")
"""Arguments that say what a call is about, the most telling first."""


class Terminal:
    """A `Screen` on the standard streams. `quiet` shows no calls and no thinking, `silent` nothing at all."""

    def __init__(self, quiet: bool = False, silent: bool = False) -> None:
        self.spent = Spent()
        self.last: Usage | None = None
        self.text = ""
        """The words of the model's last answer."""
        self.lines: list[str] = []
        """What the host said."""
        self.interrupted = False
        self._quiet, self._silent, self._kind = quiet, silent, ""
        self._fresh = True

    def piece(self, kind: Literal["text", "thinking", "again"], text: str) -> None:
        """Show a piece of an answer."""
        if self._fresh or kind == "again":
            self._fresh, self.text = False, ""
        if kind == "again":
            self.said(text)
        elif kind == "text":
            self.text += text
            self._show("text", text)
        elif not self._quiet:
            self._show("thinking", text)

    def called(self, call: Call, result: Result) -> None:
        """Show a call as one line, with the beginning of what came of it."""
        self._end_line()
        if not self._quiet:
            outcome = "✗ " if result.failed else ""
            shown = f"  {one_line(call.name, 60)} {about(call)}  {outcome}{one_line(result.text, 200)}"
            click.secho(fitting(shown), dim=True, fg="red" if result.failed else None, err=True)

    def answered(self, usage: Usage | None) -> None:
        """Count an answer."""
        self._end_line()
        if self._fresh:
            self.text = ""  # no piece of it came: it has no words
        self._fresh = True
        self.last, self.spent = usage, self.spent.plus(usage)

    def said(self, line: str) -> None:
        """Show a line of the host."""
        self._end_line()
        self.lines.append(line)
        if not self._silent:
            click.secho(f"  {printable(line)}", fg="yellow", err=True)

    def stopped(self) -> None:
        """Show that the user stopped the turn."""
        self.interrupted = True
        self.said("interrupted; the session is kept")

    def _show(self, kind: str, text: str) -> None:
        if self._silent:
            return
        if self._kind != kind:
            self._end_line()
            self._kind = kind
        self._print(text)

    def _end_line(self) -> None:
        if self._kind:
            self._print("\n")
            self._kind = ""

    def _print(self, text: str) -> None:
        thinking = self._kind == "thinking"
        try:
            click.secho(printable(text), dim=True if thinking else None, nl=False, err=thinking)
        except BrokenPipeError:  # whoever reads went away: the turn goes on, to be found in the session
            let_go_of_stdout()


class Confirm:
    """Asks the user before a command runs: yes, no, or yes to all from here on. `asks`: whether somebody is there."""

    def __init__(self, yes: bool, asks: bool) -> None:
        self._yes, self._asks = yes, asks

    def __call__(self, question: str) -> bool:
        """Whether the user agrees."""
        if self._yes:
            return True
        if not self._asks:
            raise Unable("nobody is there to confirm a command; --yes runs them unasked")
        click.secho(f"  {printable(question)}", fg="cyan", err=True)
        try:
            answer = ask("  run it? [y]es, [n]o, [a]ll: ").strip().lower()
        except EOFError:
            click.echo(err=True)
            return False
        except KeyboardInterrupt:
            click.echo(err=True)
            raise
        self._yes = answer in ("a", "all")
        return self._yes or answer in ("y", "yes")


def ask(prompt: str) -> str:
    """What the user types; where stdout is no terminal, the prompt goes beside it. EOFError, KeyboardInterrupt."""
    if sys.stdout.isatty():
        return input(prompt)
    click.echo(prompt, nl=False, err=True)
    return input()


def about(call: Call) -> str:
    """What a call is about, in a few words."""
    given = call.input
    if not is_object(given):
        return one_line(str(given), 60)
    telling = next((given[name] for name in TELLING if isinstance(given.get(name), str)), None)
    return one_line(compact(given) if telling is None else telling, 60)


def fitting(line: str) -> str:
    """The line, cut where it is wider than the terminal: by columns, of which some characters take two."""
    most = max(width() - 1, 20)
    return line if cell_len(line) <= most else f"{set_cell_size(line, most - 1).rstrip()}{ELLIPSIS}"


def width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns
