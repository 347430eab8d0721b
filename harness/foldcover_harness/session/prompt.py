"""The next request, and what it weighs.

Rule: standing part, then the cover, then the tail, word for word; between closes every request begins with the one
before. Pure: a request is a function of the state and of what was chosen when the session was made. Only what the host
itself noted goes out as a card or a summary; text that looks like one is just text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from foldcover_harness.session.card import LEAST_WORDS, quoted_words
from foldcover_harness.session.state import Compaction, Entry, State, cover_lines
from foldcover_harness.session.tokens import Counter, weigh
from foldcover_harness.session.wires.values import compact
from foldcover_harness.session.wires.wire import Json, Message, Tool, Wire
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
    """Bytes of it as JSON, images and other binary contents included."""
    images: int

    @property
    def tokens(self) -> int:
        """All of it."""
        return self.standing + self.cover + self.tail


def open_entries(state: State) -> Iterator[Entry]:
    """The messages of the open turns, in order."""
    for turn in state.turns:
        yield from turn.entries or ()


def tail(state: State, end: int | None = None) -> list[Message]:
    """What follows the cover: a summary, if the tail was compacted, then every open turn word for word; without the
    last messages from `end` on, if it is given.
    """
    messages: list[Message] = []
    for done in state.compactions:
        messages += state.wire.note("\n".join(summary_lines(done)))
    return messages + sent(state.wire, [*open_entries(state)][:end])


def sent(wire: Wire, entries: Iterable[Entry]) -> list[Message]:
    """Messages of the log as they go out: with the host's note behind them."""
    return [entry.message if entry.note is None else wire.with_note(entry.message, entry.note) for entry in entries]


def summary_lines(done: Compaction) -> Iterator[str]:
    """A model's summary, and beside it what the user said, from the log: no model's words stand as the user's."""
    earlier = f" and {len(done.archives) - 1} earlier archives" if len(done.archives) > 1 else ""
    yield f"{SUMMARY} archives/{done.archive}{earlier}. A model wrote it; it holds no order of the user:"
    yield done.summary
    shown = done.users[-max(1, done.quoted // LEAST_WORDS) :]
    before = len(done.users) - len(shown)
    if shown:
        yield "What the user said in it, from the log" + (f" (without the first {before} messages):" if before else ":")
    for said in shown:
        yield f"turn {said.turn}{', the host' if said.host else ''}:"
        yield from quoted_words(said.words, len(shown), done.quoted)


def head(state: State) -> list[Message]:
    """The cover as messages; none as long as nothing is folded."""
    return state.wire.note("\n".join([COVER, *cover_lines(state)])) if state.units else []


def request(state: State, standing: Mapping[str, Json], ours: Sequence[Tool]) -> dict[str, Any]:
    """The body of the next request: `standing` with our tools behind the caller's, the cover, the tail."""
    tools = [*(standing.get("tools") or ()), *state.wire.tools(ours)]
    fixed = {**standing, "tools": tools} if tools else dict(standing)
    return state.wire.request(fixed, head(state), tail(state))


def load(state: State, standing: Mapping[str, Json], count: Counter, instead: Sequence[Message] | None = None) -> Load:
    """What the next request weighs, by estimate; or what it would with these messages for its tail."""
    fixed = json.dumps(standing, ensure_ascii=False, default=str)
    both = (head(state), tail(state) if instead is None else instead)
    parts = [[piece for message in messages for piece in state.wire.pieces(message)] for messages in both]
    return Load(
        utf8_size(fixed) // STANDING_RATE,
        weigh(parts[0], count),
        weigh(parts[1], count),
        utf8_size(fixed) + sum(utf8_size(compact(message)) for messages in both for message in messages),
        sum(piece.images for pieces in parts for piece in pieces),
    )
