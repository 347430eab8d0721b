"""The conversation in the terminal: what the user types, turn by turn.

Rule: a line is the user's message; one that begins with a slash is for the host and never reaches the model. A wrong
one is answered with one line. Ctrl-C empties the line or stops the turn, Ctrl-D ends the conversation; either way the
session is on the disk.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

import click

from foldcover import Block
from foldcover_harness.agent.interrupts import Interrupts
from foldcover_harness.agent.loop import Agent
from foldcover_harness.agent.status import status
from foldcover_harness.agent.strategies import Strategies
from foldcover_harness.agent.subagents import Children
from foldcover_harness.agent.terminal import Terminal, ask, fitting
from foldcover_harness.session import SessionError
from foldcover_harness.session.lines import counted, printable

HELP = """\
  /strategy [NAME TASK]     enter a strategy; without a name, the names there are
  /back                     leave it: its branch folds away, the report stays
  /fold FROM TO [TITLE]     fold turns
  /card                     the turns that could be folded, as the model sees them
  /compact                  put a summary in the place of all open turns
  /cover                    the list of titles
  /zoom FROM TO             the titles of a range of units
  /search TEXT              find a literal text in what was folded
  /status                   what the requests came to so far
  /help                     this
  /quit                     end (so does Ctrl-D)
A line that ends with a backslash goes on in the next. Ctrl-C stops a turn.
"""


class Wrong(Exception):
    """What the user typed cannot be done, and why in one line."""


class Room(NamedTuple):
    """What a conversation needs."""

    agent: Agent
    strategies: Strategies
    children: Children
    screen: Terminal
    interrupts: Interrupts


def converse(room: Room) -> bool:
    """Talk until the user has had enough; whether every turn came to its end."""
    done = True
    with contextlib.suppress(ImportError):
        # From then on `input` has line editing and history, and takes what is pasted as one message.
        import_module("readline").parse_and_bind("set enable-bracketed-paste on")
    while (words := _typed(room)) is not None:
        if words.split()[:1] == ["/quit"]:
            break
        try:
            if words.startswith("/"):
                _host(room, words)
            elif words.strip():
                done &= _turn(room, words)
        except (Wrong, SessionError) as error:
            room.screen.said(str(error))
    return done


def _turn(room: Room, words: str) -> bool:
    try:
        return room.agent.turn(words)
    except SessionError as error:
        room.screen.said(str(error))
        return False


def once(room: Room, words: str) -> bool:
    """One turn, and what its subagents bring; whether all came to an end."""
    done = _turn(room, words)
    while done:
        try:
            with room.interrupts:
                if not room.children.wait():
                    break
        except KeyboardInterrupt:
            room.screen.stopped()
            return False
        done = arrived(room)
    return done


def arrived(room: Room) -> bool:
    """Let the model see what subagents have brought; whether it came to an end with that."""
    return not room.agent.deliver() or room.agent.work()


def _typed(room: Room) -> str | None:
    """What the user types next; None at the end."""
    arrived(room)
    lines: list[str] = []
    while True:
        try:
            with room.interrupts:
                if not lines and sys.stdin.isatty():
                    click.secho(fitting(f"[{_status(room)}]"), dim=True, err=True)
                lines.append(_line("… " if lines else "> "))
        except KeyboardInterrupt:
            click.echo(err=True)
            lines = []
            continue
        except EOFError:
            return "\n".join(lines) if lines else None
        except UnicodeDecodeError:
            room.screen.said("what was typed is not UTF-8; nothing was sent")
            lines = []
            continue
        if not lines[-1].endswith("\\"):
            return "\n".join(lines)
        lines[-1] = lines[-1][:-1]


def _line(prompt: str) -> str:
    """A line from the terminal; or from a pipe, where one that is not UTF-8 leaves the others alone."""
    if sys.stdin.isatty():
        return ask(prompt)
    line = sys.stdin.buffer.readline()
    if not line:
        raise EOFError
    return line.decode().rstrip("\r\n")


def _status(room: Room) -> str:
    return status(room.agent.session, room.screen.last, room.strategies.labels, room.children.running())


def _host(room: Room, line: str) -> None:
    """Do what a line with a slash asks for."""
    name, _, rest = line.partition(" ")
    command = COMMANDS.get(name)
    if command is None:
        raise Wrong(f"there is no {name}; /help lists what there is")
    command(room, rest.strip())


def _strategy(room: Room, rest: str) -> None:
    name, _, task = rest.partition(" ")
    if not name:
        _show(room.strategies.menu)
        return
    refused = room.strategies.enter(name, task.strip())
    if refused is not None:
        raise Wrong(refused)
    if task.strip():
        room.agent.work()


def _back(room: Room, _: str) -> None:
    room.screen.said(room.strategies.back())
    room.agent.report()


def _fold(room: Room, rest: str) -> None:
    *numbers, title = (*rest.split(maxsplit=2), "", "", "")[:3]
    first, last = _two(numbers, "/fold takes the numbers of two turns, and a title if you like")
    room.agent.session.fold(first, last, title.strip() or None)
    room.agent.report()


def _zoom(room: Room, rest: str) -> None:
    first, last = _two(rest.split(), "/zoom takes the numbers of two units")
    titles = room.agent.session.zoom(Block(first, last - first + 1))
    if not titles:
        raise Wrong(f"there are no units {first} to {last}")
    _show("\n".join(f"{number}: {title}" for number, title in enumerate(titles, first)))


def _two(words: Sequence[str], usage: str) -> tuple[int, int]:
    """Two numbers; Wrong, with what would be right, for anything else."""
    if len(words) != 2 or not all(each.isdecimal() and len(each) < 10 for each in words):
        raise Wrong(usage)
    return int(words[0]), int(words[1])


def _search(room: Room, rest: str) -> None:
    if not rest:
        raise Wrong("/search takes the text to find")
    found = room.agent.session.search(rest)
    _show("\n".join(f"{hit.path}:{hit.line}: {hit.text}" for hit in found.hits) or "nothing was found")


def _spent(room: Room, _: str) -> None:
    spent = room.screen.spent
    _show(_status(room))
    _show(f"{counted(spent.requests, 'request')}: {spent.tokens}")
    _show(str(room.agent.session.folder))


def _show(text: str) -> None:
    click.echo(printable(text))


COMMANDS: dict[str, Callable[[Room, str], None]] = {
    "/strategy": _strategy,
    "/back": _back,
    "/fold": _fold,
    "/card": lambda room, _: _show(room.agent.session.card(due=False) or "no turn can be folded"),
    "/compact": lambda room, _: room.agent.report(compact=True),
    "/cover": lambda room, _: _show("\n".join(room.agent.session.cover()) or "nothing is folded yet"),
    "/zoom": _zoom,
    "/search": _search,
    "/status": _spent,
    "/help": lambda room, _: _show(HELP),
}
