"""mini-swe-agent trajectories: OpenAI chat messages with what the agent noted beside each.

Rule: as OpenAI's chat messages; the first message of the user is the task, and every later one in the user's
place an observation. The provider's usage stands beside each answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from foldcover_harness.transcripts import chat_messages
from foldcover_harness.transcripts.chat_messages import Messages, Usage, placed, record
from foldcover_harness.transcripts.model import Builder, Conversation
from foldcover_harness.transcripts.recognising import Keys, has
from foldcover_harness.transcripts.tolerant import structs

CLIENT: Final = "mini-swe-agent"


class Response(Struct, gc=False):
    """The provider's answer as it came."""

    usage: Usage | None = None


class Extra(Struct, gc=False):
    """What the agent noted."""

    response: Response | None = None


class Message(chat_messages.Message, gc=False):
    """A message with what was noted of it."""

    extra: Extra | None = None


class Trajectory(Struct, gc=False):
    """The file."""

    messages: list[Message] | None = None


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a trajectory."""
    if "trajectory_format" in keys and "messages" in keys:
        return True
    return has(keys, "messages", b"[") and b'"exit_status"' in bytes(keys.get("info", b""))


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in the one object that `texts` hold."""
    builder = builder or Builder(CLIENT)
    messages = _Messages(builder)
    for trajectory in structs(texts, Trajectory, builder):
        messages.take(placed(trajectory.messages or (), builder))
    return builder.finish()


class _Messages(Messages):
    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self.asked = False
        # Whatever follows: an agent of this kind fences nothing else.
        self.fenced = True

    def one(self, message: chat_messages.Message, following: chat_messages.Message | None) -> None:
        if message.role == "exit":
            self.builder.leave_out("the run's end")
        elif message.role == "user" and self.asked:
            self.blocks.result(message.content, self.builder.start_message(), "", shell=True)
        else:
            self.asked = self.asked or message.role == "user"
            super().one(message, following)

    def answer(self, message: chat_messages.Message, following: chat_messages.Message | None) -> None:
        super().answer(message, following)
        if isinstance(message, Message) and message.extra is not None and message.extra.response is not None:
            record(self.builder.requests[-1], message.extra.response.usage)
