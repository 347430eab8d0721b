"""OpenAI chat messages as JSON: request bodies, bare lists, and logs of a request with its response.

Rule: the messages of the one object, or the elements of the list, are the conversation; a logged response is
its last answer, and its usage the only one that there is. A file of several such objects is several
conversations, and refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from foldcover_harness.transcripts import chat_messages
from foldcover_harness.transcripts.chat_messages import Message, Usage
from foldcover_harness.transcripts.model import Builder, Conversation
from foldcover_harness.transcripts.recognising import Keys, has

CLIENT: Final = "openai-chat"


class Choice(Struct, gc=False):
    """One of the answers to a request; the first is the one that counts."""

    message: Message | None = None


class Response(Struct, gc=False):
    """What was logged of the answer."""

    choices: list[Choice] | None = None
    usage: Usage | None = None


class Body(chat_messages.Body, gc=False):
    """A request body with its response, beside it or within."""

    response: Response | None = None
    choices: list[Choice] | None = None


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a request body or a message."""
    return has(keys, "messages", b"[") or ("role" in keys and ("content" in keys or "tool_calls" in keys))


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`: one object, or the elements of a list. Raises RefusedError."""
    return chat_messages.read_bodies(texts, Body, builder or Builder(CLIENT), _answer)


def _answer(body: Body) -> Message | None:
    response = body.response or Response(body.choices, body.usage)
    answer = response.choices[0].message if response.choices else None
    if answer is not None:
        answer.role = answer.role or "assistant"
        answer.usage = response.usage
    return answer
