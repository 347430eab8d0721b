"""Transcripts as one history of units: the texts of every turn, by source.

Rule: a unit is one turn of a person; what a client puts in the person's place opens none. Transcripts stand in the
order of their first time stamp; those without one keep their given order, behind the others. A unit that says word for
word what an earlier one said (a copy, a resumed session) is left out and counted: no reader could tell the two apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from foldcover_harness.session.importing import Imported, read
from foldcover_harness.session.terms import SOURCES, Source
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.values import is_object
from foldcover_harness.session.wires.wire import Message, Role, Wire
from foldcover_harness.transcripts.claude_code import NOT_HUMAN
from foldcover_harness.transcripts.codex import INJECTED
from foldcover_harness.transcripts.model import Kind

Piece = tuple[Source, str]
MOST_LINES: Final = 200
"""Lines of a file that are searched for its first time stamp and its working folder."""


class Unit(NamedTuple):
    """A closed unit: the transcript that it comes from (counted from 0), its project ("" where unknown), its texts."""

    transcript: int
    project: str
    pieces: tuple[Piece, ...]

    def said(self, *sources: Source) -> str:
        """The texts of these sources, a line break between them."""
        return "\n".join(text for source, text in self.pieces if source in sources)

    @property
    def text(self) -> str:
        """All texts."""
        return "\n".join(text for _, text in self.pieces)


class Transcript(NamedTuple):
    """A file that was read: its units' texts, when it began ("" where unknown), its working folder's name."""

    path: Path
    turns: tuple[tuple[Piece, ...], ...]
    began: str
    project: str


class History(NamedTuple):
    """The units of all transcripts, oldest first, and how many copies were left out."""

    units: tuple[Unit, ...]
    transcripts: tuple[Path, ...]
    copies: int


def load(path: Path) -> Transcript:
    """Read one file. Raises importing.Unknown or OSError."""
    imported = read(path)
    began, project = _origin(path)
    return Transcript(path, tuple(turns(imported)), began, project)


def turns(imported: Imported) -> Iterator[tuple[Piece, ...]]:
    """The texts of each turn by source; what the wire refuses is left out."""
    wire = WIRES[imported.wire]
    taken: list[tuple[Role, Message]] = []
    for role, message in imported.messages:
        if wire.refuse(role, message) is not None:
            continue
        if role == "user" and _human(wire.said(message)) and taken:
            yield from _turn(wire, taken)
            taken = []
        taken.append((role, message))
    yield from _turn(wire, taken)


def _human(words: str) -> bool:
    return not words.lstrip().startswith((*NOT_HUMAN, *INJECTED))


def _turn(wire: Wire, messages: Sequence[tuple[Role, Message]]) -> Iterator[tuple[Piece, ...]]:
    """The turn, if the model says or does anything in it."""
    pieces = [
        piece
        for role, message in messages
        if role != "user" or _human(wire.said(message))
        for piece in wire.pieces(message)
    ]
    if all(role == "user" for role, _ in messages):
        return
    last = max((at for at, piece in enumerate(pieces) if piece.kind is Kind.TEXT and piece.text.strip()), default=-1)
    found: list[Piece] = []
    for at, piece in enumerate(pieces):
        if piece.kind in SOURCES and piece.text.strip():
            found.append(("closing" if at == last else SOURCES[piece.kind], piece.text))
    if found:
        yield tuple(found)


def _origin(path: Path) -> tuple[str, str]:
    """The first time stamp of a file, and the name of the folder that it worked in; "" where there is none."""
    began = project = ""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for _, line in zip(range(MOST_LINES), lines, strict=False):
            try:
                found: Any = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if not is_object(found):
                continue
            payload = found.get("payload")
            for place in (found, payload if is_object(payload) else {}):
                stamp, folder = place.get("timestamp"), place.get("cwd")
                began = began or (stamp if isinstance(stamp, str) else "")
                project = project or (_named(folder) if isinstance(folder, str) else "")
            if began and project:
                break
    return began, project


def _named(folder: str) -> str:
    """What a working folder is called: its last part, that of the checkout for a worktree."""
    parts = PurePosixPath(folder.replace("\\", "/")).parts
    for at, part in enumerate(parts):
        if part in (".worktrees", "worktrees") and at:
            return parts[at - 1]
    return parts[-1] if parts else ""


def history(transcripts: Sequence[Transcript]) -> History:
    """All units in one order, copies left out."""
    ordered = sorted(transcripts, key=lambda each: (not each.began, each.began))
    units: list[Unit] = []
    seen: set[str] = set()
    copies = 0
    for number, each in enumerate(ordered):
        for pieces in each.turns:
            unit = Unit(number, each.project, pieces)
            words = " ".join(unit.said("user", "text", "closing").split())
            if words and words in seen:
                copies += 1
                continue
            seen.add(words)
            units.append(unit)
    return History(tuple(units), tuple(each.path for each in ordered), copies)
