"""The tool `read`: lines of a text file, numbered.

Rule: bounded, and whatever is left out is said with the way to get it: the next offset for lines, grep or bash for the
rest of a long line. A large file is read only as far as it is shown.
"""

from __future__ import annotations

import os
from io import BufferedReader
from threading import Event
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from foldcover_harness.agent.tools.files import opened, state
from foldcover_harness.agent.tools.given import Made
from foldcover_harness.agent.tools.tool import Action, Result, Unable
from foldcover_harness.agent.tools.workspace import Workspace
from foldcover_harness.session.lines import counted

MOST_LINES: Final = 2_000
MOST_CHARACTERS: Final = 40_000
"""Characters of all lines that are shown."""
LONGEST: Final = 1_000
"""Characters of a line."""
FARTHEST: Final = 1 << 30
"""Bytes of a file before the first line that is shown."""
_PIECE: Final = 1 << 16
_MOST_NOTES: Final = 10


class Given(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The arguments."""

    path: Annotated[str, Meta(min_length=1, description="the file, from the working folder or absolute")]
    offset: Annotated[int, Meta(ge=1, le=10**12, description="the first line, counted from 1")] = 1
    limit: Annotated[int, Meta(ge=1, le=10**12, description=f"lines, at most {MOST_LINES:,}")] = MOST_LINES


def action(workspace: Workspace) -> Action:
    """The tool over a workspace."""
    return Made(
        "read",
        "Read a text file of the workspace. Each line comes with its number and a tab before it, which are no part of "
        "the file. A long file comes in parts: ask for the next with `offset`.",
        Given,
        lambda given, stop: _read(workspace, given, stop),
        writes=False,
    )


def _read(workspace: Workspace, given: Given, stop: Event | None) -> Result:
    path = workspace.to_read(given.path)
    name = workspace.shown(path)
    with opened(path, name) as stream:
        found = os.fstat(stream.fileno())
        passed = _pass(stream, given.offset - 1, name, stop)
        if passed < given.offset - 1 or (given.offset > 1 and not stream.peek(1)):
            raise Unable(f"{name} has {counted(passed, 'line')}; there is no line {given.offset:,}")
        text = _lines(stream, given, stop)
    workspace.seen[path] = state(found)
    return Result(text or f"({name} is empty)")


def _pass(stream: BufferedReader, lines: int, name: str, stop: Event | None) -> int:
    """Pass so many lines, or all that there are; how many that were."""
    passed, size, open_end = 0, 0, False
    while passed < lines and (piece := stream.read(_PIECE)):
        count, size = piece.count(b"\n"), size + len(piece)
        if passed + count >= lines:
            at = 0
            for _ in range(lines - passed):
                at = piece.index(b"\n", at) + 1
            stream.seek(at - len(piece), os.SEEK_CUR)
            return lines
        passed, open_end = passed + count, not piece.endswith(b"\n")
        if stop is not None and stop.is_set():
            raise Unable("stopped")
        if size > FARTHEST:
            raise Unable(
                f"line {lines + 1:,} of {name} lies beyond its first {FARTHEST:,} bytes; use bash, with sed -n"
            )
    return passed + open_end


def _lines(stream: BufferedReader, given: Given, stop: Event | None) -> str:
    """The lines from here on, and what was left out."""
    shown: list[str] = []
    notes: list[str] = []
    number, room = given.offset, MOST_CHARACTERS
    while number - given.offset < min(given.limit, MOST_LINES) and room > 0 and (raw := stream.readline(_PIECE)):
        size = len(raw) if raw.endswith(b"\n") or len(raw) < _PIECE else len(raw) + _rest(stream, stop)
        text, sound = _text(raw, number)
        if not sound:
            notes.append(f"[line {number} is not UTF-8: a \ufffd stands for what is not]")
        if len(text) > LONGEST or size > len(raw):
            text = text[:LONGEST] + "…"
            notes.append(f"[line {number} is cut: it has {size:,} bytes; grep, or bash with cut -c, shows the rest]")
        shown.append(f"{number}\t{text}")
        room -= len(shown[-1]) + 1
        number += 1
    if stream.peek(1):
        notes.append(f"[there is more: ask with offset={number}]")
    if len(notes) > _MOST_NOTES:
        notes[_MOST_NOTES - 1 : -1] = [f"[and {len(notes) - _MOST_NOTES} more such lines]"]
    return "\n".join([*shown, *notes])


def _text(raw: bytes, number: int) -> tuple[str, bool]:
    """A line without its end, and whether it is UTF-8 (which the end of a part of a line need not be)."""
    data = raw.removesuffix(b"\n").removesuffix(b"\r")
    text = data.decode("utf-8", "replace").replace("\0", "\u2400")
    sound = "\ufffd" not in text or len(raw) == _PIECE or data.decode("utf-8", "ignore").encode() == data
    return (text.removeprefix("\ufeff") if number == 1 else text), sound


def _rest(stream: BufferedReader, stop: Event | None) -> int:
    """Pass the rest of a line; its bytes."""
    size = 0
    while piece := stream.readline(_PIECE):
        size += len(piece)
        if piece.endswith(b"\n"):
            break
        if size > FARTHEST or (stop is not None and stop.is_set()):
            raise Unable(
                "stopped" if size <= FARTHEST else f"a line of more than {FARTHEST:,} bytes; use bash, with cut -c"
            )
    return size
