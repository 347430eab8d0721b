"""What an agent, a writer and a measurement need of a model: one answer to one request.

Rule: a request's body goes out as it is and an answer's message comes back as it came, so that a session can send it
again byte for byte. A request is answered whole or not at all: what broke off in the middle is asked for again, or is
a ModelError; it is never taken for an answer. Tokens that came from the provider's cache are counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Event
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from foldcover_harness.session.wires.wire import Json, Message

Show = Callable[[Literal["text", "thinking", "again"], str], None]
"""Is told of an answer as it comes: a piece of its text or of its thinking; or why it begins again from nothing."""


class Usage(NamedTuple):
    """What the provider counted for a request, in tokens."""

    prompt: int
    """The whole prompt: what was read from the cache and what was written to it included, once."""
    cached: int = 0
    """Of these, what was read from the cache."""
    output: int = 0
    """The answer."""


class Answer(NamedTuple):
    """A whole answer."""

    message: Message
    """For `Session.assistant`: exactly as it came."""
    usage: Usage | None
    """None where the provider did not say."""
    stopped: str
    """Why it ended there, in the provider's own word (end_turn, length, ...)."""


class ModelError(Exception):
    """There is no answer, and why, in one clear line: no key, no network, no such model, busy for too long."""


class Refused(ModelError):
    """The provider refused this very request (400 and its kind): the same request would be refused again."""


class Stopped(ModelError):
    """The caller's `stop` was set before the answer was whole."""


class Model(Protocol):
    """A model of a provider, over one wire."""

    name: str
    """As the user wrote it, for example anthropic:claude-sonnet-5."""
    id: str
    """The provider's own name of it: what the `model` field of its requests says."""
    wire: str
    """The session's wire whose requests it takes: anthropic, chat or responses."""

    def answer(self, body: Mapping[str, Json], show: Show | None = None, stop: Event | None = None) -> Answer:
        """The answer to a request, which goes out as it is, its `model` field included. Raises ModelError.

        KeyboardInterrupt passes through, with the connection closed.
        """
        ...


@runtime_checkable
class Windowed(Protocol):
    """A model that knows how many tokens its window has, prompt and answer together."""

    window: int
