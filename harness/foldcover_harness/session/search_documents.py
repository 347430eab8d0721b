"""How archives become the documents of the search index.

Rule: a document is a run of about `DOCUMENT` bytes of text, of one archive or of several small ones, and overlaps the
next by what the index may ask for at once, so that nothing is lost where they meet. Cuts lie between characters. An
archive is read in pieces, never whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from foldcover_harness.session.needles import WINDOW, Region, indexed, whole

DOCUMENT: Final = 1 << 18
"""Bytes of text of one document. Larger ones make a smaller index and more reading."""
BATCH: Final = 1 << 26
"""Bytes of text between two commits."""
_OVERLAP: Final = 4 * WINDOW
"""Bytes of the longest beginning of a query that the index knows of."""


class Stamp(NamedTuple):
    """What tells one state of a file from another."""

    size: int
    modified: int
    changed: int


def stamp_of(seen: os.stat_result) -> Stamp:
    """The stamp of a file from its stat."""
    return Stamp(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


def batches(stamps: Mapping[str, Stamp]) -> Iterator[dict[str, Stamp]]:
    """The files in lots of about BATCH bytes."""
    batch: dict[str, Stamp] = {}
    for name, stamp in stamps.items():
        batch[name] = stamp
        if sum(each.size for each in batch.values()) >= BATCH:
            yield batch
            batch = {}
    if batch:
        yield batch


def documents(files: Iterator[tuple[int, int]]) -> Iterator[tuple[str, list[tuple[int, Region]]]]:
    """The texts of the files in documents of about DOCUMENT bytes, with the regions that each is made of."""
    texts: list[str] = []
    pieces: list[tuple[int, Region]] = []
    room = DOCUMENT
    for number, file in files:
        at, line = 0, 1
        while data := os.pread(file, room + _OVERLAP, at):
            own = whole(data, room)
            texts.append(indexed(data))
            pieces.append((number, Region(at, at + own, line)))
            line += data.count(b"\n", 0, own)
            at += own
            room -= own
            if room < 4:
                yield "\1".join(texts), pieces
                texts, pieces, room = [], [], DOCUMENT
    if texts:
        yield "\1".join(texts), pieces
