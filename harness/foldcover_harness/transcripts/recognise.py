"""Which client wrote a file: told by what is in it, never by its name.

Rule: the first objects decide. A file that is not a transcript, or one that no reader here takes, is
refused with the reason. What is opened is a regular file: a pipe or a device could hang.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from msgspec import Raw

from foldcover_harness.transcripts import claude_code, codex, jsonlines
from foldcover_harness.transcripts.model import Conversation
from foldcover_harness.transcripts.tolerant import FAULTS

Reader = Callable[[Iterable[bytes | None]], Conversation]
READERS: Final[dict[str, Reader]] = {claude_code.CLIENT: claude_code.read, codex.CLIENT: codex.read}

_HEADS: Final = (1 << 16, 1 << 22, jsonlines.LIMIT)
_OBJECTS: Final = 64
# Lines are tens of kilobytes long: with the usual buffer each would be put together from pieces.
_BUFFER: Final = 1 << 18
_CODEX_LINES: Final = frozenset(
    ["session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"]
)
_CODEX_ITEMS: Final = frozenset(["message", "reasoning", "function_call", "function_call_output", "custom_tool_call"])
_CLAUDE_LINES: Final = frozenset(["user", "assistant", "system", "progress", "attachment"])
_CLAUDE_KEYS: Final = frozenset(["uuid", "parentUuid", "sessionId", "isSidechain", "session_id"])
_CLAUDE_EXTRAS: Final = {
    "summary": "leafUuid",
    "file-history-snapshot": "messageId",
    "queue-operation": "operation",
    "permission-mode": "sessionId",
    "last-prompt": "sessionId",
    "mode": "sessionId",
}
# Other clients' formats, by keys that stand together in their outermost object.
_OTHERS: Final = (
    (frozenset(("trajectory_format",)), "a mini-swe-agent trajectory"),
    (frozenset(("trajectory", "environment")), "a SWE-agent trajectory"),
    (frozenset(("trajectory", "version")), "an OpenHands trajectory"),
    (frozenset(("sessionId", "projectHash")), "a Gemini CLI session"),
    (frozenset(("role", "parts")), "a list of Gemini messages"),
    (frozenset(("kind", "source")), "a list of OpenHands events"),
    (frozenset(("info", "messages")), "an OpenCode export"),
    (frozenset(("model", "messages")), "a list of chat messages"),
    (frozenset(("messages",)), "a list of chat messages"),
    (frozenset(("role", "content")), "a list of chat messages"),
    (frozenset(("type", "provider", "modelId")), "a pi session"),
)


class RefusedError(Exception):
    """A file cannot be replayed. The message is the reason, in words for the user. Raised by `read_file`."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A recognised transcript, still open at its beginning."""

    client: str
    array: bool


def read_file(path: Path, passed: Callable[[int], object] | None = None) -> Conversation:
    """Return the conversation in the file at `path`. Raises RefusedError with the reason where there is
    none. `passed` is told how many bytes were read since it was told last.
    """
    try:
        with open(path, "rb", buffering=_BUFFER, opener=_open_regular) as stream:
            found = recognise(stream)
            stream.seek(3 if stream.read(3) == jsonlines.BOM else 0)
            texts = jsonlines.read_array(stream) if found.array else jsonlines.read_lines(stream)
            return READERS[found.client](texts if passed is None else _counting(texts, passed))
    except OSError as error:
        raise RefusedError(error.strerror or type(error).__name__) from error


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
        objects: list[dict[str, Raw]] = []
        # Lines are tried even so: the first one may be rubbish that begins with a bracket.
        for array in (True, False) if head.lstrip()[:1] == b"[" else (False,):
            found = _first_objects(head, array, whole)
            for client in map(_client, found):
                if client:
                    return Opened(client, array)
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


def _first_objects(head: bytes, array: bool, whole: bool) -> list[dict[str, Raw]]:
    """Return the outermost keys of the first objects, with their undecoded values."""
    found: list[dict[str, Raw]] = []
    for text in _first_texts(head, array, whole):
        keys = _keys(text)
        if keys is not None:
            found.append(keys)
        elif text.startswith(b"{"):
            pieces, _ = jsonlines.whole_objects(jsonlines.repaired(text[: 1 << 20]))
            found += [each for each in map(_keys, pieces) if each is not None]
    return found


def _first_texts(head: bytes, array: bool, whole: bool) -> list[bytes]:
    if array:
        first = islice(jsonlines.read_array(BytesIO(head)), _OBJECTS)
        return [text for text in first if text is not None]
    rows = head.split(b"\n", _OBJECTS)
    if whole and (_keys(head) or (rows[0].strip() == b"{" and _keys(jsonlines.repaired(head)))):
        # One object, written over one line or many.
        return [head]
    return rows if whole and len(rows) <= _OBJECTS else rows[:-1]


def _keys(text: bytes) -> dict[str, Raw] | None:
    try:
        return msgspec.json.decode(text, type=dict[str, Raw])
    except FAULTS:
        return None


def _text(keys: dict[str, Raw], name: str) -> str:
    try:
        return msgspec.json.decode(keys.get(name, b'""'), type=str)
    except FAULTS:
        return ""


def _client(keys: dict[str, Raw]) -> str | None:
    """Return the client that writes objects with these keys, if it is one that is read here."""
    kind = _text(keys, "type")
    if kind in _CLAUDE_LINES and "payload" not in keys and (_CLAUDE_KEYS & keys.keys() or "message" in keys):
        return claude_code.CLIENT
    if kind in _CLAUDE_EXTRAS and _CLAUDE_EXTRAS[kind] in keys:
        return claude_code.CLIENT
    if kind in _CODEX_LINES and "payload" in keys:
        return codex.CLIENT
    if "record_type" in keys or {"id", "timestamp", "instructions"} <= keys.keys():
        return codex.CLIENT
    if kind in _CODEX_ITEMS and (kind != "message" or ("role" in keys and "message" not in keys)):
        return codex.CLIENT
    return None


def _reason(objects: list[dict[str, Raw]]) -> str:
    for keys in objects:
        for marks, what in _OTHERS:
            if marks <= keys.keys():
                return f"{what}: replay reads Claude Code and Codex transcripts"
    if not objects:
        return "not a transcript: its JSON cannot be read"
    return "not a transcript: no line of a kind that Claude Code or Codex writes"
