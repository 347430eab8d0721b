"""A conversation with its ids and places, for the checks: what replay does not need.

Rule: readers build it as they build any conversation. Of each message is kept who speaks, where it stands,
which calls and results it holds and whether its texts are empty: ids, never texts.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from foldcover_harness.transcripts.model import Builder, Kind, Mark, Request

NAMELESS: Final = "nameless-"
"""What the name of a call begins with that has no id."""


class Role(Enum):
    """Who speaks."""

    USER = "user"
    ANSWER = "assistant"
    RESULT = "tool"


class What(Enum):
    """What a piece of a message is."""

    TEXT = "text"
    THINKING = "thinking"
    CALL = "call"
    RESULT = "result"


class Piece(NamedTuple):
    """A piece of a message. `wire` is the id of the call that it makes or answers."""

    what: What
    empty: bool = False
    wire: str = ""


@dataclass(slots=True)
class Said:
    """A message: where it stands in the file, which request it answers, and its pieces."""

    role: Role | None
    place: int
    request: int | None = None
    pieces: list[Piece] = field(default_factory=list[Piece])


@dataclass(slots=True)
class Call:
    """A tool call, and how many results it got."""

    name: str
    place: int
    results: int = 0


class Fault(NamedTuple):
    """Something wrong at a place (None: in the file as a whole), and the id that it is about."""

    kind: str
    place: int | None
    what: str = ""


class Recorder(Builder):
    """A builder that keeps what the checks need besides."""

    def __init__(self, client: str = "") -> None:
        super().__init__(client)
        self.faults: list[Fault] = []
        self._clear()

    def _clear(self) -> None:
        self.said: dict[int, Said] = {}
        self.calls: list[Call] = []
        self.result_count = 0
        self.entry_places: list[int] = []
        self.compacted: set[int] = set()
        self.cut: list[tuple[Mark, Mark]] = []
        self._by_name: defaultdict[str, list[Call]] = defaultdict(list)
        self._nameless: deque[Call] = deque()
        # Results that had no call yet, by what they name.
        self._early: defaultdict[str, list[Fault]] = defaultdict(list)
        self._asking: int | None = None

    def restart(self) -> None:
        """Forget what was built."""
        super().restart()
        self._clear()

    def unknown(self, kind: str) -> None:
        """Note where something was that no reader knows."""
        super().unknown(kind)
        self.faults.append(Fault("unknown", self.place, kind))

    def enter(self, own: str, parent: str | None = None) -> None:
        """Note where a line or message with an id stands."""
        super().enter(own, parent)
        self.entry_places.append(self.place)

    def open_request(self) -> Request:
        """Note that the next message is an answer."""
        self._asking = len(self.requests)
        return super().open_request()

    def start_message(self) -> int:
        """Begin a message."""
        number = super().start_message()
        role = None if self._asking is None else Role.ANSWER
        self.said[number] = Said(role, self.place, self._asking)
        self._asking = None
        return number

    def compact(self, before: int | None = None) -> None:
        """Note where the client compacted: a summary stands in the user's place then."""
        known = len(self.conversation.compactions)
        super().compact(before)
        if len(self.conversation.compactions) > known:
            number = super().start_message()
            self.said[number] = Said(Role.USER, self.place, pieces=[Piece(What.TEXT)])
            self.compacted.add(number)

    def drop(self, start: Mark, end: Mark) -> None:
        """Note what was left for another branch."""
        super().drop(start, end)
        self.cut.append((start, end))

    def add(self, kind: Kind, size: int, message: int) -> None:
        """Note a text; the model's own come through `say`."""
        super().add(kind, size, message)
        if kind is Kind.THINKING:
            self._piece(message, Role.ANSWER, Piece(What.THINKING))
        elif kind is Kind.USER:
            self._piece(message, Role.USER, Piece(What.TEXT, size == 0))
        elif kind in (Kind.RESULT, Kind.SHELL):
            self._piece(message, Role.USER, Piece(What.TEXT))

    def add_pieces(self, kind: Kind, sizes: list[int], images: int, message: int) -> None:
        """Note a text of several pieces."""
        super().add_pieces(kind, sizes, images, message)
        if kind in (Kind.USER, Kind.TEXT):
            role = Role.USER if kind is Kind.USER else Role.ANSWER
            self._piece(message, role, Piece(What.TEXT, not images and not any(sizes)))

    def say(self, text: str, message: int) -> None:
        """Note words of the model."""
        super().say(text, message)
        self._piece(message, Role.ANSWER, Piece(What.TEXT, not text.strip()))

    def call(self, size: int, message: int, call: str = "", action: str = "") -> None:
        """Note a call, and whether a result came before it."""
        super().call(size, message, call, action)
        wire = call or action or f"{NAMELESS}{len(self.calls)}"
        made = Call(wire, self.place)
        if call and any(each.name == call for each in self._by_name.get(call, ())):
            self.faults.append(Fault("repeated-call-id", self.place, call))
        self.calls.append(made)
        for key in {action, call} - {""}:
            self._by_name[key].append(made)
        if not (action or call):
            self._nameless.append(made)
        early = self._early.get(action) or self._early.get(call) if action or call else None
        if early:
            fault = early.pop(0)
            self.faults.append(Fault("early-result", fault.place, fault.what))
            made.results += 1
        self._piece(message, Role.ANSWER, Piece(What.CALL, wire=wire))

    def result(self, kind: Kind, sizes: list[int], images: int, message: int, call: str = "", action: str = "") -> None:
        """Note a result, and which call it answers."""
        super().result(kind, sizes, images, message, call, action)
        self.result_count += 1
        asked = self._asked(call, action)
        wire = call or (asked.name if asked else action)
        if asked is None:
            self._early[action or call].append(Fault("orphan-result", self.place, call or action))
        else:
            asked.results += 1
            if asked.results > 1:
                self.faults.append(Fault("repeated-result", self.place, asked.name))
        self._piece(message, Role.RESULT, Piece(What.RESULT, not images and not any(sizes), wire))

    def _asked(self, call: str, action: str) -> Call | None:
        if not (call or action):
            return self._nameless.popleft() if self._nameless else None
        made = (action and self._by_name.get(action)) or self._by_name.get(call) or ()
        open_ = [each for each in made if not each.results]
        return open_[0] if open_ else made[-1] if made else None

    def _piece(self, message: int, role: Role, piece: Piece) -> None:
        said = self.said.get(message)
        if said is None:
            return
        if said.role is None or (said.role is Role.USER and role is Role.RESULT):
            said.role = role
        said.pieces.append(piece)

    def orphans(self) -> list[Fault]:
        """Return the results whose call came nowhere."""
        return [fault for faults in self._early.values() for fault in faults]

    def live(self) -> list[tuple[int, Said]]:
        """Return the messages of the live branch by their numbers, in order."""
        return [
            (number, said)
            for number, said in self.said.items()
            if not any(start[-1] < number <= end[-1] for start, end in self.cut)
        ]
