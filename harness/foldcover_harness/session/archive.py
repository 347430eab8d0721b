"""An archive: the file that keeps the original messages of what left the prompt.

Rule: one text file that a person can read and grep. Its first line counts what follows; then the receipt, a separator,
and the messages, one JSON a line. The separator is no JSON, so its last occurrence is the true one, whatever a receipt
contains; the count finds it from the front. The file is named by its content, written whole or not at all, and never
changed. A receipt that holds what a text file cannot (NUL, lone surrogates) or a terminal should not get is escaped,
and the first line says so.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

from foldcover_harness.session.disk import Disk
from foldcover_harness.session.exact import NotJson, escaped, json_line, json_value
from foldcover_harness.session.wires.wire import Message

SEPARATOR: Final = b"---- messages, one JSON a line ----"
_FIRST = re.compile(rb"foldcover archive 1; receipt lines: (\d{1,9}); messages: (\d{1,9})(; receipt escaped)?")
_TEMPORARY = re.compile(r"\.[0-9a-f]{16}\.txt\.tmp")
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]|\r(?!\n)")
_ESCAPE = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")
_CHUNK: Final = 1 << 20
_REAL: Final = Disk()


class Archive(NamedTuple):
    """A written archive: its file's name, the sha256 of all its bytes in hexadecimal, its size in bytes."""

    name: str
    sha256: str
    size: int


class ArchiveClash(Exception):
    """There is a file of an archive's name that holds something else. It was not touched."""


class ArchiveDamaged(Exception):
    """An archive that is not whole. `receipt` and `messages` are what could be read, up to the damage."""

    def __init__(self, path: Path, what: str, receipt: str, messages: list[Message]) -> None:
        super().__init__(f"{path}: {what}")
        self.what = what
        self.receipt = receipt
        self.messages = messages


def write(disk: Disk, folder: Path, receipt: str, messages: Sequence[Message]) -> Archive:
    """Write an archive so that it outlives a power cut, and return what it is called.

    Only the holder of the session's lock may write. The same content twice is one file. NotJson for messages that would
    not come back, ArchiveClash, or OSError: then the folder holds no more than before.
    """
    data = content(receipt, messages)
    digest = hashlib.sha256(data).hexdigest()
    archive = Archive(f"{digest[:16]}.txt", digest, len(data))
    path = folder / archive.name
    disk.make_folder(folder)
    if disk.state(path) is None:
        disk.put(path, data)
    elif disk.read(path) == data:
        # It may be there since a moment before a kill: its name is not on the disk for certain.
        disk.flush_folder(folder)
    else:
        raise ArchiveClash(f"{path} holds something else than the archive of that name")
    return archive


def clean(disk: Disk, folder: Path) -> None:
    """Remove what an earlier writer left half-written. Only the holder of the session's lock may."""
    with contextlib.suppress(FileNotFoundError):
        for name in filter(_TEMPORARY.fullmatch, disk.names(folder)):
            with contextlib.suppress(OSError):
                disk.unlink(folder / name)


def content(receipt: str, messages: Sequence[Message]) -> bytes:
    """The bytes of an archive: a function of what it holds, and of nothing else."""
    spoiled = _UNSHOWN.search(receipt) is not None
    shown = _UNSHOWN.sub(escaped, receipt.replace("\\", "\\\\")) if spoiled else receipt
    first = f"foldcover archive 1; receipt lines: {shown.count(chr(10)) + 1}; messages: {len(messages)}"
    head = f"{first}{'; receipt escaped' if spoiled else ''}\n{shown}\n".encode()
    return b"".join([head, SEPARATOR, b"\n", *map(json_line, messages)])


def read(path: Path, disk: Disk = _REAL) -> tuple[str, list[Message]]:
    """The receipt and the messages. ArchiveDamaged, with all that could be read, if it is not whole; OSError."""
    lines = disk.read(path).split(b"\n")
    first = _FIRST.fullmatch(lines[0])
    start = int(first[1]) + 1 if first else 0
    trouble = None if first else "line 1 is not the first line of an archive"
    if not trouble and lines[start : start + 1] != [SEPARATOR]:
        trouble = f"line {start + 1} is not the line between receipt and messages"
    if trouble:
        start = len(lines) - 1 - lines[::-1].index(SEPARATOR) if SEPARATOR in lines else len(lines)
    receipt, spoiled = _receipt(b"\n".join(lines[1:start]), first is not None and first[3] is not None)
    messages, stopped = _messages(lines, start + 1, int(first[2]) if first else None)
    if trouble := trouble or spoiled or stopped:
        raise ArchiveDamaged(path, trouble, receipt, messages)
    return receipt, messages


def verify(path: Path, sha256: str, disk: Disk = _REAL) -> str | None:
    """What is wrong with an archive, in a few words; None if its bytes are those that were written."""
    digest = hashlib.sha256()
    try:
        with disk.open_to_read(path) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        if digest.hexdigest() == sha256:
            return None
        read(path, disk)
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"unreadable: {error.strerror or error}"
    except ArchiveDamaged as error:
        return f"damaged: {error.what}"
    return f"other content: its sha256 is {digest.hexdigest()}, not {sha256}"


def _receipt(shown: bytes, unescape: bool) -> tuple[str, str | None]:
    try:
        text, trouble = shown.decode(), None
    except UnicodeDecodeError as error:
        text, trouble = shown.decode(errors="replace"), f"the receipt is no UTF-8: {error.reason}"
    return _ESCAPE.sub(_unescaped, text) if unescape else text, trouble


def _messages(lines: list[bytes], start: int, count: int | None) -> tuple[list[Message], str | None]:
    """The messages from a line on (counted from 0), and what is wrong with what follows the last of them."""
    found: list[Message] = []
    for number in range(start, len(lines) - 1):
        try:
            message = json_value(lines[number])
        except NotJson as error:
            return found, f"line {number + 1}, message {number - start + 1}: {error}"
        if not isinstance(message, (dict, list)):
            return found, f"line {number + 1}, message {number - start + 1}: not a message"
        found.append(cast(Message, message))
    if lines[-1]:
        return found, f"cut in line {len(lines)}, after {len(found)} messages"
    trouble = None if count in (None, len(found)) else f"{len(found)} messages, not the {count} of line 1"
    return found, trouble


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else "\\"
