"""What is wrong with the text of a line, before anything is read from it.

Rule: a line that is one JSON object in good UTF-8 has no fault. Of any other it is said what keeps a parser
from reading it; the words are those of JSON's own grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from foldcover_harness.transcripts import jsonlines
from foldcover_harness.transcripts.tolerant import FAULTS

GLUED: Final = "glued"
CUT: Final = "cut"
NOT_JSON: Final = "not-json"
SURROGATE: Final = "lone-surrogate"
ESCAPE: Final = "bad-escape"
CONTROL: Final = "control-character"
UTF8: Final = "bad-utf-8"

_PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_HALF = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_ESCAPE = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|(.?))', re.DOTALL)
_BLANK: Final = b" \t\r\n\0\xef\xbb\xbf"


def faults(text: bytes) -> Iterator[str]:
    """Yield every kind of fault in a line, or in an element of an array."""
    if not text.strip(_BLANK):
        return
    if not text.isascii() and not _is_utf8(text):
        yield UTF8
    if _decodes(text):
        return
    objects, stray = jsonlines.whole_objects(text)
    if objects and not stray:
        whole = all(map(_decodes, objects))
    else:
        whole = False
        objects, stray = jsonlines.whole_objects(jsonlines.repaired(text))
    if len(objects) > 1 or (objects and stray):
        yield GLUED
    elif stray or not objects:
        yield CUT if text.lstrip(_BLANK).startswith((b"{", b"[")) else NOT_JSON
    if not whole:
        yield from _within(text)


def _within(text: bytes) -> Iterator[str]:
    if any(match[1] is not None for match in _ESCAPE.finditer(text)):
        yield ESCAPE
    if _HALF.search(_PAIR.sub(b"", text.replace(b"\\\\", b""))):
        yield SURROGATE
    if any(byte in text.strip(_BLANK) for byte in _CONTROLS):
        yield CONTROL


_CONTROLS: Final = tuple(bytes((number,)) for number in range(32) if number not in (9, 10, 13))


def _decodes(text: bytes) -> bool:
    try:
        msgspec.json.decode(text.strip(b"\0\xef\xbb\xbf"), type=dict[str, msgspec.Raw])
    except FAULTS:
        return False
    return True


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
