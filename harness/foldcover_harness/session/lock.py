"""One writer a folder.

Rule: who writes to a session's folder holds its lock; who reads needs none. The system holds the lock for the process,
so that it ends with the process, also when that is killed. The file stays: removing it would let two hold two files of
one name. What stands in it (the holder's process id) is a hint for people and decides nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from types import TracebackType
from typing import Final

NAME: Final = "lock"
_TRIES: Final = 8


class Locked(Exception):
    """Somebody else writes to the folder. `pid` is the process that does, where it is known."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        mine = " (this process)" if pid == os.getpid() else ""
        super().__init__(f"{folder} is in use by {f'process {pid}{mine}' if pid else 'another process'}")
        self.folder = folder
        self.pid = pid


class Lock:
    """The right to write to a folder, held from `acquire` to `release` or to the end of the process."""

    def __init__(self, file: int, folder: Path) -> None:
        self._file: int | None = file
        self.folder = folder

    @staticmethod
    def acquire(folder: Path) -> Lock:
        """Take the lock of a folder that is there, at once or not at all: Locked, or OSError."""
        # Loaded here: who only reads, or asks for help, does not pay for it.
        from filelock import lock_descriptor

        path = folder / NAME
        for _ in range(_TRIES):
            file = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
            try:
                if not lock_descriptor(file, blocking=False):
                    raise Locked(folder, _pid(file))
                if _stands_at(file, path):
                    _sign(file)
                    return Lock(file, folder)
            except BaseException:
                os.close(file)
                raise
            # Somebody removed the file between the two steps: it is another one now.
            os.close(file)
        raise OSError(errno.EAGAIN, "the lock file is replaced again and again", str(path))

    def release(self) -> None:
        """Give the lock back. Twice is once."""
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(file, 0)
            os.close(file)

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def _stands_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except FileNotFoundError:
        return False


def _sign(file: int) -> None:
    """Leave our process id, if the disk lets us: a full disk is no reason to refuse the lock."""
    with contextlib.suppress(OSError):
        os.chmod(file, 0o600)
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, b"%d\n" % os.getpid())


def _pid(file: int) -> int | None:
    try:
        text = os.pread(file, 32, 0).strip()
    except OSError:
        return None
    return int(text) if text.isdigit() and len(text) <= 10 else None
