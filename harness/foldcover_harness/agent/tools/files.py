"""Files as the tools read and replace them.

Rule: only plain files are opened, so nothing hangs and nothing is without end. A file is replaced whole or not at all:
a temporary file beside it, its flush, the name. It keeps its mode, and its owner where that is allowed. One that
changed since it was looked at is left alone.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Generator
from io import BufferedReader
from pathlib import Path
from typing import Final

from foldcover_harness.agent.tools.tool import Unable
from foldcover_harness.agent.tools.workspace import Workspace
from foldcover_harness.session.disk import Disk, State

MOST_BYTES: Final = 16 << 20
"""Bytes of the largest file that is edited or overwritten."""
_SNIFFED: Final = 8_192
_DISK: Final = Disk()


def state(found: os.stat_result) -> tuple[State, int]:
    """What changes when somebody writes or replaces a file: inode and size, and its time in nanoseconds."""
    return State(found.st_ino, found.st_size), found.st_mtime_ns


def look(path: Path, name: str) -> os.stat_result | None:
    """What is at a path, None for nothing. Unable, under that name, for anything but a plain file."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unable(f"{name}: {error.strerror}") from None
    if stat.S_ISDIR(found.st_mode):
        raise Unable(f"{name} is a folder, not a file")
    if not stat.S_ISREG(found.st_mode):
        raise Unable(f"{name} is no plain file but a device, a pipe or a socket")
    return found


def opened(path: Path, name: str) -> BufferedReader:
    """A text file as a stream of bytes. Unable for anything else: nothing there, a folder, a pipe, a binary file."""
    if look(path, name) is None:
        raise Unable(f"{name}: there is no such file")
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if b"\0" in os.pread(file, _SNIFFED, 0):
                raise Unable(f"{name} is a binary file")
        except BaseException:
            os.close(file)
            raise
    except OSError as error:
        raise Unable(f"{name}: {error.strerror}") from None
    return open(file, "rb")


def text_of(path: Path, name: str) -> tuple[str, tuple[State, int]]:
    """The whole text of a file, and what it was then. What is not UTF-8 stays as it is: as lone surrogates."""
    with opened(path, name) as stream:
        found = os.fstat(stream.fileno())
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise Unable(f"{name} has more than {MOST_BYTES:,} bytes; use bash")
    return data.decode("utf-8", "surrogateescape"), state(found)


def replace(workspace: Workspace, path: Path, name: str, text: str, before: tuple[State, int] | None) -> None:
    """Have this text in a file that was `before` (None: that was not there). Unable where that is not to be: then
    the file is as it was.
    """
    found = look(path, name)
    try:
        if found is not None and not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        path.parent.mkdir(parents=True, exist_ok=True)
        with _written(path, text.encode("utf-8", "surrogateescape"), found) as temporary:
            now = look(path, name)
            if (None if now is None else state(now)) != before:
                raise Unable(f"{name} was changed by somebody else meanwhile; nothing was written, read it again")
            _DISK.rename(temporary, path)
            workspace.seen[path] = state(os.stat(path))
    except OSError as error:
        kept = "it was not made" if found is None else "it is as it was"
        raise Unable(f"{name} could not be written: {error.strerror or error}; {kept}") from None
    with contextlib.suppress(OSError):
        _DISK.flush_folder(path.parent)


@contextlib.contextmanager
def _written(path: Path, data: bytes, found: os.stat_result | None) -> Generator[Path]:
    """A temporary file beside a path, with these bytes on the disk; gone afterwards, unless it was given the name."""
    temporary = path.with_name(f".foldcover-{secrets.token_hex(8)}.tmp")
    file = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666 if found is None else 0o600)
    try:
        try:
            _DISK.write(file, data)
            if found is not None:
                with contextlib.suppress(PermissionError):
                    os.chown(file, found.st_uid, found.st_gid)
                os.chmod(file, stat.S_IMODE(found.st_mode))
            _DISK.flush(file)
        finally:
            _DISK.close(file)
        yield temporary
    finally:
        with contextlib.suppress(OSError):
            _DISK.unlink(temporary)
