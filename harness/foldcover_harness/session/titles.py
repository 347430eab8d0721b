"""The title line of a fold.

Rule: words, then one pair of square brackets at the very end, which is the host's: the turns, the counts, the archive.
The words are the model's title, else the first sentences of its closing message, else the user's first words. They hold
no square brackets and no line break, so they can fake neither another line nor another archive.
"""

from __future__ import annotations

import re
from typing import Final

from foldcover_harness.session.lines import MOST_READ, cut, one_line
from foldcover_harness.session.receipt import Receipt, turns_of

DIGITS: Final = 16
"""Hexadecimal digits of the archive's sha256 that name it."""
ENOUGH: Final = 60
"""Characters of a closing message after which no further sentence is taken."""
NOTHING_SAID: Final = "(no words)"
_BRACKETS = str.maketrans(dict.fromkeys("[［【〔⟦⁅〚", "(") | dict.fromkeys("]］】〕⟧⁆〛", ")"))
_MARKS = re.compile(r"(?m)^[ \t]*(?:```[^\n]*|#{1,6}[ \t]|[-*>][ \t]|[-=*_]{3,}[ \t]*$)|\*\*|`")
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")


def title_of(receipt: Receipt, title: str | None, archive: str, most: int) -> str:
    """The title of a unit in at most `most` characters, or as many as its archive's name in brackets takes.

    `title` is what the model gave; `archive` is the archive's name or sha256, of which the first 16 digits are shown.
    """
    name = archive[:DIGITS]
    counts = [turns_of(receipt.first, receipt.last), *_counts(receipt), f"archive {name}"]
    suffix = f"[{'; '.join(counts)}]"
    if len(suffix) > most // 2 + DIGITS:
        suffix = f"[{name}]"
    words = _words(receipt, title).translate(_BRACKETS)
    room = most - len(suffix) - 1
    return f"{cut(words, room)} {suffix}" if room > 0 else suffix


def _counts(receipt: Receipt) -> list[str]:
    parts = (
        (receipt.total, "call"),
        (len(receipt.paths), "path"),
        (len(receipt.failed), "failed"),
        (len(receipt.unanswered), "unanswered"),
    )
    found = (f"{count} {what}{'s' if what in ('call', 'path') and count > 1 else ''}" for count, what in parts if count)
    return [", ".join(found)] if any(count for count, _ in parts) else []


def _words(receipt: Receipt, title: str | None) -> str:
    given = one_line(title or "", MOST_READ)
    if given:
        return given
    said = _first_sentences(receipt.closing)
    if said:
        return said
    asked = next((each for each in receipt.users if one_line(each.words, ENOUGH)), None)
    if asked is None:
        return NOTHING_SAID
    return f"{'host' if asked.host else 'user'}: {one_line(asked.words, ENOUGH * 2)}"


def _first_sentences(text: str) -> str:
    """The first sentence of a text, and more while they are short; without the marks of headings, lists and code."""
    taken = ""
    for sentence in _SENTENCE.split(one_line(_MARKS.sub(" ", text[:MOST_READ]), MOST_READ)):
        if taken and len(taken) >= ENOUGH:
            break
        taken = f"{taken} {sentence}".strip()
    return taken
