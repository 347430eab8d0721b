"""JSON objects out of files that were not always written well.

Rule: give every whole object, in order, and count what is none. A line is tried as it stands first; only
when that fails is it repaired (bad UTF-8, raw control characters, escapes that JSON does not know, lone
surrogates) and cut into the objects that were glued together. Nothing here recurses, so no nesting is too
deep, and no more than one line, or one element of an array, is held at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final

import msgspec

BOM: Final = b"\xef\xbb\xbf"
LIMIT: Final = 64 << 20
"""Bytes of the longest line, or array element, that is looked at."""
CHUNK: Final = 1 << 20

# The next bracket outside strings; or the quote of a string that does not end; or the end of the text. It always
# matches, and gives nothing back that it took, so that no text takes more than linear time.
_TOKEN = re.compile(rb'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+([{}\[\]"]|\Z)', re.DOTALL)
_ESCAPE = re.compile(
    r'\\(?:["\\/bfnrt]|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|)', re.DOTALL
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_CONTROL: Final = dict.fromkeys(range(32), " ")
_OPENING: Final = frozenset((b"{", b"["))
_CLOSING: Final = frozenset((b"}", b"]"))
_START = re.compile(rb'\{\s*["}]')
_BLANK: Final = b" \t\r\n\0"
_RESTARTS: Final = 16
# Bytes that may be looked at again, so that a line made to be slow is not.
_RESCAN: Final = 4 << 20


def read_lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines of `stream`; None in the place of one that is longer than LIMIT."""
    readline = stream.readline
    while line := readline(LIMIT):
        if len(line) < LIMIT or line.endswith(b"\n"):
            yield line
        else:
            yield None
            while (rest := readline(LIMIT)) and not rest.endswith(b"\n"):
                pass


def _repair_escape(match: re.Match[str]) -> str:
    found = match.group()
    if len(found) == 1:
        return "\\\\"
    if len(found) == 6 and _SURROGATE.match(found):
        return "\\ufffd"
    return found


def repaired(text: bytes) -> bytes:
    """Return `text` with every fault mended that keeps a JSON parser from reading it, but for its
    structure.
    """
    decoded = text.decode("utf-8", "replace").translate(_CONTROL)
    return _ESCAPE.sub(_repair_escape, decoded).encode("utf-8", "replace")


def whole_objects(text: bytes) -> tuple[list[bytes], bool]:
    """Return the whole top-level objects in `text`, and whether anything else but white space stands there.

    Where an object is cut off, the next one may have been written right into it: such a one is taken only if
    it ends where the text ends, since a part of the cut one would not.
    """
    found: list[bytes] = []
    position, restarts, room = 0, 0, _RESCAN
    while restarts < _RESTARTS and room > 0:
        start = _START.search(text, position)
        if start is None:
            break
        end = _object_end(text, start.start())
        # After a restart only what ends with the text is taken.
        if (
            end is not None
            and (restarts == 0 or not text[end:].strip(_BLANK))
            and _is_object(text[start.start() : end])
        ):
            found.append(text[start.start() : end])
            position = end or len(text)
        else:
            restarts += 1
            room -= len(text) - start.start()
            position = start.start() + 1
    return found, bool(restarts) or _has_more(text, found)


def _has_more(text: bytes, found: list[bytes]) -> bool:
    solid = len(text.translate(None, _BLANK))
    return solid != sum(len(each.translate(None, _BLANK)) for each in found)


def _is_object(piece: bytes) -> bool:
    try:
        msgspec.json.decode(piece, type=dict[str, msgspec.Raw])
    except (ValueError, RecursionError):
        return False
    return True


def _object_end(text: bytes, position: int) -> int | None:
    """Return where the object that starts at `position` ends, or None where it does not."""
    depth = 0
    for token in _TOKEN.finditer(text, position):
        mark = token[1]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING:
            depth -= 1
            if depth == 0:
                return token.end()
        else:
            return None
    return None


def read_array(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the objects of the JSON array in `stream`, one at a time; None once where it breaks off."""
    buffer = b""
    position = depth = start = 0
    while True:
        chunk = stream.read(max(CHUNK, len(buffer)))
        buffer += chunk
        for token in _TOKEN.finditer(buffer, position):
            mark = token[1]
            if mark in _OPENING:
                depth += 1
                if depth == 2:
                    start = token.start(1)
            elif mark in _CLOSING:
                depth -= 1
                if depth == 1 and buffer[start] == ord("{"):
                    yield buffer[start : token.end()]
                if depth == 0:
                    return
            else:
                # What comes next is not here yet: a string that does not end, or nothing.
                break
            position = token.end()
        if not chunk or len(buffer) > LIMIT:
            yield None
            return
        keep = start if depth > 1 else position
        buffer, position, start = buffer[keep:], position - keep, 0
