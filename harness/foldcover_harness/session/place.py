"""A session's folder, taken into possession: its journal, and the lock of who writes.

Rule: who writes holds the lock before anything is written, and gives it back where the journal cannot be had. No lock
is made where there is no session.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

from foldcover_harness.session import archive
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.exact import NotJson
from foldcover_harness.session.folding import ARCHIVES
from foldcover_harness.session.journal import Journal
from foldcover_harness.session.lock import Lock
from foldcover_harness.session.reports import SessionError

JOURNAL: Final = "journal.jsonl"


class Place(NamedTuple):
    """A folder with its journal; without a lock it is for reading only."""

    folder: Path
    journal: Journal
    lock: Lock | None


def made(folder: Path, header: dict[str, Any], disk: Disk) -> Place:
    """A new session's place, in a folder that holds none. SessionError, JournalError, Locked, OSError."""
    disk.make_folder(folder)
    lock = Lock.acquire(folder)
    try:
        return Place(folder, Journal.create(disk, folder / JOURNAL, header), lock)
    except BaseException as error:
        lock.release()
        if isinstance(error, NotJson):
            raise SessionError(f"the standing part cannot be kept as JSON: {error}") from error
        raise


def found(folder: Path, disk: Disk, read_only: bool) -> Place:
    """The place of a session that is there. JournalError, Locked, OSError."""
    journal = Journal.open(disk, folder / JOURNAL, read_only=True)
    if read_only:
        return Place(folder, journal, None)
    lock = Lock.acquire(folder)
    try:
        journal = Journal.open(disk, folder / JOURNAL)
        archive.clean(disk, folder / ARCHIVES)
        return Place(folder, journal, lock)
    except BaseException:
        lock.release()
        raise
