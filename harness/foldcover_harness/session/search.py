"""Search over what was folded away: titles first, then the text of the archives.

Rule: what is found is what stands in the archives (needles.py says how a query is read), never what an index
believes. The index only says where not to look; a part of the archives that it does not know is scanned, so a
missing, stale, damaged or locked index costs time and nothing else. Queries of one or two characters always scan.
Titles that match come first, then lines of text; in both the newest unit first, and the lines of an archive in their
order: what was done last is asked for most. An answer is bounded and says whether there was more.

Case matters unless `ignore_case` is set, as with `grep -F`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple

from foldcover_harness.session.lines import one_line
from foldcover_harness.session.needles import Needles, Region, places
from foldcover_harness.session.search_documents import Stamp, stamp_of
from foldcover_harness.session.search_index import Index

ARCHIVES: Final = "archives"
INDEX: Final = "search.sqlite"
MOST_HITS: Final = 50
SHOWN: Final = 240
"""Characters of a hit's text."""
BEFORE: Final = 80
"""Bytes of the line that are shown before what was found."""
LEAST: Final = 1 << 20
"""Bytes of archives that are scanned rather than indexed: so small archives share a document of the index."""
IN_PASSING: Final = 8 << 20
"""Bytes of archives that a search indexes at most on its way; `update` indexes all."""


class Entry(NamedTuple):
    """What may be searched: a unit's title and the name of its archive. `unit` is None for a compacted part."""

    unit: int | None
    title: str
    archive: str


class Hit(NamedTuple):
    """A place that was found. `line` counts from 1 in the file; 0 says that the title matched, and `text` is the title.

    Otherwise `text` is the line, or the part of a long line around what was found.
    """

    unit: int | None
    title: str
    path: Path
    line: int
    text: str


class Found(NamedTuple):
    """The answer: hits in order, whether there were more than asked for, and archives that could not be read."""

    hits: tuple[Hit, ...]
    more: bool = False
    missing: tuple[str, ...] = ()


class Search:
    """Search in a session's folder. The entries, oldest first, come from its journal. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self.archives = folder / ARCHIVES
        self.index = Index(folder / INDEX, self.archives)

    def __enter__(self) -> Search:
        """The search itself; leaving closes the index."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the index."""
        self.close()

    def close(self) -> None:
        """Close the index's file."""
        self.index.close()

    def find(
        self,
        query: str,
        entries: Sequence[Entry],
        most: int = MOST_HITS,
        ignore_case: bool = False,
        each: int | None = None,
    ) -> Found:
        """The hits of a query, at most `most`, at most `each` lines of one archive. Nothing is found of ""."""
        needles = Needles(query, ignore_case)
        if not needles.forms:
            return Found(())
        stamps, missing = self._stamps(entries)
        hits: list[Hit] = []
        for hit in self._hits(needles, entries, stamps, missing, each):
            if len(hits) >= most:
                return Found(tuple(hits), True, tuple(sorted(missing)))
            hits.append(hit)
        return Found(tuple(hits), False, tuple(sorted(missing)))

    def update(self, entries: Sequence[Entry]) -> None:
        """Index everything that is not indexed: for a host that starts, or in the background. Never raises."""
        stamps, _ = self._stamps(entries)
        fresh = self.index.fresh(stamps)
        stale = {name: stamp for name, stamp in stamps.items() if name not in fresh}
        if sum(stamp.size for stamp in stale.values()) >= LEAST:
            self.index.add(stale)

    def _stamps(self, entries: Sequence[Entry]) -> tuple[dict[str, Stamp], set[str]]:
        """The archives that are there, and the names of those that are not (or are no plain files of the folder)."""
        stamps: dict[str, Stamp] = {}
        missing: set[str] = set()
        folder = str(self.archives)
        for name in dict.fromkeys(entry.archive for entry in entries):
            try:
                seen = os.stat(f"{folder}{os.sep}{name}", follow_symlinks=False)
            except (OSError, ValueError):
                missing.add(name)
                continue
            if os.sep not in name and stat.S_ISREG(seen.st_mode):
                stamps[name] = stamp_of(seen)
            else:
                missing.add(name)
        return stamps, missing

    def _hits(
        self,
        needles: Needles,
        entries: Sequence[Entry],
        stamps: dict[str, Stamp],
        missing: set[str],
        each: int | None,
    ) -> Iterator[Hit]:
        for entry in reversed(entries):
            if needles.in_text(entry.title):
                yield Hit(entry.unit, entry.title, self.archives / entry.archive, 0, one_line(entry.title, SHOWN))
        regions = self._regions(needles, stamps)
        seen: set[str] = set()
        for entry in reversed(entries):
            name = entry.archive
            if name in seen or name not in stamps:
                continue
            seen.add(name)
            parts = regions.get(name, [Region(0, stamps[name].size, 1)])
            try:
                yield from self._in_archive(needles, entry, parts, each)
            except OSError:
                missing.add(name)

    def _regions(self, needles: Needles, stamps: dict[str, Stamp]) -> dict[str, list[Region]]:
        """Where the query may stand, for the archives of which the index can tell."""
        trigrams = needles.trigrams()
        if trigrams is None:
            return {}
        fresh = self.index.fresh(stamps)
        stale = {name: stamp for name, stamp in stamps.items() if name not in fresh}
        if sum(stamp.size for stamp in stale.values()) >= LEAST:
            left = IN_PASSING
            chosen: dict[str, Stamp] = {}
            for name, stamp in stale.items():
                if stamp.size <= left:
                    chosen[name] = stamp
                    left -= stamp.size
            if IN_PASSING - left >= LEAST:
                self.index.add(chosen)
                fresh = self.index.fresh(stamps)
        regions = self.index.regions(trigrams) if fresh else None
        return {} if regions is None else {name: regions.get(name, []) for name in fresh}

    def _in_archive(self, needles: Needles, entry: Entry, parts: list[Region], each: int | None) -> Iterator[Hit]:
        if not parts:
            return
        path = self.archives / entry.archive
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            count = last = 0
            for region in parts:
                for at, line in places(file, region, needles):
                    if line == last:
                        continue
                    if each is not None and count >= each:
                        return
                    count, last = count + 1, line
                    yield Hit(entry.unit, entry.title, path, line, _shown(file, at))
        finally:
            os.close(file)


def _shown(file: int, at: int) -> str:
    """The line around a place, as far as it is shown."""
    start = max(at - BEFORE, 0)
    before, after = os.pread(file, at - start, start), os.pread(file, 4 * SHOWN, at)
    begun = before.rfind(b"\n") + 1
    while begun < len(before) and before[begun] & 0xC0 == 0x80:
        begun += 1
    line = (before[begun:] + after.split(b"\n", 1)[0]).decode("utf-8", "ignore")
    return one_line(line[: SHOWN + 1], SHOWN)
