"""The session as a reduction of its journal.

Rule: `apply` is pure in effect (no files, no clock, no model); the same events give the same state, which is how a
session is opened. What is folded or compacted leaves the state but for its title, line, archive and the digests of its
tool calls; the journal and the archives keep every word. An event that cannot follow is a ValueError that says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import foldcover as fc
from foldcover import Block, View
from foldcover_harness.session.counting import Watch
from foldcover_harness.session.wires.wire import Message, Role, Wire


@dataclass(slots=True)
class Entry:
    """A message of the log: its role, how it came, and the host's note (the card) that goes out behind it."""

    role: Role
    message: Message
    note: str | None = None
    host: bool = False
    """Whether the host itself said it, in the place of a user: the rules of a strategy, a report."""


class Said(NamedTuple):
    """The words that opened a turn."""

    turn: int
    words: str
    host: bool = False
    """Whether they are the host's, not the user's."""

    @property
    def who(self) -> str:
        """Whose they are, and where."""
        return f"{'host' if self.host else 'user'}, turn {self.turn}"


@dataclass(slots=True)
class Turn:
    """A user message, or one of the host's in its place, and everything up to the next; `entries` is None once it is
    folded or compacted.
    """

    entries: list[Entry] | None
    unit: int | None = None
    compacted: bool = False
    shortened: tuple[str, ...] = ()
    """Archives that keep messages from its middle, which a compaction took while it was in progress."""

    @property
    def open(self) -> bool:
        """Whether it stands in the tail, word for word."""
        return self.entries is not None


@dataclass(frozen=True, slots=True)
class Unit:
    """A closed range of whole turns: its title and weight, its archive, the terms of its index."""

    first: int
    last: int
    title: str
    weight: int
    archive: str
    sha256: str
    terms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A legal fold that waits for the end of the turn."""

    first: int
    last: int
    title: str | None


@dataclass(frozen=True, slots=True)
class Compaction:
    """A range of turns that a summary replaces in the prompt, and the archive of their messages."""

    first: int
    last: int
    summary: str
    archives: tuple[str, ...]
    """Of the messages; those of earlier compactions, whose summaries this one has read, first."""
    quoted: int
    """Characters of the user's words that stand beside the summary."""
    users: tuple[Said, ...] = ()
    """What the user said in them, and the host in the user's place; that of earlier compactions first."""

    @property
    def archive(self) -> str:
        """The archive of the latest messages."""
        return self.archives[-1]


@dataclass(slots=True)
class State:
    """Where a session stands."""

    wire: Wire
    turns: list[Turn] = field(default_factory=list[Turn])
    view: View = fc.EMPTY
    units: list[Unit] = field(default_factory=list[Unit])
    lines: dict[Block, str] = field(default_factory=dict[Block, str])
    asked: list[Asked] = field(default_factory=list[Asked])
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    watch: Watch = field(default_factory=Watch)
    """Counts what was needed again."""
    usage: int | None = None
    """Tokens of the last prompt, as the provider reported them."""
    factor: float = 1.0
    """Them over what was estimated for that prompt: what an estimate is multiplied by."""
    kept: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the host keeps under names of its own (`Session.keep`)."""
    since: int = 0
    """The turn with the last card, or in which the last fold was made: what is in it and behind it counts for the
    next card.
    """


def apply(state: State, event: Mapping[str, Any]) -> None:
    """Change the state by one event. Raises ValueError for an event that cannot follow; the state is as it was then."""
    kind = event.get("e")
    reducer = _REDUCERS.get(kind) if isinstance(kind, str) else None
    if reducer is None:
        raise ValueError(f"unknown event {kind!r}")
    reducer(state, event)


def _message(state: State, event: Mapping[str, Any]) -> None:
    role: Role = event["role"]
    entry = Entry(role, event["message"], event.get("note"), bool(event.get("host")))
    if role == "user":
        state.turns.append(Turn([entry]))
        state.watch.turn()
        if entry.note is not None:
            state.since = len(state.turns) - 1
        return
    if not state.turns:
        raise ValueError(f"a message of role {role} before the first user message")
    entries = state.turns[-1].entries
    if entries is None:
        raise ValueError("a message in a turn that is closed")
    entries.append(entry)
    if role == "assistant":
        state.watch.called(state.wire.calls(entry.message))


def _asked(state: State, event: Mapping[str, Any]) -> None:
    state.asked.append(Asked(event["first"], event["last"], event.get("title")))


def _release(state: State, first: int, last: int) -> Iterable[Entry]:
    turns = state.turns[first : last + 1]
    if len(turns) != last + 1 - first or not all(turn.open for turn in turns):
        raise ValueError(f"turns {first} to {last} are not all open")
    gone = [entry for turn in turns for entry in turn.entries or ()]
    for turn in turns:
        turn.entries = None
    return gone


def _fold(state: State, event: Mapping[str, Any]) -> None:
    first, last, number = event["first"], event["last"], len(state.units)
    terms = tuple((str(item), float(weight)) for item, weight in event.get("terms", ()))
    unit = Unit(first, last, event["title"], event["weight"], event["archive"], event["sha256"], terms)
    said = [entry.message for entry in _release(state, first, last) if entry.role == "assistant"]
    state.watch.folded(number, unit.archive, (call for message in said for call in state.wire.calls(message)))
    for turn in state.turns[first : last + 1]:
        turn.unit = number
    state.units.append(unit)
    state.since = len(state.turns) - 1
    state.view = fc.close(state.view, unit.weight)
    state.asked = [asked for asked in state.asked if asked.last < first or asked.first > last]


def _line(state: State, event: Mapping[str, Any]) -> None:
    block = Block(event["start"], event["size"])
    after = fc.write(state.view, block, event["weight"])
    if after == state.view:
        raise ValueError(f"a line for {block.start}-{block.stop - 1}, which is no unwritten block of the view")
    state.view = after
    state.lines[block] = event["text"]


def _settle(state: State, event: Mapping[str, Any]) -> None:
    settled = fc.settle(state.view, event["budget"])
    merged = [list(block) for block in settled.merged]
    if merged != [list(block) for block in event["merged"]] or settled.outcome.value != event["outcome"]:
        raise ValueError(f"settle merged {merged} ({settled.outcome.value}), the journal says otherwise")
    state.view = settled.view


def leaving(state: State, event: Mapping[str, Any]) -> list[Entry]:
    """The messages that a fold or a compaction takes out of the prompt, in order.

    A compaction within a turn leaves that turn's first message, the user's, and its `kept` last ones.
    """
    turns = [turn.entries or [] for turn in state.turns[event["first"] : event["last"] + 1]]
    if "kept" in event and turns:
        turns[-1] = turns[-1][1 : len(turns[-1]) - event["kept"]]
    return [entry for entries in turns for entry in entries]


def _compact(state: State, event: Mapping[str, Any]) -> None:
    first, last = event["first"], event["last"]
    if not leaving(state, event):
        raise ValueError(f"no message in turns {first} to {last} that could be compacted")
    turns = [(at, turn) for at, turn in enumerate(state.turns[first : last + 1], first) if turn.open]
    if "kept" in event:
        turns.pop()
        _shorten(state, last, event["kept"], event["archive"])
    said = [
        Said(at, state.wire.said(turn.entries[0].message), turn.entries[0].host) for at, turn in turns if turn.entries
    ]
    users = (*(each for done in state.compactions for each in done.users), *said)
    archives = (*(name for done in state.compactions for name in done.archives), event["archive"])
    done = Compaction(first, last, event["summary"], archives, event["quoted"], users)
    for _, turn in turns:
        turn.entries = None
        turn.compacted = True
    # A later summary has read the earlier ones: it stands for them as well.
    state.compactions = [done]


def _shorten(state: State, number: int, kept: int, archive: str) -> None:
    turn = state.turns[number]
    if number != len(state.turns) - 1 or not turn.entries or not 0 <= kept < len(turn.entries):
        raise ValueError(f"turn {number} is not in progress, or has no {kept} messages behind its first")
    if len(turn.entries) > kept + 1:
        turn.entries = [turn.entries[0], *turn.entries[len(turn.entries) - kept :]]
        turn.shortened = (*turn.shortened, archive)


def _usage(state: State, event: Mapping[str, Any]) -> None:
    state.usage = event["tokens"]
    estimated = event.get("estimated")
    state.factor = event["tokens"] / estimated if estimated else 1.0


def _keep(state: State, event: Mapping[str, Any]) -> None:
    state.kept[event["name"]] = event["value"]


_REDUCERS = {
    "message": _message,
    "asked": _asked,
    "fold": _fold,
    "line": _line,
    "settle": _settle,
    "compact": _compact,
    "usage": _usage,
    "keep": _keep,
}


def text_of(state: State, block: Block) -> str:
    """The line that stands for a shown block: a unit's title, or the block's own line."""
    return state.units[block.start].title if block.size == 1 else state.lines[block]


def labelled(block: Block, text: str) -> str:
    """A line as the cover shows it: the units that it stands for, then its text."""
    units = f"{block.start}" if block.size == 1 else f"{block.start}-{block.stop - 1}"
    return f"{units}: {text}"


def cover_lines(state: State) -> list[str]:
    """The cover: one line a shown block, oldest first."""
    return [labelled(block, text_of(state, block)) for block in fc.cover(state.view)]
