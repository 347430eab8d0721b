"""A disk that fails, dies or loses power at any one of its operations.

It does the operations in a real folder and keeps beside it what a disk would hold without its memory: the bytes that
were flushed file by file, the names that were flushed folder by folder. On a loss of power the folder is made to hold
that, or something in between. `runs` goes through every fault at every operation of some work.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, TypeVar

from foldcover_harness.session.disk import Disk, State

Kind = Literal["full", "stays full", "broken", "short", "dies half", "dies after"]
"""At that operation: no room and nothing done; the same from then on; half done, then an error; half of the bytes taken
without an error; half done, then the end of the process; done, then the end."""
Loss = Literal["nothing", "contents", "half", "zeros", "names", "all"]
"""What a death takes along of what was not flushed: the process only; the bytes; half of them; they are there as zeros;
the names; the bytes and the names."""
T = TypeVar("T")
_FAILS: tuple[Kind, ...] = ("full", "stays full", "broken", "short")
_DIES: tuple[Kind, ...] = ("dies half", "dies after")
_LOSSES: tuple[Loss, ...] = ("nothing", "contents", "half", "zeros", "names", "all")


class Died(BaseException):
    """The process ended here: whoever catches this and goes on is wrong."""


class Fault(NamedTuple):
    """What goes wrong, and at which operation (from 0)."""

    at: int
    kind: Kind
    loss: Loss = "nothing"


class Run(NamedTuple):
    """One run of some work: the folder as it was left, the fault, whether the work returned, and what was raised."""

    folder: Path
    fault: Fault
    returned: bool
    raised: BaseException | None


def every_fault(count: int) -> Iterator[Fault]:
    """Every fault at every one of `count` operations."""
    for at in range(count):
        yield from (Fault(at, kind) for kind in _FAILS)
        yield from (Fault(at, kind, loss) for kind in _DIES for loss in _LOSSES)


def runs(root: Path, prepare: Callable[[Path], object], work: Callable[[Disk, Path], None]) -> Iterator[Run]:
    """Do the work once for every fault, each time in a folder of its own that was prepared and is on the disk.

    The last operation comes after the work: what it returned from must outlive a loss of power right then.
    """
    first = root / "whole"
    first.mkdir()
    prepare(first)
    disk = FaultyDisk(first)
    work(disk, first)
    disk.end()
    disk.forget()
    for number, fault in enumerate(every_fault(disk.count)):
        folder = root / str(number)
        folder.mkdir()
        prepare(folder)
        disk = FaultyDisk(folder, fault)
        returned, raised = False, None
        try:
            work(disk, folder)
            returned = True
            disk.end()
        except (Exception, Died) as error:
            raised = error
        disk.forget()
        yield Run(folder, fault, returned, raised)
        shutil.rmtree(folder)


def lose_power(disk: "FaultyDisk") -> None:
    """Lose all that was not flushed, now."""
    disk.set(Fault(disk.count, "dies after", "all"))
    with contextlib.suppress(Died):
        disk.end()
    disk.forget()


class FaultyDisk(Disk):
    """A disk under `root` whose one fault comes at its operation. `count` is how many operations there were so far."""

    def __init__(self, root: Path, fault: Fault | None = None) -> None:
        self.count = 0
        self.done: list[str] = []
        self._root = root
        self._fault = fault
        self._dead = False
        self._files: dict[int, int] = {}
        """The open files, and which of the things below each is."""
        found = sorted(root.rglob("*"))
        self._now = {path: number for number, path in enumerate(found)}
        """The names as the running system sees them."""
        self._kept = dict(self._now)
        """The names that a loss of power leaves."""
        self._bytes = {self._now[path]: path.read_bytes() for path in found if path.is_file()}
        """The bytes that a loss of power leaves. What is not here is a folder."""
        self._next = len(found)

    def set(self, fault: Fault | None) -> None:
        """Have another fault from here on, or none."""
        self._fault = fault

    def end(self) -> None:
        """An operation that does nothing, for a fault to come at."""
        self._step("end", lambda: None)

    def forget(self) -> None:
        """Close what is still open, as the end of a process does."""
        for file in self._files:
            os.close(file)
        self._files.clear()

    def mkdir(self, folder: Path) -> None:
        """Make a folder, and note that its name is not flushed."""
        self._step("mkdir", lambda: self._made(folder))

    def create(self, path: Path) -> int:
        """Make a file, and note that neither its name nor its bytes are flushed."""
        return self._step("create", lambda: self._created(path))

    def open_to_append(self, path: Path) -> int:
        """Open a file."""
        return self._step("open", lambda: self._opened(super(FaultyDisk, self).open_to_append(path), path))

    def open_to_read(self, path: Path) -> BinaryIO:
        """Open a file as a stream; its reads do not fail."""
        self._step("read", lambda: None)
        return super().open_to_read(path)

    def write_some(self, file: int, data: memoryview) -> int:
        """Append all, or half of it where the fault says so."""
        half = data[: (len(data) + 1) // 2]
        return self._step("write", lambda: os.write(file, data), lambda: os.write(file, half))

    def flush(self, file: int) -> None:
        """Note the file's bytes as flushed."""
        self._step("flush", lambda: self._flushed(file))

    def flush_folder(self, folder: Path) -> None:
        """Note the folder's names as flushed."""
        self._step("flush folder", lambda: self._keep(folder))

    def rename(self, old: Path, new: Path) -> None:
        """Rename, and note that the names are not flushed."""
        self._step("rename", lambda: self._renamed(old, new))

    def unlink(self, path: Path) -> None:
        """Remove, and note that this is not flushed."""
        self._step("unlink", lambda: self._unlinked(path))

    def truncate(self, file: int, size: int) -> None:
        """Cut an open file."""
        self._step("truncate", lambda: super(FaultyDisk, self).truncate(file, size))

    def names(self, folder: Path) -> list[str]:
        """The names in a folder."""
        return self._step("names", lambda: super(FaultyDisk, self).names(folder))

    def state(self, path: Path) -> State | None:
        """Which file is there."""
        return self._step("state", lambda: super(FaultyDisk, self).state(path))

    def close(self, file: int) -> None:
        """Close a file: it is closed even if this fails."""
        if not self._dead:
            self._files.pop(file)
            os.close(file)
        self._step("close", lambda: None)

    def _step(self, name: str, act: Callable[[], T], half: Callable[[], T] | None = None) -> T:
        """One operation, with its fault if it is the one."""
        if self._dead:
            raise Died(f"{name} after the end")
        number, self.count = self.count, self.count + 1
        self.done.append(name)
        fault = self._fault
        if fault is None or number < fault.at or (number > fault.at and fault.kind != "stays full"):
            return act()
        if fault.kind in ("full", "stays full"):
            raise OSError(errno.ENOSPC, f"no room, at {name}")
        if fault.kind == "short":
            return (half or act)()
        if fault.kind == "dies after":
            act()
        elif half:
            half()
        if fault.kind == "broken":
            raise OSError(errno.EIO, f"broken, at {name}")
        self._die(fault.loss)
        raise Died(f"{fault.kind} at {name}")

    def _die(self, loss: Loss) -> None:
        self._dead = True
        if loss != "nothing":
            names = self._kept if loss in ("names", "all") else self._now
            held = {number: path.read_bytes() for path, number in self._now.items() if path.is_file()}
            for path in self._root.iterdir():
                _remove(path)
            for path, number in sorted(names.items()):
                if path.parent.is_dir():
                    self._restore(path, number, held.get(number), loss)

    def _restore(self, path: Path, number: int, held: bytes | None, loss: Loss) -> None:
        if number not in self._bytes:
            path.mkdir(mode=0o700)
            return
        kept = self._bytes[number]
        extra = held[len(kept) :] if held is not None and held.startswith(kept) else b""
        if loss == "names" and held is not None:
            kept, extra = held, b""
        elif loss == "half":
            extra = extra[: (len(extra) + 1) // 2]
        path.write_bytes(kept + (bytes(len(extra)) if loss == "zeros" else extra if loss == "half" else b""))

    def _made(self, folder: Path) -> None:
        super().mkdir(folder)
        self._new(folder)

    def _created(self, path: Path) -> int:
        file = super().create(path)
        self._bytes[self._new(path)] = b""
        return self._opened(file, path)

    def _opened(self, file: int, path: Path) -> int:
        self._files[file] = self._now[path]
        return file

    def _flushed(self, file: int) -> None:
        self._bytes[self._files[file]] = os.pread(file, os.fstat(file).st_size, 0)

    def _unlinked(self, path: Path) -> None:
        super().unlink(path)
        self._now.pop(path)

    def _renamed(self, old: Path, new: Path) -> None:
        super().rename(old, new)
        self._now[new] = self._now.pop(old)

    def _keep(self, folder: Path) -> None:
        others = {path: number for path, number in self._kept.items() if path.parent != folder}
        self._kept = others | {path: number for path, number in self._now.items() if path.parent == folder}

    def _new(self, path: Path) -> int:
        self._now[path] = number = self._next
        self._next += 1
        return number


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
