"""Where `foldcover replay --trace FILE` writes: never over what it reads, and all of it or nothing.

Rule: whether FILE may be written is decided before anything is opened. A regular file is written beside its place and
put there at the end; what is no regular file (a pipe, a device) is written straight; `-`, or a FILE that is what stdout
leads to, is stdout, and the table then goes to stderr.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import stat
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple, cast


class Unwritable(Exception):
    """FILE cannot take the trace; the message says why."""


class Target(NamedTuple):
    """A place for the trace that was looked at: the path that links lead to; none for stdout."""

    path: Path | None
    packed: bool = False

    @property
    def is_stdout(self) -> bool:
        """Whether the trace takes stdout."""
        return self.path is None


def target(name: str, inputs: Iterable[Path]) -> Target:
    """Look at FILE. Raises Unwritable where it is one of the inputs, or can be no file."""
    if not name:
        raise Unwritable("a file name is missing")
    try:
        place = os.fstat(1) if name == "-" else _state(name)
        if place is not None and stat.S_ISREG(place.st_mode):
            _refuse_input(place, inputs)
        if place is not None and stat.S_ISDIR(place.st_mode):
            raise Unwritable("a folder, not a file")
        if name == "-" or (place is not None and _same(place, 1)):
            return Target(None)
        if place is None and not Path(name).parent.is_dir():
            raise Unwritable("its folder does not exist")
        return Target(Path(os.path.realpath(name)), name.endswith(".gz"))
    except OSError as error:
        raise Unwritable(error.strerror or str(error)) from error
    except ValueError as error:  # a NUL in a name
        raise Unwritable("not a path") from error


@contextmanager
def opened(place: Target) -> Generator[IO[str]]:
    """The trace, to be written. It is at its place when the block ends well, and was never there otherwise.

    Raises OSError.
    """
    if place.path is None:
        sys.stdout.flush()
        with open(os.dup(1), "w", encoding="utf-8") as file:
            yield file
        return
    found = _state(place.path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        with open(os.dup(2) if _same(found, 2) else place.path, "wb") as raw, _text(raw, place.packed) as file:
            yield file
        return
    beside = place.path.with_name(f".foldcover-{os.getpid()}.part")
    mode = 0o666 if found is None else stat.S_IMODE(found.st_mode)
    try:
        with _made(beside, mode) as part, _text(part, place.packed) as file:
            yield file
        if found is not None:
            os.chmod(beside, mode)
        os.replace(beside, place.path)
    except BaseException as error:
        if not isinstance(error, FileExistsError):
            with suppress(OSError):
                beside.unlink()
        raise


def _made(path: Path, mode: int) -> IO[bytes]:
    """A new file of this mode, as far as the umask lets it."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))


@contextmanager
def _text(raw: IO[bytes], packed: bool) -> Generator[IO[str]]:
    """Text into a file, packed on its way. The file itself stays open."""
    packing = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) if packed else None
    text = io.TextIOWrapper(cast(IO[bytes], _Through(packing)) if packing else raw, encoding="utf-8")
    try:
        yield text
        text.flush()
    finally:
        text.detach()
        if packing is not None:
            packing.close()


class _Through(io.RawIOBase):
    """Into a packed file, which is not flushed at every line: that would cost most of what packing saves."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, data: object) -> int:
        """Pack it."""
        return self._file.write(cast(bytes, data))


def _refuse_input(place: os.stat_result, inputs: Iterable[Path]) -> None:
    for path in inputs:
        try:
            found = path.stat()
        except (OSError, ValueError):
            continue
        if os.path.samestat(found, place):
            raise Unwritable(f"it is a file that is replayed ({path}): nothing was read or written")


def _state(path: str | Path) -> os.stat_result | None:
    """The file behind a path; None where there is none yet."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _same(found: os.stat_result, number: int) -> bool:
    """Whether it is what an open descriptor leads to."""
    try:
        return os.path.samestat(found, os.fstat(number))
    except OSError as error:
        if error.errno != errno.EBADF:
            raise
        return False
