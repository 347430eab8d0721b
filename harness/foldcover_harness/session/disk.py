"""The file operations of a session: all of them, and no others.

Rule: the session touches the disk through these methods only, so that a test can fail or kill it at every one. A mode
is what it says, whatever the umask. A method that returns has done all of it; one that raises raises OSError and
leaves the decision to its caller. What must outlive a power cut is flushed by its caller: the file before it is
renamed, the folder after.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO, NamedTuple

FOLDER_MODE = 0o700
FILE_MODE = 0o600


class State(NamedTuple):
    """Which file a path leads to, and its size in bytes: what changes when somebody else writes or replaces it."""

    inode: int
    size: int


class Disk:
    """The disk as it is. A file is the integer that the system gives for an open one."""

    def mkdir(self, folder: Path) -> None:
        """Make one folder that only its owner may enter. FileExistsError if there is something of that name."""
        os.mkdir(folder, FOLDER_MODE)
        os.chmod(folder, FOLDER_MODE)

    def create(self, path: Path) -> int:
        """Make a new file that only its owner may read, open for appending. FileExistsError if there is one."""
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND, FILE_MODE)
        try:
            os.chmod(path, FILE_MODE)
        except BaseException:
            os.close(file)
            raise
        return file

    def open_to_append(self, path: Path) -> int:
        """Open a file that is there: what is written goes to its end."""
        return os.open(path, os.O_RDWR | os.O_APPEND)

    def open_to_read(self, path: Path) -> BinaryIO:
        """Open a file as a stream of bytes."""
        return path.open("rb")

    def write_some(self, file: int, data: memoryview) -> int:
        """Append bytes, and say how many: the system may take fewer than it was given."""
        return os.write(file, data)

    def flush(self, file: int) -> None:
        """Have everything written to the file so far on the disk itself, its size included."""
        if sys.platform == "darwin":
            import fcntl

            fcntl.fcntl(file, fcntl.F_FULLFSYNC)
        elif sys.platform == "win32":
            os.fsync(file)
        else:
            os.fdatasync(file)

    def flush_folder(self, folder: Path) -> None:
        """Have the names in a folder on the disk itself: what was made, renamed or removed there."""
        if sys.platform == "win32":
            return
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(file)
        finally:
            os.close(file)

    def rename(self, old: Path, new: Path) -> None:
        """Give a file another name at once, in the place of what had it."""
        os.replace(old, new)

    def unlink(self, path: Path) -> None:
        """Remove a name."""
        os.unlink(path)

    def truncate(self, file: int, size: int) -> None:
        """Cut an open file to its first bytes."""
        os.ftruncate(file, size)

    def names(self, folder: Path) -> list[str]:
        """The names in a folder, in no order."""
        return os.listdir(folder)

    def state(self, path: Path) -> State | None:
        """Which file is there and how large, or None if there is none. Anything but a plain file is an OSError."""
        try:
            found = os.stat(path)
        except FileNotFoundError:
            return None
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a plain file", str(path))
        return State(found.st_ino, found.st_size)

    def close(self, file: int) -> None:
        """Close an open file."""
        os.close(file)

    # What follows is made of the above.

    def read(self, path: Path) -> bytes:
        """All bytes of a file."""
        with self.open_to_read(path) as stream:
            return stream.read()

    def write(self, file: int, data: bytes) -> None:
        """Append all of the bytes, in as many writes as it takes. What was written before an error stays written."""
        rest = memoryview(data)
        while rest:
            written = self.write_some(file, rest)
            if written <= 0:
                raise OSError(errno.EIO, "the system took no bytes")
            rest = rest[written:]

    def make_folder(self, folder: Path) -> None:
        """Have the folder there, and its name on the disk itself. One that is there keeps its mode; no parents."""
        try:
            self.mkdir(folder)
        except FileExistsError:
            if not folder.is_dir():
                raise
        self.flush_folder(folder.parent)

    def put(self, path: Path, data: bytes) -> None:
        """Have a whole file under that name, or what was there before: never a part of it.

        Order: a temporary name, the bytes, their flush, the name, the folder's flush. After an error at the last step
        the file is there, but a power cut may take it.
        """
        temporary = temporary_name(path)
        with contextlib.suppress(FileNotFoundError):
            self.unlink(temporary)
        try:
            file = self.create(temporary)
            try:
                self.write(file, data)
                self.flush(file)
            finally:
                self.close(file)
            self.rename(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                self.unlink(temporary)
            raise
        self.flush_folder(path.parent)


def reason(error: OSError) -> str:
    """What the system says, behind the file that it names, if it names one."""
    where = f"{error.filename}: " if isinstance(error.filename, str) else ""
    return f"{where}{error.strerror or error}"


def temporary_name(path: Path) -> Path:
    """Where a file stands until it is whole."""
    return path.with_name(f".{path.name}.tmp")
