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


class Builder:
    """Collects a conversation piece by piece, in the order of the file."""

    def __init__(self, client: str) -> None:
        self.conversation = empty_conversation(client)
        self.items = self.conversation.items
        self.message = 0
        # What stands before the first human turn belongs to turn 0, so its words are gathered before it
        # opens.
        self._head = Turn(0)
        self._turn = self._head

    def start_message(self) -> int:
        """Begin another message and return its number."""
        self.message += 1
        return self.message

    def open_turn(self, words: str) -> None:
        """Begin a turn at the next item. The first one takes in what stood before it."""
        turns = self.conversation.turns
        if not turns:
            head = self._head
            turn = Turn(0, words, head.closing, head.calls, head.conclusion)
        else:
            turn = Turn(len(self.items), words)
        turns.append(turn)
        self._turn = turn

    def open_request(self) -> Request:
        """Begin a request whose prompt is everything so far."""
        request = Request(len(self.items))
        self.conversation.requests.append(request)
        return request

    def mark_break(self) -> None:
        """Note that the client dropped a part of its prompt before the next request."""
        self.conversation.breaks.append(len(self.conversation.requests))

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
            self._turn.closing = text[:WORDS]
            self._turn.conclusion = len(self.items)
        self.add(Kind.TEXT, utf8_size(text), message)

    def call(self, size: int, message: int) -> None:
        """Append a tool call whose name and input take `size` bytes."""
        self.add(Kind.CALL, size, message)
        self._turn.calls += 1

    def finish(self) -> Conversation:
        """Return the conversation. One without any human turn is a single turn."""
        if self.items and not self.conversation.turns:
            self.conversation.turns.append(self._head)
        return self.conversation


def utf8_size(text: str) -> int:
    """Return the UTF-8 bytes of `text`; a lone surrogate counts as the three bytes of its replacement."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
