"""Whatever writes the line of a merged block.

Rule: a writer sees the block's inputs and nothing else (the units' titles, or above `R` units the lines of the two
halves), and answers one line or None. `write_line` is how a writer is asked: it never raises, makes the answer one
line, cuts it to the weight of the pair that it replaces, and says why where there is none. A missing line is no
error: the pair stays as it is, and is asked for again at the next close.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Final, NamedTuple, Protocol, runtime_checkable

import foldcover as fc
from foldcover_harness.session.index_line import MOST_TOKENS, Rarity, index_line
from foldcover_harness.session.lines import ELLIPSIS, cut, one_line
from foldcover_harness.session.program import Failed, ask
from foldcover_harness.session.terms import Terms

R: Final = 16
"""Up to so many units a writer sees their titles; above, the lines of the two halves."""
MOST_CHARACTERS: Final = 4_000
"""Characters of the longest line."""
TIMEOUT: Final = 120.0
"""Seconds that a program has for one line unless told otherwise."""


class Inputs(NamedTuple):
    """What a writer may see. `most` is what the line may weigh, in the unit of the cover's weights."""

    block: fc.Block
    lines: tuple[str, ...]
    """The titles of the block's units up to `R` units, the two halves' lines above that; oldest first."""
    terms: tuple[Terms, ...]
    """The terms of each input, or of each unit; oldest first."""
    rarity: Rarity
    most: int


class Written(NamedTuple):
    """A writer's answer. `line` is None where there is none, and `why` then says why in a few words."""

    line: str | None
    why: str = ""
    cut: bool = False
    """Whether the line was cut to its bound."""


Writer = Callable[[Inputs], str | None]


@runtime_checkable
class Explains(Protocol):
    """A writer that can say why there is no line."""

    def explain(self, inputs: Inputs) -> Written:
        """The answer, not yet bounded."""
        ...


def index(inputs: Inputs) -> str | None:
    """The default writer: the index line of the block's terms (index_line.py). No model."""
    return index_line(inputs.terms, inputs.rarity, min(MOST_TOKENS, inputs.most)) or None


class Command:
    """A program as a writer: the inputs on its standard input, one a line, oldest first; one line on its output.

    It finds the bound in the environment as FOLDCOVER_MOST. It is killed with its children after `timeout` seconds. A
    failure, an empty answer, several lines, or bytes that are not UTF-8 are no line.
    """

    def __init__(self, argv: Sequence[str], timeout: float = TIMEOUT, env: Mapping[str, str] | None = None) -> None:
        self.argv = tuple(argv)
        self.timeout = timeout
        self.env = env

    def __call__(self, inputs: Inputs) -> str | None:
        """The line, or None."""
        return self.explain(inputs).line

    def explain(self, inputs: Inputs) -> Written:
        """The line, or why there is none."""
        name = PurePath(self.argv[0]).name if self.argv else "no program"
        text = "".join(f"{one_line(line, MOST_CHARACTERS)}\n" for line in inputs.lines)
        env = {**(os.environ if self.env is None else self.env), "FOLDCOVER_MOST": str(inputs.most)}
        try:
            answer = ask(self.argv, text.encode("utf-8", "replace"), self.timeout, env)
        except Failed as failed:
            return Written(None, f"{name} {failed}")
        try:
            lines = [line for line in answer.decode("utf-8").splitlines() if line.strip()]
        except UnicodeDecodeError:
            return Written(None, f"{name} answered bytes that are not UTF-8")
        if len(lines) != 1:
            return Written(None, f"{name} answered {len(lines)} lines instead of one")
        return Written(lines[0])


def command(argv: Sequence[str], timeout: float = TIMEOUT, env: Mapping[str, str] | None = None) -> Writer:
    """The writer that runs a program (see `Command`)."""
    return Command(argv, timeout, env)


class Either:
    """The first of two writers, and the second where the first has no line."""

    def __init__(self, first: Writer, second: Writer) -> None:
        self.first = first
        self.second = second

    def __call__(self, inputs: Inputs) -> str | None:
        """The line of one of them, or None."""
        return self.explain(inputs).line

    def explain(self, inputs: Inputs) -> Written:
        """A line, with the first one's reason where it is the second's; or both reasons."""
        first = _asked(self.first, inputs)
        if first.line is not None:
            return first
        second = _asked(self.second, inputs)
        return second._replace(why="; ".join(why for why in (first.why, second.why) if why))


def write_line(writer: Writer, inputs: Inputs, weigh: Callable[[str], int]) -> Written:
    """Ask a writer; its line is one line that weighs at most `inputs.most` by `weigh`. Never raises."""
    answer = _asked(writer, inputs)
    if answer.line is None:
        return answer
    line, shorter = bounded(answer.line, inputs.most, weigh)
    if not line:
        return Written(None, f"nothing of the line fits into a weight of {inputs.most}", shorter)
    return Written(line, answer.why, shorter)


def _asked(writer: Writer, inputs: Inputs) -> Written:
    """A writer's answer as one line; exceptions, wrong types and blank answers are none, with a reason."""
    try:
        answer = writer.explain(inputs) if isinstance(writer, Explains) else Written(writer(inputs))
    except Exception as error:  # whatever a caller's writer raises, the session goes on
        return Written(None, f"the writer raised {type(error).__name__}: {one_line(_message(error), 120)}")
    if answer.line is None:
        return answer if answer.why else answer._replace(why="the writer returned nothing")
    if not isinstance(answer.line, str):
        return Written(None, f"the writer returned {type(answer.line).__name__}, not text")
    line = one_line(answer.line, MOST_CHARACTERS)
    return answer._replace(line=line) if line else Written(None, "the writer returned an empty line")


def _message(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # an exception that cannot be shown
        return ""


def bounded(line: str, most: int, weigh: Callable[[str], int]) -> tuple[str, bool]:
    """The text as one line that weighs at most `most`, and whether it had to be cut. "" where not one character fits.

    The longest cut is found by halving, which supposes that a longer beginning weighs no less; where that fails the
    line is shorter than it could be, never heavier than it may be.
    """
    whole = one_line(line, MOST_CHARACTERS)
    if weigh(whole) <= most:
        return whole, one_line(line, MOST_CHARACTERS + 1) != whole
    fits, too_long = 0, len(whole)
    while too_long - fits > 1:
        half = (fits + too_long) // 2
        if weigh(cut(whole, half)) <= most:
            fits = half
        else:
            too_long = half
    shorter = cut(whole, fits) if fits > 1 else ""
    return ("", True) if shorter in ("", ELLIPSIS) else (shorter, True)
