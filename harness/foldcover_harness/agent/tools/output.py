"""The output of a command: bounded while it comes, and as a text that is fit to be read.

Rule: the head and the tail are kept and the bytes between them counted, however many they are. In the text there are no
escape sequences and no control characters but newline and tab; what is not UTF-8 is replaced.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MOST_KEPT: Final = 15_000
"""Bytes of the head, and of the tail."""
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d\n]*(?:\x07|\x1b\\|\x9c)"  # titles, links
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c\x9e\x9f\n]*(?:\x1b\\|\x9c)"  # strings for the terminal
    r"|\x1b[ -/]*[0-~]?"
)
_UNUSUAL = re.compile(r"[^\n -~]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Output:
    """The output of a command, as much of it as is kept."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._head, self._tail = bytearray(), bytearray()
        self._size = 0

    def take(self, piece: bytes) -> None:
        """The next piece."""
        self._size += len(piece)
        room = self._most - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > 8 * self._most:
            del self._tail[: -self._most]

    def text(self) -> str:
        """What was kept, without white space at its end; between head and tail how many bytes are missing."""
        tail = self._tail[-self._most :]
        dropped = self._size - len(self._head) - len(tail)
        if not dropped:
            return plain(bytes(self._head + tail)).rstrip()
        return f"{plain(bytes(self._head))}\n[{dropped:,} bytes left out]\n{plain(bytes(tail)).rstrip()}"


def plain(data: bytes) -> str:
    """Output as a text: no escape sequences, no control characters but newline and tab."""
    text = _ESCAPES.sub("", data.decode("utf-8", "replace"))
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def visible(text: str) -> str:
    """A text in which nothing hides: control characters as their pictures, whatever has no shape as its number."""
    return _UNUSUAL.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    character = found[0]
    code = ord(character)
    if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"
