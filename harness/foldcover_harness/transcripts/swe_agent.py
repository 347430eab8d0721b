"""SWE-agent trajectories (.traj), and their rows in data sets, where roles are system, user and ai.

Rule: the history is the conversation of its first agent. The first message of the user that is no
demonstration is the task; every later one is what the last command printed. A command stands in the answer's
own field, or in the last fenced block of its text, or in a tool call. Demonstrations are words of the client.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from foldcover_harness.transcripts import chat_messages
from foldcover_harness.transcripts.blocks import first_words
from foldcover_harness.transcripts.chat_messages import Messages, placed
from foldcover_harness.transcripts.measures import utf8_size
from foldcover_harness.transcripts.model import Builder, Conversation
from foldcover_harness.transcripts.recognising import Keys, has
from foldcover_harness.transcripts.refusal import RefusedError
from foldcover_harness.transcripts.tolerant import structs

CLIENT: Final = "swe-agent"


class Message(chat_messages.Message, gc=False):
    """A message of the history."""

    agent: str | None = None
    thought: str | None = None
    action: str | None = None
    is_demo: bool | None = None
    tool_call_ids: list[str] | None = None


class Step(Struct, gc=False):
    """A message of a data set's row."""

    role: str = ""
    text: str | None = None


class Trajectory(Struct, gc=False):
    """The file: a history, or the steps of a row."""

    history: list[Message] | None = None
    trajectory: list[Step] | None = None


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a trajectory or a row."""
    if has(keys, "trajectory", b"[") and has(keys, "history", b"["):
        return True
    row = {"instance_id", "model_name", "target", "exit_status", "generated_patch"} & keys.keys()
    return has(keys, "trajectory", b"[") and ("environment" in keys or len(row) > 1)


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in the one object that `texts` hold. Raises RefusedError where it is not one."""
    builder = builder or Builder(CLIENT)
    files = list(structs(texts, Trajectory, builder))
    if len(files) > 1:
        raise RefusedError(chat_messages.SEVERAL)
    for file in files:
        steps = file.trajectory or ()
        _History(builder).take(placed(file.history or [_message(step) for step in steps if step.role], builder))
    return builder.finish()


def _message(step: Step) -> Message:
    return Message("assistant" if step.role == "ai" else step.role, step.text)


class _History(Messages):
    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self.asked = False
        self.agent: str | None = None

    def one(self, message: chat_messages.Message, following: chat_messages.Message | None) -> None:
        assert isinstance(message, Message)
        self.agent = self.agent or message.agent
        if message.agent is not None and message.agent != self.agent:
            self.builder.leave_out("messages of other agents")
        elif message.is_demo:
            self.begun = True
            self.blocks.words(message.content or "", self.builder.start_message())
        elif message.role == "tool":
            call = message.tool_call_ids[0] if message.tool_call_ids else message.tool_call_id or ""
            self.blocks.result(message.content, self.builder.start_message(), call, shell=True)
        elif message.role == "user" and self.asked:
            self.blocks.result(message.content, self.builder.start_message(), "", shell=True)
        else:
            self.asked = self.asked or message.role == "user"
            super().one(message, following)

    def answer(self, message: chat_messages.Message, following: chat_messages.Message | None) -> None:
        """Add an answer: its words, then its command."""
        if message.tool_calls or not isinstance(message, Message):
            super().answer(message, following)
            return
        builder = self.builder
        builder.open_request()
        number = builder.start_message()
        words, command = split(message)
        if words or not command:
            builder.say(words, number)
        if command:
            builder.call(utf8_size(command), number)


def split(message: Message) -> tuple[str, str]:
    """Return an answer's words and its command; "" where it runs none. Together they are its text."""
    text = first_words(message.content)
    if message.action is None and message.thought is None:
        return fenced(text)
    if not (message.action or "").strip():
        return text or message.thought or "", ""
    thought = message.thought or ""
    if text and text.startswith(thought):
        return thought, text[len(thought) :] or message.action or ""
    words, command = fenced(text)
    return (words, command) if command else (text, message.action or "")


def fenced(text: str) -> tuple[str, str]:
    """Return what stands before the last fenced block, and that block with all that follows."""
    end = text.rfind("```")
    start = text.rfind("```", 0, end) if end > 0 else -1
    return (text, "") if start < 0 else (text[:start], text[start:])
