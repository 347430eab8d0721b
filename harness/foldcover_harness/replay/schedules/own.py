"""A schedule of the user's own: a function that is shown each prompt and returns the one to send.

Rule: the function gets the prompt without its standing part, oldest first, as it returned it last time with what was
added since, and the window in tokens. Whatever it returns is sent, and stays. A piece that is the same object at the
same place as in the request before is shared with it, up to the first that is not. A piece that a model wrote says
with `reads` how much it read for it: that is paid once, as a request of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any, NamedTuple, cast

from foldcover_harness.replay.schedules.machine import Bill, Schedule, Setting
from foldcover_harness.replay.tape import Tape

Function = Callable[[list["Piece"], int], list["Piece"]]


class Piece(NamedTuple):
    """A part of a prompt: what it is (user, text, thinking, call, result, shell, request, or a word of your own), its
    tokens, the numbers of its message and of its unit. `reads` are the tokens that a model read to write it.
    """

    kind: str
    tokens: int
    message: int = -1
    unit: int = -1
    reads: int = 0


class OwnScheduleError(Exception):
    """A schedule of the user's own cannot be used; the message says why, on one line."""


class Own(NamedTuple):
    """The function under its name, MODULE:NAME."""

    name: str
    function: Function

    def __reduce__(self) -> tuple[Callable[[str], Own], tuple[str]]:
        """Go into another process by name: it loads the function itself."""
        return load, (self.name,)


def load(name: str) -> Own:
    """Import MODULE:NAME; the working folder is searched first. Raises OwnScheduleError."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise OwnScheduleError("write MODULE:NAME")
    sys.path.insert(0, "")
    try:
        with redirect_stdout(sys.stderr):
            found: Any = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # a stranger's module may fail in any way while it is imported
        raise OwnScheduleError(_line(error)) from error
    finally:
        sys.path.remove("")
    if not callable(found):
        raise OwnScheduleError(f"not a function but {type(found).__name__}")
    return Own(name, cast(Function, found))


def price(tape: Tape, own: Own, setting: Setting) -> Bill:
    """Return what the function comes to. Raises OwnScheduleError where it fails or returns what is no prompt."""
    machine = Schedule(setting, tape)
    before: list[Piece] = []
    prompt: list[Piece] = []
    for number, added in enumerate(_added(tape)):
        try:
            with redirect_stdout(sys.stderr):
                prompt = _checked(own.function([*prompt, *added], setting.window))
        except (Exception, SystemExit) as error:
            raise OwnScheduleError(f"at request {number}: {_line(error)}") from error
        _pay(machine, before, prompt, setting.standing)
        before = prompt
    return machine.bill()


def _pay(machine: Schedule, before: list[Piece], prompt: list[Piece], standing: int) -> None:
    known = set(map(id, before))
    for piece in prompt:
        if piece.reads and id(piece) not in known:
            machine.pay_aside(piece.reads)
            machine.compactions += 1
            machine.written += piece.tokens
    shared = standing
    for old, new in zip(before, prompt, strict=False):
        if old is not new:
            break
        shared += new.tokens
    machine.edit(shared)
    machine.pay(standing + sum(piece.tokens for piece in prompt))


def _added(tape: Tape) -> Iterator[list[Piece]]:
    """Yield what was added before each request."""
    start, unit = 0, 0
    borders = [*tape.borders, len(tape.items) + 1]
    added: list[Piece] = []
    for at in tape.asks:
        for item, weight in zip(tape.items[start:at], tape.weights[start:at], strict=True):
            unit += start >= borders[unit]
            added.append(Piece(item.kind.name.lower(), weight, item.message, unit))
            start += 1
        yield added
        added = [Piece("request", tape.flat, -1, unit)] if tape.flat else []


def _checked(found: object) -> list[Piece]:
    if not isinstance(found, list):
        raise TypeError(f"it returned {type(found).__name__}, not a list of pieces")
    pieces: list[Piece] = []
    for piece in cast(list[object], found):
        if not isinstance(piece, Piece):
            raise TypeError(f"{type(piece).__name__} in the list it returned, not a piece")
        if not all(type(tokens) is int and tokens >= 0 for tokens in (piece.tokens, piece.reads)):
            raise ValueError(f"tokens and reads are whole numbers, not below 0: {piece}")
        pieces.append(piece)
    return pieces


def _line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
