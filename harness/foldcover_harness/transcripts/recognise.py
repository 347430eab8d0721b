"""Which client wrote a file: told by what is in it, never by its name.

Rule: the first objects decide. A file that is not a transcript, or one that no reader here takes, is
refused with the reason. What is opened is a regular file: a pipe or a device could hang.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

import msgspec

from foldcover_harness.transcripts import (
    anthropic_messages,
    claude_code,
    codex,
    gemini,
    jsonlines,
    mini_swe_agent,
    openai_chat,
    opencode,
    openhands_v0,
    openhands_v1,
    otel,
    pi,
    swe_agent,
)
from foldcover_harness.transcripts.model import Builder, Conversation
from foldcover_harness.transcripts.recognising import Keys
from foldcover_harness.transcripts.refusal import RefusedError
from foldcover_harness.transcripts.tolerant import FAULTS

__all__ = ["FORMATS", "Format", "Layout", "Opened", "RefusedError", "read_file", "recognise", "texts_of"]


class Format(NamedTuple):
    """A format: whether an object is of it, by its outermost keys, and what reads a file of it."""

    recognises: Callable[[Keys], bool]
    read: Callable[[Iterable[bytes | None], Builder | None], Conversation]


FORMATS: Final[dict[str, Format]] = {
    module.CLIENT: Format(module.recognises, module.read)
    for module in (
        claude_code,
        codex,
        pi,
        gemini,
        openhands_v1,
        openhands_v0,
        otel,
        opencode,
        swe_agent,
        mini_swe_agent,
        anthropic_messages,
        openai_chat,
    )
}
"""Every format by the name of its client, those that are told by the most telling keys first."""

_HEADS: Final = (1 << 16, 1 << 22, jsonlines.LIMIT)
_OBJECTS: Final = 64
# Lines are tens of kilobytes long: with the usual buffer each would be put together from pieces.
_BUFFER: Final = 1 << 18

_AT_ONCE: Final = 16 << 20
"""Bytes of the longest array that is held as a whole."""


class Layout(Enum):
    """How the objects of a file stand in it."""

    LINES = "lines"
    ARRAY = "array"
    OBJECT = "object"
    """The file is one object, over one line or many."""


class Opened(NamedTuple):
    """A recognised transcript, still open at its beginning."""

    client: str
    layout: Layout


def read_file(
    path: Path, passed: Callable[[int], object] | None = None, builder: Builder | None = None
) -> Conversation:
    """Return the conversation in the file at `path`. Raises RefusedError with the reason where there is
    none. `passed` is told how many bytes were read since it was told last; `builder` is used in the place of
    a new one.
    """
    with opened(path) as stream:
        return read_stream(stream, passed, builder)


def read_stream(
    stream: BinaryIO, passed: Callable[[int], object] | None = None, builder: Builder | None = None
) -> Conversation:
    """Return the conversation in an open file, as `read_file` does."""
    found = recognise(stream)
    texts = texts_of(stream, found.layout)
    return FORMATS[found.client].read(texts if passed is None else _counting(texts, passed), builder)


@contextmanager
def opened(path: Path) -> Generator[BinaryIO]:
    """Open the regular file at `path`. Raises RefusedError, then and while it is read."""
    try:
        with open(path, "rb", buffering=_BUFFER, opener=_open_regular) as stream:
            yield stream
    except OSError as error:
        raise RefusedError(error.strerror or type(error).__name__) from error


def texts_of(stream: BinaryIO, layout: Layout) -> Iterator[bytes | None]:
    """Yield the objects of a file of that layout; None for what is cut off or too long."""
    stream.seek(0)
    stream.seek(3 if stream.read(3) == jsonlines.BOM else 0)
    if layout is Layout.ARRAY:
        return _elements(stream)
    if layout is Layout.OBJECT:
        return iter((stream.read(),))
    return jsonlines.read_lines(stream)


def _elements(stream: BinaryIO) -> Iterator[bytes | None]:
    """Yield the objects of an array: of a small and good one at once, of any other piece by piece."""
    start = stream.tell()
    head = stream.read(_AT_ONCE + 1)
    if len(head) <= _AT_ONCE:
        try:
            elements = msgspec.json.decode(head, type=list[msgspec.Raw])
        except FAULTS:
            pass
        else:
            return (bytes(each) for each in elements if bytes(memoryview(each)[:1]) == b"{")
    stream.seek(start)
    return jsonlines.read_array(stream)


def _counting(texts: Iterable[bytes | None], passed: Callable[[int], object]) -> Iterator[bytes | None]:
    size = 0
    for text in texts:
        size += len(text or b"")
        if size >= jsonlines.CHUNK:
            passed(size)
            size = 0
        yield text
    passed(size)


def _open_regular(path: str, flags: int) -> int:
    # Looked at before it is opened: opening a pipe would wait for its writer.
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode):
        raise RefusedError("a folder" if stat.S_ISDIR(mode) else "not a regular file")
    return os.open(path, flags)


def recognise(stream: BinaryIO) -> Opened:
    """Return what the file is. Raises RefusedError. Looks at its beginning only, and no further than it
    must.
    """
    for size in _HEADS:
        stream.seek(0)
        head = stream.read(size).removeprefix(jsonlines.BOM)
        whole = len(head) < size - len(jsonlines.BOM)
        _refuse_at_sight(head, whole)
        objects: list[Keys] = []
        for layout, found in _layouts(head, whole):
            client = _client(found)
            if client:
                return Opened(client, layout)
            objects += found
        if objects or whole:
            raise RefusedError(_reason(objects))
    raise RefusedError("no JSON object ends in its first 64 MiB")


def _refuse_at_sight(head: bytes, whole: bool) -> None:
    if whole and not head.strip():
        raise RefusedError("empty")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise RefusedError("UTF-16 text: transcripts are UTF-8")
    if b"{" not in head:
        raise RefusedError("not a transcript: no JSON object in it")


def _layouts(head: bytes, whole: bool) -> Iterator[tuple[Layout, list[Keys]]]:
    """Yield the layouts that the file may have, each with the outermost keys of its first objects."""
    if head.lstrip()[:1] == b"[":
        first = islice(jsonlines.read_array(BytesIO(head)), _OBJECTS)
        yield Layout.ARRAY, _first_objects(text for text in first if text is not None)
    # Lines are tried even so: the first one may be rubbish that begins with a bracket.
    rows = head.split(b"\n", _OBJECTS)
    spread = rows[0].strip() in (b"{", b"[")
    if whole:
        keys = _keys(head) or (_keys(jsonlines.repaired(head)) if spread or len(rows) < 3 else None)
        if keys:
            yield Layout.OBJECT, [keys]
            return
    if not spread:
        yield Layout.LINES, _first_objects(rows if whole and len(rows) <= _OBJECTS else rows[:-1])


def _first_objects(texts: Iterable[bytes]) -> list[Keys]:
    found: list[Keys] = []
    for text in texts:
        keys = _keys(text)
        if keys is not None:
            found.append(keys)
        elif text.startswith(b"{"):
            pieces, _ = jsonlines.whole_objects(jsonlines.repaired(text[: 1 << 20]))
            found += [each for each in map(_keys, pieces) if each is not None]
    return found


def _keys(text: bytes) -> Keys | None:
    try:
        return msgspec.json.decode(text, type=Keys)
    except FAULTS:
        return None


def _client(objects: list[Keys]) -> str | None:
    """Return the client that writes such objects, if it is one that is read here."""
    for client, format_ in FORMATS.items():
        if any(map(format_.recognises, objects)):
            return client
    return None


def _reason(objects: list[Keys]) -> str:
    if not objects:
        return "not a transcript: its JSON cannot be read"
    return "not a transcript: no object of a kind that a client known here writes"
