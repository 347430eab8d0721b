"""A fold, from the messages of some turns to the event that closes them.

Rule, and order: the receipt is built by the host, with no model call; the archive is on the disk and has its name; then
the title, which names it; the event is for the caller to make durable. Nothing here changes the session.
(First post, "How a fold works".)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foldcover import Block
from foldcover_harness.session import archive
from foldcover_harness.session.card import ALL_WORDS
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.receipt import receipt_of
from foldcover_harness.session.state import Asked, Entry, State, labelled, leaving
from foldcover_harness.session.terms import SOURCES, Source, Terms, terms_of
from foldcover_harness.session.titles import title_of
from foldcover_harness.session.tokens import Counter, weigh_line
from foldcover_harness.session.wires.wire import Wire
from foldcover_harness.transcripts.model import Kind

ARCHIVES = "archives"


def fold_event(state: State, asked: Asked, disk: Disk, folder: Path, most: int, count: Counter) -> dict[str, Any]:
    """Archive the messages of the asked turns, and return the event that folds them. OSError or ArchiveClash: no
    fold.
    """
    turns = state.turns[asked.first : asked.last + 1]
    entries = [entry for turn in turns for entry in turn.entries or ()]
    messages = [entry.message for entry in entries]
    elsewhere = tuple(name for turn in turns for name in turn.shortened)
    receipt = receipt_of(state.wire, entries, asked.first, asked.last, elsewhere)
    kept = archive.write(disk, folder / ARCHIVES, receipt.text, messages)
    title = title_of(receipt, asked.title, kept.name, most)
    return {
        "e": "fold",
        "first": asked.first,
        "last": asked.last,
        "title": title,
        "weight": weigh_line(labelled(Block(len(state.units), 1), title), count),
        "archive": kept.name,
        "sha256": kept.sha256,
        "terms": [list(term) for term in terms(state.wire, entries)],
    }


def terms(wire: Wire, entries: Sequence[Entry]) -> Terms:
    """The terms of a unit from its messages; the last words of the model count as its closing message."""
    pieces = [piece for entry in entries for piece in wire.pieces(entry.message)]
    last = max((at for at, piece in enumerate(pieces) if piece.kind is Kind.TEXT), default=-1)
    sourced: list[tuple[Source, str]] = []
    for at, piece in enumerate(pieces):
        if piece.kind in SOURCES:
            sourced.append(("closing" if at == last else SOURCES[piece.kind], piece.text))
    return terms_of(sourced)


def compact_event(
    state: State, summary: str, staying: int | None, disk: Disk, folder: Path, window: int
) -> dict[str, Any]:
    """Archive the messages of all open turns, and return the event that puts the summary in their place. Of a turn in
    progress the first message and the `staying` last ones are left where they are.
    """
    open_turns = [number for number, turn in enumerate(state.turns) if turn.open]
    first, last = open_turns[0], open_turns[-1]
    event: dict[str, Any] = {"e": "compact", "first": first, "last": last, "summary": summary}
    if staying is not None:
        event["kept"] = staying
    messages = [entry.message for entry in leaving(state, event)]
    kept = archive.write(disk, folder / ARCHIVES, f"turns {first} to {last}, compacted\n{summary}", messages)
    return {**event, "quoted": min(ALL_WORDS, window // 2), "archive": kept.name, "sha256": kept.sha256}
