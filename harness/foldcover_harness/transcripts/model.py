"""The neutral conversation that every reader produces.

Rule: a conversation is three lists over one order. `items` are the pieces of the prompt in the order in
which they were written; a `Request` and a `Turn` point into that list. No text is kept but a few words for
titles, so a conversation of megabytes stays small. A reader never raises on content: what it does not know
it counts in `Findings` and goes on.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum
from typing import Final, NamedTuple

from msgspec import Struct, field

from foldcover_harness.transcripts.measures import utf8_size as utf8_size
from foldcover_harness.transcripts.pruning import prune

WORDS: Final = 240
"""Characters of a message that are kept for its title."""

MOST: Final = 10**9
"""Tokens of the largest prompt that is believed to have been reported."""


class Kind(IntEnum):
    """What a piece of the prompt is; also the class by which its tokens are estimated
    (spec/replay.md, Tokens).
    """

    USER = 0
    """Words of the user, or of the client in the user's place."""
    TEXT = 1
    """Words of the model."""
    THINKING = 2
    """The model's thinking, without signatures."""
    CALL = 3
    """A tool call: its name and its input as compact JSON."""
    RESULT = 4
    """A file read, or any other result that is not a shell's."""
    SHELL = 5
    """The output of a shell or of a search such as grep."""


class Item(NamedTuple):
    """A piece of one message.

    `bytes` counts its UTF-8 bytes, `quarters` the sum of ceil(bytes / 4) over its text pieces (`--tokens
    bytes4` rounds piece by piece), `images` its images. Items of one message carry the same `message`
    number.
    """

    kind: Kind
    bytes: int
    quarters: int
    images: int
    message: int


class Request(Struct, gc=False):
    """One answer of the model. Its prompt is everything in `items[:at]`; `reported` is the transcript's own
    count of that prompt in tokens, cached ones included, or None where it reports none.
    """

    at: int
    reported: int | None = None
    cache_read: int | None = None
    """Tokens of the prompt that the provider says it read from its cache."""
    cache_write: int | None = None
    """Tokens of the prompt that the provider says it wrote to its cache."""
    output: int | None = None
    """Tokens of the answer, thinking included, as the provider says."""

    def record(self, prompt: int, cache_read: int | None, cache_write: int | None, output: int | None) -> None:
        """Take in what was reported in tokens, `prompt` with its cached ones. A prompt of no tokens, or of
        more than any has, is no report.
        """
        if 0 < prompt <= MOST:
            self.reported = prompt
            self.cache_read, self.cache_write, self.output = map(_believed, (cache_read, cache_write, output))


def _believed(tokens: int | None) -> int | None:
    return tokens if tokens is not None and 0 <= tokens <= MOST else None


class Compaction(Struct, gc=False):
    """A place where the real client replaced the beginning of its prompt by a summary: before request
    number `request`, which may be one past the last. `before` is the prompt's size in tokens as the client
    recorded it, or None.
    """

    request: int
    before: int | None = None


class Turn(Struct, gc=False):
    """One user message and everything up to the next: `items[at:next.at]`. `words` and `closing` hold the
    beginning of the user's and of the model's last message, for the title; `conclusion` is the item of the
    latter, or None.
    """

    at: int
    words: str = ""
    closing: str = ""
    calls: int = 0
    conclusion: int | None = None


class Findings(Struct):
    """What a reader met beside the conversation."""

    unknown: Counter[str]
    """Kinds that the reader does not know, with how often."""
    left_out: Counter[str]
    """Known kinds that are no part of the prompt of this conversation, with how often."""
    notes: list[str]


class Conversation(Struct):
    """A transcript in neutral form. `breaks` holds the numbers of the requests before which the real client
    dropped something from its prompt (a compaction), so that reported usage is not compared across them.
    """

    client: str
    items: list[Item]
    requests: list[Request]
    turns: list[Turn]
    breaks: list[int]
    found: Findings
    window: int | None = None
    """The context window that the transcript itself reports, in tokens."""
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    """The real client's compactions, in order; each is among `breaks` too."""
    subagent: bool = False
    """The whole file is what a sub-agent said and did, its brief in the user's place."""


def empty_conversation(client: str) -> Conversation:
    """Return a conversation of `client` in which nothing was said yet."""
    return Conversation(client, [], [], [], [], Findings(Counter(), Counter(), []))


Mark = tuple[int, int, int, int, int, int, int]
"""How much was built so far: the lengths of the builder's items, requests, turns, breaks, compactions and words of the
model, and the number of the last message. There is one for each line, so it is a bare tuple.
"""


class Entry(Struct, gc=False, frozen=True):
    """A line or message that has an id of its own, what it follows, and what was built before it."""

    id: str
    parent: str | None
    mark: Mark


class Builder:
    """Collects a conversation piece by piece, in the order of the file.

    `place` is the line, or the index, that is being read; whoever reads keeps it where places are asked for.
    """

    def __init__(self, client: str) -> None:
        self.place = 0
        self.message = 0
        self.entries: list[Entry] = []
        self.conversation = empty_conversation(client)
        self.items = self.conversation.items
        self.requests = self.conversation.requests
        self._turns = self.conversation.turns
        self._breaks = self.conversation.breaks
        self._compactions = self.conversation.compactions
        self._said: list[tuple[int, str]] = []
        self._dropped: list[tuple[Mark, Mark]] = []

    def unknown(self, kind: str) -> None:
        """Count something that the reader does not know."""
        self.conversation.found.unknown[kind] += 1

    def leave_out(self, kind: str, count: int = 1) -> None:
        """Count something that is known and no part of this conversation's prompt."""
        self.conversation.found.left_out[kind] += count

    def note(self, text: str) -> None:
        """Note something about the whole file."""
        self.conversation.found.notes.append(text)

    def restart(self) -> None:
        """Forget what was built, but not what was found."""
        for values in (self.items, self.requests, self.conversation.turns, self.conversation.breaks):
            values.clear()
        for more in (self.conversation.compactions, self.entries, self._said, self._dropped):
            more.clear()

    def enter(self, own: str, parent: str | None = None) -> None:
        """Note that a line or message of that id begins here, and what it follows."""
        self.entries.append(Entry(own, parent, self.mark()))

    def start_message(self) -> int:
        """Begin another message and return its number."""
        self.message += 1
        return self.message

    def open_turn(self, words: str) -> None:
        """Begin a turn at the next item. The first one takes in what stood before it."""
        self.conversation.turns.append(Turn(len(self.items), words[:WORDS]))

    def open_request(self) -> Request:
        """Begin a request whose prompt is everything so far."""
        request = Request(len(self.items))
        self.requests.append(request)
        return request

    def mark_break(self) -> None:
        """Note that the client dropped a part of its prompt before the next request."""
        self.conversation.breaks.append(len(self.requests))

    def compact(self, before: int | None = None) -> None:
        """Note a real compaction before the next request. Several signs of the same one are one."""
        known = self.conversation.compactions
        size = before if before is not None and 0 < before <= MOST else None
        if known and known[-1].request == len(self.requests):
            known[-1].before = known[-1].before or size
            return
        known.append(Compaction(len(self.requests), size))
        self.mark_break()

    def add(self, kind: Kind, size: int, message: int) -> None:
        """Append a text piece of `size` UTF-8 bytes."""
        self.items.append(Item(kind, size, (size + 3) >> 2, 0, message))

    def add_pieces(self, kind: Kind, sizes: list[int], images: int, message: int) -> None:
        """Append one item made of several text pieces and images."""
        quarters = sum((size + 3) >> 2 for size in sizes)
        self.items.append(Item(kind, sum(sizes), quarters, images, message))

    def say(self, text: str, message: int) -> None:
        """Append words of the model; the last ones of a turn are its closing message."""
        if text and not text.isspace():
            self._said.append((len(self.items), text[:WORDS]))
        self.add(Kind.TEXT, utf8_size(text), message)

    def call(self, size: int, message: int, call: str = "", action: str = "") -> None:
        """Append a tool call whose name and input take `size` bytes. `call` is its id, "" where it has none;
        `action` is what its result names instead, where that is another thing.
        """
        self.add(Kind.CALL, size, message)

    def result(self, kind: Kind, sizes: list[int], images: int, message: int, call: str = "", action: str = "") -> None:
        """Append what a tool returned to the call of that id. An empty result is a message all the same."""
        self.add_pieces(kind, sizes, images, message)

    def mark(self) -> Mark:
        """Return how much there is by now."""
        return (
            len(self.items),
            len(self.requests),
            len(self._turns),
            len(self._breaks),
            len(self._compactions),
            len(self._said),
            self.message,
        )

    def drop(self, start: Mark, end: Mark) -> None:
        """Have what was built between two marks left out in the end: a branch that was abandoned."""
        self._dropped.append((start, end))

    def finish(self) -> Conversation:
        """Return the conversation. One without any human turn is a single turn."""
        found = self.conversation
        if self._dropped:
            prune(found, self._said, self._dropped)
        if self.items and not found.turns:
            found.turns.append(Turn(0))
        if found.turns:
            found.turns[0].at = 0
        self._describe_turns()
        if not self.requests:
            self.note("no answer of a model in it: there is nothing to price")
        return found

    def _describe_turns(self) -> None:
        ends = [turn.at for turn in self.conversation.turns[1:]] + [len(self.items)]
        coming = 0
        for turn, end in zip(self.conversation.turns, ends, strict=False):
            turn.calls = [item[0] for item in self.items[turn.at : end]].count(Kind.CALL)
            while coming < len(self._said) and self._said[coming][0] < end:
                turn.conclusion, turn.closing = self._said[coming]
                coming += 1
