"""The index of the archives: which parts of which files may hold a text.

Rule: derived, and never trusted further than that. It knows trigrams of documents, each a run of text of one archive
or of several small ones; what it names is then read in the files. Every transaction ends with a checksum of all it
holds, which is compared when the file is opened and whenever it was touched by another: a damaged or half written
index is thrown away, not believed. It never raises and never waits long; where it cannot say anything, the files are
scanned. Its own file is readable by its owner only.

SQLite's FTS5 with the trigram tokenizer, without content and without positions.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from foldcover_harness.session.needles import Region
from foldcover_harness.session.search_documents import Stamp, batches, documents, stamp_of

PATIENCE: Final = 0.25
"""Seconds that another process is waited for."""
_VERSION: Final = 1
_TABLES: Final = ("file", "piece", "text_data", "text_idx", "text_config")
_SCHEMA: Final = """
create table meta (version integer, checksum integer);
create table file (id integer primary key autoincrement, name text unique, size integer, modified integer,
                   changed integer);
create table piece (document integer, file integer, start integer, stop integer, line integer);
create virtual table text using fts5(body, tokenize='trigram case_sensitive 1', detail=none, content='', columnsize=0);
"""
_HARMLESS: Final = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PROTOCOL,
}
"""What is wrong with the moment or the place, not with the index."""


class _Piece(NamedTuple):
    document: int
    file: int
    region: Region


class Damaged(Exception):
    """The index is not what was written."""


class Index:
    """The index in one file. One thread at a time; several processes may share the file."""

    def __init__(self, path: Path, archives: Path) -> None:
        self.path = path
        self.archives = archives
        self.db: sqlite3.Connection | None = None
        self.files: dict[str, tuple[int, Stamp]] = {}
        self.pieces: dict[int, list[_Piece]] = {}
        self._state: tuple[int, ...] | None = None
        self._able = self._writable = True

    def fresh(self, stamps: Mapping[str, Stamp]) -> set[str]:
        """Those of the files that the index knows in just this state."""
        try:
            self._open(create=False)
        except Exception as error:
            self._failed(error)
        known = self.files
        return {name for name, stamp in stamps.items() if name in known and known[name][1] == stamp}

    def regions(self, trigrams: Sequence[Sequence[str]]) -> dict[str, list[Region]] | None:
        """The parts that may hold all trigrams of one of the lists, in order, by the files that have any."""
        match = " OR ".join(f"({' AND '.join(_quoted(each) for each in every)})" for every in trigrams)
        try:
            if self.db is None:
                return None
            rows: list[tuple[int]] = self.db.execute("select rowid from text where text match ?", (match,)).fetchall()
        except Exception as error:
            self._failed(error)
            return None
        names = {number: name for name, (number, _) in self.files.items()}
        found: dict[str, list[Region]] = {}
        for (document,) in rows:
            for piece in self.pieces.get(document, ()):
                if piece.file in names:
                    found.setdefault(names[piece.file], []).append(piece.region)
        for regions in found.values():
            regions.sort()
        return found

    def add(self, stamps: Mapping[str, Stamp]) -> None:
        """Read these files into the index, which is made if there is none. Where that fails it stays as it was."""
        try:
            self._open(create=True)
            if self.db is not None and self._writable:
                for batch in batches(stamps):
                    self._add(self.db, batch)
        except Exception as error:
            self._failed(error)

    def close(self) -> None:
        """Close the file. It is opened again when it is needed."""
        if self.db is not None:
            with contextlib.suppress(sqlite3.Error):
                self.db.close()
        self.db = None
        self.files, self.pieces = {}, {}

    def _open(self, create: bool) -> None:
        """Open the file, or again where another has touched it. Raises Damaged, or what SQLite raises."""
        if self.db is not None and self._state == self._look():
            return
        self.close()
        if create and self._able and not self.path.exists():
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_NOFOLLOW, 0o600))
        state = self._look()
        if state is None or (state[2] == 0 and not create):
            return
        mode = "rw" if os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK) else "ro"
        db = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}", timeout=0.25, uri=True, isolation_level=None
        )
        self.db = db
        db.execute("pragma cell_size_check = on")
        if state[2] == 0:
            _make(db)
        self._load(db)
        self._state = self._look()

    def _look(self) -> tuple[int, ...] | None:
        """What tells whether the file is the one that was read; None where there is no plain file."""
        try:
            seen = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return None
        if not stat.S_ISREG(seen.st_mode):
            return None
        return (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)

    def _load(self, db: sqlite3.Connection) -> None:
        """Compare the checksum and read the small tables, all in one state of the file."""
        db.execute("begin")
        try:
            meta = db.execute("select version, checksum from meta").fetchall()
            if meta != [(_VERSION, _checksum(db))]:
                raise Damaged
            files = db.execute("select id, name, size, modified, changed from file").fetchall()
            pieces = db.execute("select document, file, start, stop, line from piece").fetchall()
        finally:
            if db.in_transaction:
                db.execute("rollback")
        self.files = {name: (number, Stamp(*stamp)) for number, name, *stamp in files}
        self.pieces = {}
        for document, file, *region in pieces:
            self.pieces.setdefault(document, []).append(_Piece(document, file, Region(*region)))

    def _add(self, db: sqlite3.Connection, stamps: Mapping[str, Stamp]) -> None:
        db.execute("begin immediate")
        try:
            document = (db.execute("select max(document) from piece").fetchone()[0] or 0) + 1
            for text, pieces in documents(self._read(db, stamps)):
                db.execute("insert into text (rowid, body) values (?, ?)", (document, text))
                rows = [(document, file, *region) for file, region in pieces]
                db.executemany("insert into piece values (?, ?, ?, ?, ?)", rows)
                document += 1
            _seal(db)
            db.execute("commit")
        finally:
            if db.in_transaction:
                db.execute("rollback")
        _tidy(db)
        self._load(db)
        self._state = self._look()

    def _read(self, db: sqlite3.Connection, stamps: Mapping[str, Stamp]) -> Iterator[tuple[int, int]]:
        """Note each file and hand it out, open, with its number. One that has changed meanwhile is left out."""
        for name, stamp in stamps.items():
            db.execute("delete from file where name = ?", (name,))
            try:
                file = os.open(self.archives / name, os.O_RDONLY | os.O_NOFOLLOW)
            except OSError:
                continue
            try:
                number = db.execute(
                    "insert into file (name, size, modified, changed) values (?, ?, ?, ?)", (name, *stamp)
                ).lastrowid
                if number is not None:
                    yield number, file
                if stamp_of(os.fstat(file)) != stamp:
                    db.execute("delete from file where name = ?", (name,))
            finally:
                os.close(file)

    def _failed(self, error: Exception) -> None:
        """Close; throw the file away unless only the moment or the place was wrong."""
        self.close()
        self._state = None
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
        if isinstance(error, OSError | sqlite3.ProgrammingError | MemoryError) or code & 0xFF in _HARMLESS:
            return
        if isinstance(error, sqlite3.OperationalError) and "no such" in str(error) and "token" in str(error):
            self._able = False
        for name in (f"{self.path}-journal", str(self.path)):
            with contextlib.suppress(OSError):
                os.unlink(name)


def _make(db: sqlite3.Connection) -> None:
    db.execute("begin immediate")
    try:
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                db.execute(statement)
        db.execute("insert into meta values (?, 0)", (_VERSION,))
        _seal(db)
        db.execute("commit")
    finally:
        if db.in_transaction:
            db.execute("rollback")


def _seal(db: sqlite3.Connection) -> None:
    """Note the checksum of what this transaction leaves. The savepoint makes FTS5 write out what it still holds."""
    db.execute("savepoint seal")
    db.execute("release seal")
    db.execute("update meta set checksum = ?", (_checksum(db),))


def _checksum(db: sqlite3.Connection) -> int:
    total = 0
    for table in _TABLES:
        for row in db.execute(f"select * from {table} order by 1, 2"):
            for value in row:
                total = zlib.crc32(value if isinstance(value, bytes) else repr(value).encode(), total)
    return total


def _tidy(db: sqlite3.Connection) -> None:
    """Give back the pages that merging has left over, where they are more than a quarter of the file."""
    free, pages = (db.execute(f"pragma {name}").fetchone()[0] for name in ("freelist_count", "page_count"))
    if 4 * free > pages:
        db.execute("vacuum")


def _quoted(trigram: str) -> str:
    return '"' + trigram.replace('"', '""') + '"'
