"""Anthropic messages as JSON: request bodies, bare lists, and logs of a request with its response.

Rule: each assistant message is one request; results stand in the user's messages, which are no turns of the
user then. It is told from OpenAI's by blocks that only Anthropic's API has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from foldcover_harness.transcripts import chat_messages
from foldcover_harness.transcripts.chat_messages import Message
from foldcover_harness.transcripts.model import Builder, Conversation
from foldcover_harness.transcripts.recognising import Keys, has

CLIENT: Final = "anthropic-messages"

# Within a text of the JSON every quote is escaped, so these stand for keys and values only.
_THEIRS = re.compile(rb'"type"\s*:\s*"(?:tool_use|tool_result|thinking|server_tool_use)"')
_OPENAIS = (re.compile(rb'"role"\s*:\s*"(?:system|developer|tool|function)"'), re.compile(rb'"tool_calls"\s*:\s*\['))


class Body(chat_messages.Body, gc=False):
    """A request body with its response."""

    response: Message | None = None


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a request body, or a message, of Anthropic's API."""
    if has(keys, "messages", b"["):
        messages = memoryview(keys["messages"])
        theirs = "system" in keys or "anthropic_version" in keys or _THEIRS.search(messages)
        return bool(theirs) and not any(each.search(messages) for each in _OPENAIS)
    if "role" not in keys or "tool_calls" in keys or not has(keys, "content", b"["):
        return False
    return bool(_THEIRS.search(memoryview(keys["content"])))


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`: one object, or the elements of a list. Raises RefusedError."""
    return chat_messages.read_bodies(texts, Body, builder or Builder(CLIENT), _answer)


def _answer(body: Body) -> Message | None:
    return body.response if body.response is not None and body.response.role == "assistant" else None
