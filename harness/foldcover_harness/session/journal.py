"""The journal: everything that ever happened in a session, one JSON object a line, in order.

Rule: it only grows. An event that `append` returned from is on the disk; one that it raised from is not in the file,
or the journal takes no more until it is opened again. A line counts once its newline is there: what a kill or a power
cut left behind the last whole line is at most one event that nobody was told of. A writer cuts it off, a reader looks
past it, and whatever else is damaged is reported by its line and never mended. Writing takes the session's lock
(lock.py).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, cast

from foldcover_harness.session.disk import Disk
from foldcover_harness.session.exact import NotJson, json_line, json_value

VERSION: Final = 1
_CHUNK: Final = 1 << 16
_OPENING: Final = b'{"e":"'
# Where an event begins: at the start, behind zeros, behind the end of another. Within an event's own texts the quotes
# are escaped, and within its objects a comma, colon or bracket stands before.
_BEGINS = re.compile(rb'(?:\A|[\0}])\{"e":"')

Event = dict[str, Any]


class JournalError(Exception):
    """The journal cannot be used as it was asked for; the text names the file and says why. Nothing was changed."""


class JournalDamaged(JournalError):
    """A line of the journal is not what was written. `line` counts from 1, the header's."""

    def __init__(self, path: Path, line: int, what: str) -> None:
        super().__init__(f"{path}, line {line}: {what}")
        self.line = line
        self.what = what


class Journal:
    """A journal on the disk. Made by `create` or `open`; `events` may be read any number of times."""

    def __init__(self, disk: Disk, path: Path, header: Event, start: int, end: int, torn: int) -> None:
        self._disk = disk
        self._start = start
        self._end = end
        self._inode = 0
        self._file: int | None = None
        self._closed: str | None = "it was opened for reading only"
        self.path = path
        self.header = header
        self.torn = torn
        """Bytes of an unfinished event that stood behind the last whole line when it was opened."""

    @staticmethod
    def create(disk: Disk, path: Path, header: Mapping[str, Any]) -> Journal:
        """Make a journal with its header (wire, standing, settings), and open it for writing.

        JournalError if there is one, NotJson for a header that would not come back; OSError: then there is none, or a
        whole one with this header.
        """
        if disk.state(path) is not None:
            raise JournalError(f"{path} is there already")
        line = json_line({"foldcover": "journal", "version": VERSION, **header})
        _header(path, line)
        disk.put(path, line)
        return Journal.open(disk, path)

    @staticmethod
    def open(disk: Disk, path: Path, read_only: bool = False) -> Journal:
        """Open a journal that is there. To write, an unfinished event at its end is cut off; a reader changes nothing.

        JournalError for an unknown version, JournalDamaged for a bad header or an end that is more than one unfinished
        event: then nothing was touched. OSError, FileNotFoundError among them.
        """
        with disk.open_to_read(path) as stream:
            line = stream.readline()
            header = _header(path, line)
            size = stream.seek(0, os.SEEK_END)
            end = _whole_end(path, stream, size)
        journal = Journal(disk, path, header, len(line), end, size - end)
        if not read_only:
            journal._open_to_write(size)
        return journal

    def events(self) -> Iterator[Event]:
        """The events in order, read as they are asked for. JournalDamaged at the first line that is none; OSError."""
        with self._disk.open_to_read(self.path) as stream:
            at, number = stream.seek(self._start), 1
            while at < self._end:
                line = stream.readline()
                at, number = at + len(line), number + 1
                yield _event(self.path, number, line)

    def append(self, event: Mapping[str, Any]) -> None:
        """Add an event, and return once it is on the disk.

        NotJson for one that would not come back; its first key is "e". JournalError if it could not be written (its
        cause is the OSError): the next append may work, unless the text says that the journal is closed.
        """
        if self._file is None or self._closed is not None:
            raise JournalError(f"{self.path} is closed for writing: {self._closed}")
        if next(iter(event), None) != "e" or not isinstance(event["e"], str):
            raise NotJson('an event begins with its name, under "e"')
        line = json_line(event)
        self._expect(self._end)
        self._closed = "an append was interrupted"
        sent = False
        try:
            self._disk.write(self._file, line)
            sent = True
            self._disk.flush(self._file)
        except BaseException as error:
            self._take_back(self._file, error, sent)
            raise
        self._end += len(line)
        self._closed = None

    def close(self) -> None:
        """Close it for writing; its events can still be read. Twice is once."""
        file, self._file = self._file, None
        if file is not None:
            self._closed = self._closed or "it was closed"
            self._disk.close(file)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _open_to_write(self, size: int) -> None:
        file = self._disk.open_to_append(self.path)
        try:
            state = self._disk.state(self.path)
            self._inode = state.inode if state else 0
            self._expect(size)
            if self.torn:
                self._disk.truncate(file, self._end)
            # What was read may so far be in memory only: after this, what is built on it stands.
            self._disk.flush(file)
        except BaseException:
            self._disk.close(file)
            raise
        self._file, self._closed = file, None

    def _expect(self, size: int) -> None:
        """Refuse to write into a file that somebody else replaced, removed or wrote to."""
        try:
            state = self._disk.state(self.path)
        except OSError as error:
            raise JournalError(f"{self.path}: {error.strerror or error}; nothing was written") from error
        if state is None or state != (self._inode, size):
            self._closed = "somebody else removed, replaced or changed the file"
            raise JournalError(f"{self.path} is closed for writing: {self._closed}")

    def _take_back(self, file: int, error: BaseException, sent: bool) -> None:
        """Have the file as it was before an append that failed, or closed: after a failed flush both, for the system
        may then take for written what is not.
        """
        try:
            self._disk.truncate(file, self._end)
        except OSError as second:
            self._closed = f"an append failed and could not be undone: {second.strerror or second}"
        else:
            failed = sent and isinstance(error, OSError)
            self._closed = "the disk did not confirm what was written" if failed else None
        if isinstance(error, OSError):
            end = f"; it is closed for writing: {self._closed}" if self._closed else "; nothing was written"
            raise JournalError(f"{self.path}: {error.strerror or error}{end}") from error


def _header(path: Path, line: bytes) -> Event:
    """The header that a first line holds, if it is one of this version."""
    try:
        header: object = json_value(line) if line.endswith(b"\n") else None
    except NotJson:
        header = None
    if not isinstance(header, dict):
        raise JournalDamaged(path, 1, "not the first line of a journal")
    found = cast(Event, header)
    if found.get("foldcover") != "journal":
        raise JournalDamaged(path, 1, "not the first line of a journal")
    version: object = found.get("version")
    if type(version) is not int or version != VERSION:
        raise JournalError(f"{path} is a journal of version {version!r:.20}; this foldcover knows version {VERSION}")
    return found


def _event(path: Path, number: int, line: bytes) -> Event:
    if not line.endswith(b"\n"):
        raise JournalDamaged(path, number, "cut off")
    try:
        event: object = json_value(line)
    except NotJson as error:
        what = "holds zeros instead of what was written" if b"\0" in line else f"not JSON: {error}"
        raise JournalDamaged(path, number, what) from error
    if not isinstance(event, dict) or not isinstance(cast(Event, event).get("e"), str):
        raise JournalDamaged(path, number, "not an event")
    return cast(Event, event)


def _whole_end(path: Path, stream: BinaryIO, size: int) -> int:
    """Where the last whole line ends: all behind it is one event that was never confirmed, or JournalDamaged."""
    end = _behind_newline(stream, size)
    before = _behind_newline(stream, end - 1)
    # The newline may have reached the disk before the rest of its event: then there are zeros, which no line has.
    zeros = before > 0 and b"\0" in _bytes(stream, before, end)
    torn = _bytes(stream, before if zeros else end, size)
    ours = _OPENING.startswith(torn.partition(b"\0")[0][: len(_OPENING)])
    if not ours or len(_BEGINS.findall(torn)) > 1 or (zeros and end < size):
        stream.seek(0)
        number = sum(1 for _ in stream) - (zeros and end < size)
        raise JournalDamaged(path, number, "the end is more than one unfinished event" if ours else "no event of ours")
    return before if zeros else end


def _behind_newline(stream: BinaryIO, end: int) -> int:
    """The place behind the last newline before `end`; 0 if there is none."""
    while end > 0:
        start = max(0, end - _CHUNK)
        at = _bytes(stream, start, end).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _bytes(stream: BinaryIO, start: int, end: int) -> bytes:
    stream.seek(start)
    return stream.read(end - start)
