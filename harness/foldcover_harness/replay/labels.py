"""Labelled boundaries: a file of rows (transcript, turn), JSON lines or CSV.

Rule: `turn` is the number, from 0, of the turn after which a unit closes. `transcript` is a path, or as much of its end
as tells it from the others. What cannot be read is an error that names the line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from foldcover_harness.replay import place
from foldcover_harness.replay.place import Place


class LabelError(Exception):
    """The labels cannot be read, or do not fit. The message is for the user."""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One labelled boundary."""

    transcript: Annotated[str, Meta(min_length=1)]
    turn: Annotated[int, Meta(ge=0)]


class Labels(NamedTuple):
    """The rows of a file, each with the number of its line."""

    file: Path
    rows: tuple[tuple[int, Row], ...]

    def of(self, where: Place, turns: int) -> frozenset[int] | None:
        """Return the boundaries of one transcript of so many turns; None where it has no rows. Raises LabelError
        where there is no such turn.
        """
        found: set[int] = set()
        labelled = False
        for number, row in self.rows:
            if not _names(row, where):
                continue
            labelled = True
            if row.turn >= turns:
                raise LabelError(f"{self.file} line {number}: no turn {row.turn}, the transcript has {turns}")
            found.add(row.turn)
        # The last turn stays open, whatever is said of it: nothing follows it.
        return frozenset(found - {turns - 1}) if labelled else None

    def unused(self, places: Iterable[Place]) -> list[tuple[int, Row]]:
        """Return the rows that are of none of these transcripts, each with its line."""
        known = list(places)
        return [(number, row) for number, row in self.rows if not any(_names(row, where) for where in known)]


def _names(row: Row, where: Place) -> bool:
    parts = PurePath(row.transcript).parts
    return place.parts(where)[-len(parts) :] == parts


def read(file: Path) -> Labels:
    """Return the labels in a file. Raises LabelError."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise LabelError(f"{file}: {reason or type(error).__name__}") from error
    as_json = text.lstrip()[:1] == "{"
    rows = tuple(_json_rows(file, text) if as_json else _csv_rows(file, text))
    if not rows:
        raise LabelError(f"{file}: no labels in it")
    return Labels(file, rows)


def _json_rows(file: Path, text: str) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, msgspec.json.decode(line, type=Row)
            except msgspec.MsgspecError as error:
                raise LabelError(f"{file} line {number}: {error}") from error


def _csv_rows(file: Path, text: str) -> Iterator[tuple[int, Row]]:
    lines = csv.reader(text.split("\n"), strict=True)
    try:
        heading = next(lines, list[str]())
        if [each.strip() for each in heading] != ["transcript", "turn"]:
            raise LabelError(f"{file} line 1: neither a JSON object nor the heading 'transcript,turn'")
        for cells in lines:
            if not cells:
                continue
            if len(cells) != 2:
                raise LabelError(f"{file} line {lines.line_num}: {len(cells)} cells instead of 2")
            yield (
                lines.line_num,
                msgspec.convert(dict(zip(("transcript", "turn"), cells, strict=True)), Row, strict=False),
            )
    except (csv.Error, msgspec.MsgspecError) as error:
        raise LabelError(f"{file} line {lines.line_num}: {error}") from error
