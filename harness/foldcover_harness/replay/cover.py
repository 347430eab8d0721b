"""The cover as it stands at the end of a transcript, with texts that need no model.

Rule: a unit's title is the user's first words, the first sentence of the closing message and the counts, on
one line of bounded width. A merged line says mechanically what it stands for: nothing in it is invented.
Texts come from strangers: control characters and escape sequences go, a lone surrogate is replaced, and a
text is cut between characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

import foldcover
from foldcover_harness.replay.covers import Covers
from foldcover_harness.transcripts.model import Turn

COLUMNS: Final = 100
"""Columns of the longest line."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?", re.DOTALL)
# Characters that are looked at one by one: all but plain ASCII and the white space that is split at.
_ODD = re.compile(r"[^ -~\n\t]")
_SHELL = re.compile(r"<bash-input>\s*(.*?)\s*(?:</bash-input>|$)", re.DOTALL)
# A number's dot ends no sentence, and "Done." alone says too little: what follows it is taken along.
_SENTENCE = re.compile(r"(.{14,}?(?<!\d)[.!?])(?:\s|$)|(.+)")
_MARKS = re.compile(r"[*_`#>|]{1,}(?=\S)|(?<=\S)[*_`|]+")
_JOINERS: Final = "\u200d\ufe0f\ufe0e"


class Shown(NamedTuple):
    """One line of the cover."""

    block: foldcover.Block
    turns: tuple[Turn, ...]

    def text(self, columns: int = COLUMNS) -> str:
        """What the line says, at most `columns` wide."""
        if len(self.turns) == 1:
            return title(self.turns[0], columns)
        return merged_line(self.turns, columns)

    @property
    def address(self) -> str:
        """The units it stands for, drawn as on the ruler."""
        start, stop = self.block.start, self.block.stop - 1
        return f"[{start}]" if start == stop else f"[{start}-{stop}]"


def final_cover(turns: list[Turn], closed: int, budget: int) -> tuple[Shown, ...]:
    """Return the cover after the first `closed` turns were closed one by one, settled by the core at
    `budget` tokens.
    """
    view = Covers.at(budget).view(closed)
    return tuple(Shown(block, tuple(turns[block.start : block.stop])) for block in foldcover.cover(view))


def merged_line(turns: Sequence[Turn], columns: int = COLUMNS) -> str:
    """Return the line of a block of turns: how many, how much was done, where it began and where it ended."""
    what = f"{len(turns):,} units, {counted(sum(turn.calls for turn in turns), 'tool call')}: "
    room = (columns - width(what) - 5) // 2
    return clip(
        f"{what}{clip(user_words(turns[0].words), room)} ... {clip(user_words(turns[-1].words), room)}",
        columns,
    )


def title(turn: Turn, columns: int = COLUMNS) -> str:
    """Return the title line of a turn: at most `columns` wide, never empty."""
    counts = f" ({counted(turn.calls, 'tool call')})" if turn.calls else ""
    closing = first_sentence(turn.closing)
    room = columns - width(counts)
    words = clip(user_words(turn.words), room * 9 // 20 if closing else room) or "(no words)"
    if closing:
        words = f"{words} -> {clip(closing, room - width(words) - 4)}"
    return f"{words}{counts}"


def user_words(text: str) -> str:
    """Return a user's message on one line; a shell line as the user typed it."""
    shell = _SHELL.match(text)
    return plain(f"! {shell[1]}" if shell else text)


def first_sentence(text: str) -> str:
    """Return the first sentence of a message on one line, without its Markdown marks."""
    found = _SENTENCE.match(plain(_MARKS.sub("", text)))
    return (found[1] or found[2]) if found else ""


def counted(number: int, what: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def plain(text: str) -> str:
    """Return `text` on one line, without control characters, invisible ones or escape sequences."""
    return " ".join(_ODD.sub(_plain_character, _ESCAPES.sub("", text)).split())


def _plain_character(match: re.Match[str]) -> str:
    character = match[0]
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    if category == "Cs":
        return "\ufffd"
    return "" if category == "Cf" and character not in _JOINERS else character


def width(text: str) -> int:
    """Return how many terminal columns `text` takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or character in _JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clip(text: str, columns: int) -> str:
    """Return `text`, cut between characters to at most `columns` with three dots where it was longer."""
    if width(text) <= columns:
        return text
    if columns < 4:
        return ""
    room = columns - 3
    if text.isascii():
        return text[:room].rstrip(" ") + "..."
    kept = 0
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip(_JOINERS + " ") + "..."
