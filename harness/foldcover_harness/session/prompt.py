"""The next request, and what it weighs.

Rule: standing part, then the cover, then the tail, word for word; between closes every request begins with the one
before. Pure: a request is a function of the state and of what was chosen when the session was made. Only what the host
itself noted goes out as a card or a summary; text that looks like one is just text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from foldcover_harness.session.state import Entry, State, cover_lines
from foldcover_harness.session.tokens import Counter, weigh
from foldcover_harness.session.wires.wire import Json, Message, Tool
from foldcover_harness.transcripts.model import utf8_size

COVER = (
    "The finished work of this session, oldest first. Each line begins with the number of the unit, or the "
    "range of units, "
    "that it stands for; zoom shows the titles of a range, and a title names the file in archives/ that holds "
    "the messages."
)
SUMMARY = "A summary of the earlier part of the work in progress, whose messages are kept in"
STANDING_RATE = 4
"""Bytes per token of the standing part, as JSON."""


class Load(NamedTuple):
    """What a prompt amounts to."""

    standing: int
    """Tokens of the standing part."""
    cover: int
    """Tokens of the cover."""
    tail: int
    """Tokens of the tail, and of a summary in front of it."""
    bytes: int
    """Bytes of its texts; binary contents as the JSON they stand in."""
    images: int

    @property
    def tokens(self) -> int:
        """All of it."""
        return self.standing + self.cover + self.tail


def open_entries(state: State) -> Iterator[Entry]:
    """The messages of the open turns, in order."""
    for turn in state.turns:
        yield from turn.entries or ()


def tail(state: State) -> list[Message]:
    """What follows the cover: a summary, if the tail was compacted, then every open turn word for word."""
    wire = state.wire
    messages: list[Message] = []
    for done in state.compactions:
        messages += wire.note(f"{SUMMARY} archives/{done.archive}:\n{done.summary}")
    for entry in open_entries(state):
        messages.append(entry.message if entry.note is None else wire.with_note(entry.message, entry.note))
    return messages


def head(state: State) -> list[Message]:
    """The cover as messages; none as long as nothing is folded."""
    return state.wire.note("\n".join([COVER, *cover_lines(state)])) if state.units else []


def request(state: State, standing: Mapping[str, Json], ours: Sequence[Tool]) -> dict[str, Any]:
    """The body of the next request: `standing` with our tools behind the caller's, the cover, the tail."""
    tools = [*standing.get("tools", ()), *state.wire.tools(ours)]
    fixed = {**standing, "tools": tools} if tools else dict(standing)
    return state.wire.request(fixed, head(state), tail(state))


def load(state: State, standing: Mapping[str, Json], count: Counter) -> Load:
    """What the next request weighs, by estimate."""
    fixed = json.dumps(standing, ensure_ascii=False, default=str)
    parts = [
        [piece for message in messages for piece in state.wire.pieces(message)]
        for messages in (head(state), tail(state))
    ]
    every = [piece for pieces in parts for piece in pieces]
    return Load(
        utf8_size(fixed) // STANDING_RATE,
        weigh(parts[0], count),
        weigh(parts[1], count),
        utf8_size(fixed) + sum(utf8_size(piece.text) for piece in every),
        sum(piece.images for piece in every),
    )
