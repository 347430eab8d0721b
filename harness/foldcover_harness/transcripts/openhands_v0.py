"""OpenHands version 0: a trajectory of actions and observations, in an object or as a bare list.

Rule: an action of the agent is one answer, unless the one before came with the same response. An observation
that a call caused is its result. What a delegate did between a delegation and its end is another
conversation. State changes and other notes of the program say nothing to the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw, Struct

from foldcover_harness.transcripts import chat_messages
from foldcover_harness.transcripts.chat_messages import Usage, record
from foldcover_harness.transcripts.measures import utf8_size
from foldcover_harness.transcripts.model import Builder, Conversation, Kind
from foldcover_harness.transcripts.recognising import Keys, has
from foldcover_harness.transcripts.refusal import RefusedError
from foldcover_harness.transcripts.text_calls import is_prompt_of_client
from foldcover_harness.transcripts.tolerant import compact_size, raw_as, structs

CLIENT: Final = "openhands-v0"

NOISE: Final = frozenset(
    [
        "agent_state_changed",
        "null",
        "initialize",
        "change_agent_state",
        "recall",
        "start",
        "status",
        "condensation_request",
    ]
)
SHELLS: Final = frozenset(["run", "run_ipython"])


class Function(Struct, gc=False):
    """What is kept of the model's response."""

    id: str | None = None
    usage: Usage | None = None


class Metadata(Struct, gc=False):
    """Which call of which response an event belongs to."""

    tool_call_id: str | None = None
    function_name: str | None = None
    model_response: Function | None = None


class Arguments(Struct, gc=False):
    """What an action was given, or an observation noted, as far as it is text for the model."""

    content: str | None = None
    thought: str | None = None


class Event(Struct, gc=False):
    """An action or an observation."""

    id: int | str | None = None
    source: str | None = None
    action: str | None = None
    observation: str | None = None
    args: Raw = Raw(b"")
    extras: Raw = Raw(b"")
    content: str | None = None
    message: str | None = None
    cause: int | str | None = None
    status: Raw = Raw(b"")
    tool_call_metadata: Metadata | None = None
    image_urls: list[Raw] | None = None


class Trajectory(Event, gc=False):
    """The object that holds all events, or one of them that stands alone in a list."""

    trajectory: list[Event] | None = None


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a trajectory or one of its events."""
    if has(keys, "trajectory", b"[") and {"feedback", "version", "permissions"} & keys.keys():
        return True
    return (
        "source" in keys and "kind" not in keys and bool({"action", "observation"} & keys.keys()) and "message" in keys
    )


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`: one object, or the events of a list. Raises RefusedError."""
    builder = builder or Builder(CLIENT)
    reader = _Reader(builder)
    whole = 0
    for event in structs(texts, Trajectory, builder):
        if event.trajectory is None:
            reader.take(event)
            continue
        whole += 1
        if whole > 1:
            raise RefusedError(chat_messages.SEVERAL)
        for each in chat_messages.placed(event.trajectory, builder):
            reader.take(each)
    return builder.finish()


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.response: str | None = None
        self.number = 0
        # Whether an action that may cause an observation was a shell's, by its id.
        self.waiting: dict[str, bool] = {}
        self.delegated = False

    def take(self, event: Event) -> None:
        builder = self.builder
        if event.id is not None and event.id != -1:
            builder.enter(str(event.id))
        if event.observation is not None:
            self.observation(event, event.observation)
        elif self.delegated:
            builder.leave_out("events of delegates")
        elif event.action is not None:
            self.action(event, event.action)
        elif bytes(event.status) or event.message is not None:
            builder.leave_out("notes of the program")
        else:
            builder.unknown("event without an action or an observation")

    def action(self, event: Event, kind: str) -> None:
        builder = self.builder
        if kind in NOISE:
            builder.leave_out("notes of the program")
        elif kind == "system":
            builder.leave_out("system prompts: they are the standing part")
        elif kind == "condensation":
            builder.leave_out("summaries of real compactions")
            builder.compact()
        elif event.source == "user" and kind == "message":
            words = given(event).content or event.message or ""
            if not is_prompt_of_client(words):
                builder.open_turn(words)
            builder.add_pieces(Kind.USER, [utf8_size(words)], len(event.image_urls or ()), builder.start_message())
        elif event.source == "agent":
            self.answer(event, kind)
        else:
            builder.leave_out("notes of the program")

    def answer(self, event: Event, kind: str) -> None:
        builder = self.builder
        metadata = event.tool_call_metadata or Metadata()
        response = metadata.model_response.id if metadata.model_response else None
        if response is None or response != self.response:
            request = builder.open_request()
            self.number = builder.start_message()
            if metadata.model_response is not None:
                record(request, metadata.model_response.usage)
        self.response = response
        arguments = given(event)
        if kind == "message":
            builder.say(arguments.content or event.message or "", self.number)
            return
        if arguments.thought:
            builder.say(arguments.thought, self.number)
        name = metadata.function_name or kind
        call = metadata.tool_call_id or ""
        action = "" if event.id is None else str(event.id)
        size = compact_size(raw(event)) - utf8_size(arguments.thought or "")
        builder.call(utf8_size(name) + max(size, 0), self.number, call, action)
        self.waiting[action] = kind in SHELLS
        self.delegated = kind == "delegate"

    def observation(self, event: Event, kind: str) -> None:
        builder = self.builder
        if kind == "delegate":
            self.delegated = False
        if kind in NOISE or self.delegated:
            builder.leave_out("events of delegates" if self.delegated else "notes of the program")
            return
        cause = "" if event.cause is None else str(event.cause)
        shell = self.waiting.get(cause, kind in SHELLS)
        call = (event.tool_call_metadata.tool_call_id if event.tool_call_metadata else None) or ""
        text = event.content if event.content is not None else event.message or ""
        number = builder.start_message()
        builder.result(Kind.SHELL if shell else Kind.RESULT, [utf8_size(text)], 0, number, call, cause)


def raw(event: Event) -> Raw:
    """Return what an action was given: newer dumps keep it under another name."""
    return event.args if bytes(event.args) not in (b"", b"null") else event.extras


def given(event: Event) -> Arguments:
    """Return the texts among what an action was given."""
    return raw_as(raw(event), Arguments) or Arguments()
