"""Text that becomes one line of the cover.

Rule: a line is one line. Control characters, escape sequences and whatever moves the cursor or the reading direction
go; runs of white space become one space; what is too long is cut between characters, never through one, and ends with
an ellipsis. Total on any text, lone surrogates included (they become U+FFFD).
"""

from __future__ import annotations

import re
import unicodedata

ELLIPSIS = "…"
ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?|\x9b[0-?]*[ -/]*[@-~]")
"""Escape sequences of terminals, whole or broken off."""
_DROPPED = ("Cc", "Cf", "Cs", "Co", "Cn")
_KEPT = {"\u200d", "\ufe0f"}
"""Joiners within emoji: without them one character becomes several."""
MOST_READ = 20_000
"""Characters of a text that are looked at: a line is never made of more."""


def one_line(text: str, most: int) -> str:
    """The text as one line of at most `most` characters (at least 1)."""
    plain = ESCAPES.sub(" ", text[:MOST_READ])
    kept = "".join(_plain(character) for character in plain)
    return cut(" ".join(kept.split()), most)


def _plain(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    if category in ("Cc", "Zl", "Zp"):
        return " "
    return "" if category in _DROPPED and character not in _KEPT else character


def printable(text: str) -> str:
    """A text as a terminal may have it: what it would obey, and what cannot be printed, is replaced."""
    return "".join(each if each.isprintable() or each in "\n\t\u200d" else "\ufffd" for each in text)


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it is not one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def cut(line: str, most: int) -> str:
    """The line, cut to `most` characters where it is longer: between characters, with an ellipsis at the end."""
    if len(line) <= most:
        return line
    end = max(most - 1, 0)
    while end > 0 and (unicodedata.combining(line[end]) or line[end] in _KEPT or line[end - 1] in _KEPT):
        end -= 1
    return line[:end].rstrip() + ELLIPSIS
