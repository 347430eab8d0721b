"""What a query looks for in the bytes of an archive, and where it stands.

Rule: a query is literal text. It is found as it stands (what `grep -F` finds), and in the forms in which the same
text stands inside an archive: escaped once within a JSON message (a quote, a newline, a backslash), or twice within
the arguments of a tool call that are JSON in a JSON string, there also as \\u escapes. A line is found when one of
the forms begins in it. Ignoring case compares full case folding, so "STRASSE" finds "straße". Nothing is normalized:
a letter with a combining mark is found as it is written. Reading is in blocks, so a file or a line of any size takes
bounded memory.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import AnyStr, Final, NamedTuple

from foldcover_harness.session.exact import json_line

BLOCK: Final = 1 << 20
"""Bytes that are read at once."""
WINDOW: Final = 64
"""Characters from the beginning of a query that the index knows of."""


class Region(NamedTuple):
    """A part of a file: bytes `start` to `stop`, and the number of the line in which `start` lies."""

    start: int
    stop: int
    line: int


class Place(NamedTuple):
    """Where something begins: the byte in the file, and the number of its line, from 1."""

    at: int
    line: int


class Needles:
    """The forms of a query, ready to look for."""

    def __init__(self, query: str, ignore_case: bool = False) -> None:
        self.query = query
        self.ignore_case = ignore_case
        self.forms = _forms(query)
        self.folded = tuple(dict.fromkeys(_text(form).casefold() for form in self.forms))
        most = max(map(len, self.folded)) if ignore_case else 0
        self.longest = max(4 * most, *(len(form) for form in self.forms)) if self.forms else 0

    def in_text(self, text: str) -> bool:
        """Whether a title holds the query as it stands."""
        if self.ignore_case:
            return self.query.casefold() in text.casefold()
        return self.query in text

    def trigrams(self) -> list[list[str]] | None:
        """For each form, trigrams that stand wherever it stands; None where a form has none (it is too short)."""
        found = [_trigrams(indexed(form)[:WINDOW]) for form in self.forms]
        return found if found and all(found) else None


def indexed(data: bytes) -> str:
    """Bytes as the index sees them: case folded, NUL (which ends a text for SQLite) replaced."""
    return data.decode("utf-8", "replace").casefold().replace("\0", "\1")


def places(file: int, region: Region, needles: Needles) -> Iterator[Place]:
    """The lines of an open file in which one of the needles begins within the region, each at its first place.

    Both ends of a region lie between characters. A line that reaches into the region is one of its lines.
    """
    at, line, skipping = region.start, region.line, False
    while at < region.stop:
        data = os.pread(file, min(BLOCK, region.stop - at) + needles.longest, at)
        own = whole(data, min(BLOCK, region.stop - at))
        if not own:
            return
        counted, found = 0, -1
        starts = _starts_folded if needles.ignore_case else _starts_exact
        for start in starts(data, own, needles, skipping):
            line += data.count(b"\n", counted, start)
            counted = found = start
            yield Place(at + start, line)
        if skipping or found >= 0:
            skipping = data.find(b"\n", max(found, 0), own) < 0
        line += data.count(b"\n", counted, own)
        at += own


def _starts_exact(data: bytes, own: int, needles: Needles, skipping: bool) -> Iterator[int]:
    return _starts(data, own, needles.forms, b"\n", skipping)


def _starts_folded(data: bytes, own: int, needles: Needles, skipping: bool) -> Iterator[int]:
    """The same, ignoring case: places in the folded text, as bytes of the data."""
    text = _text(data)
    folded = text.casefold()
    ends = None
    if len(folded) != len(text):
        ends = list(accumulate(len(character.casefold()) for character in text))
    own_characters = len(_text(data[:own]))
    own_folded = own_characters if ends is None else ends[own_characters - 1]
    character = at = 0
    for start in _starts(folded, own_folded, needles.folded, "\n", skipping):
        here = start if ends is None else bisect_right(ends, start)
        at += len(text[character:here].encode("utf-8", "surrogateescape"))
        character = here
        yield at


def _starts(hay: AnyStr, own: int, forms: Sequence[AnyStr], newline: AnyStr, skipping: bool) -> Iterator[int]:
    """Where the first form of each line begins, before `own`. `skipping` leaves out the line at the beginning."""
    cursor = hay.find(newline, 0, own) + 1 or own if skipping else 0
    following = dict.fromkeys(forms, -1)
    while following and cursor < own:
        for form, at in list(following.items()):
            if at < cursor:
                at = hay.find(form, cursor, own + len(form) - 1)
                if at < 0:
                    del following[form]
                else:
                    following[form] = at
        if following:
            start = min(following.values())
            yield start
            cursor = hay.find(newline, start, own) + 1 or own


def whole(data: bytes, most: int) -> int:
    """How many of the first `most` bytes make whole characters: `most`, or up to three less."""
    if most >= len(data):
        return len(data)
    for back in range(min(4, most)):
        if data[most - back] & 0xC0 != 0x80:
            return most - back
    return most


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _forms(query: str) -> tuple[bytes, ...]:
    """The query as it stands, escaped once, escaped twice; each once. () for an empty one."""
    if not query:
        return ()
    once = json_line(query)[1:-2]
    twice = json_line(once.decode())[1:-2]
    spelled = json_line(json.dumps(query)[1:-1])[1:-2]
    return tuple(dict.fromkeys((query.encode("utf-8", "surrogatepass"), once, twice, spelled)))


def _trigrams(text: str) -> list[str]:
    """Some trigrams of a text: all of a short one, of a longer one as many as cover it."""
    last = len(text) - 3
    chosen = range(last + 1) if last < 6 else (*range(0, last, 3), last)
    found = dict.fromkeys(text[at : at + 3] for at in chosen)
    return [trigram for trigram in found if "\ufffd" not in trigram]
