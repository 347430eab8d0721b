"""OpenHands version 1: a JSON array of events, or the events as JSON lines.

Rule: the actions and messages that one answer of the model brought share its response id and are one
request. A result belongs to the action that it names: call ids are not unique here. A condensation is a real
compaction; what it forgot is still in the file, so its summary is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw, Struct

from foldcover_harness.transcripts.blocks import Block, Blocks, first_words, is_shell
from foldcover_harness.transcripts.measures import utf8_size
from foldcover_harness.transcripts.model import Builder, Conversation, Kind
from foldcover_harness.transcripts.recognising import Keys, text_of
from foldcover_harness.transcripts.text_calls import is_prompt_of_client
from foldcover_harness.transcripts.tolerant import any_size, compact_size, structs

CLIENT: Final = "openhands"

SILENT: Final = frozenset(
    [
        "CondensationRequest",
        "CondensationSummaryEvent",
        "ConversationErrorEvent",
        "ConversationStateUpdateEvent",
        "LLMCompletionLogEvent",
        "PauseEvent",
        "TokenEvent",
    ]
)
RESULTS: Final = frozenset(["ObservationEvent", "AgentErrorEvent", "UserRejectObservation"])
_KINDS: Final = frozenset(["SystemPromptEvent", "MessageEvent", "ActionEvent", "Condensation", *RESULTS, *SILENT])


class LLMMessage(Struct, gc=False):
    """A message as it went to or came from the model."""

    role: str = ""
    content: str | list[Block] | None = None
    reasoning_content: str | None = None
    thinking_blocks: list[Block] | None = None


class ToolCall(Struct, gc=False):
    """A call as the model wrote it."""

    name: str | None = None
    arguments: Raw = Raw(b"")


class Observation(Struct, gc=False):
    """What a tool returned."""

    content: str | list[Block] | None = None
    output: str | None = None
    error: str | None = None
    result: str | None = None
    screenshot_data: str | None = None


class Event(Struct, gc=False):
    """An event."""

    kind: str = ""
    id: str | None = None
    source: str | None = None
    llm_message: LLMMessage | None = None
    thought: list[Block] | None = None
    reasoning_content: str | None = None
    thinking_blocks: list[Block] | None = None
    action: Raw = Raw(b"")
    tool_name: str | None = None
    tool_call_id: str | None = None
    tool_call: ToolCall | None = None
    llm_response_id: str | None = None
    observation: Observation | None = None
    action_id: str | None = None
    error: str | None = None
    rejection_reason: str | None = None


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is an event."""
    return "source" in keys and text_of(keys, "kind") in _KINDS


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`, each one an event."""
    builder = builder or Builder(CLIENT)
    reader = _Reader(builder)
    for event in structs(texts, Event, builder):
        reader.take(event)
    return builder.finish()


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.blocks = Blocks(builder)
        # The answer that is being read: the id of its response, and its message.
        self.response: str | None = None
        self.number = 0

    def take(self, event: Event) -> None:
        builder = self.builder
        kind = event.kind
        if event.id is not None:
            builder.enter(event.id)
        if kind == "ActionEvent":
            self.action(event)
        elif kind in RESULTS:
            self.result(event)
        elif kind == "MessageEvent":
            self.message(event)
        elif kind == "SystemPromptEvent":
            builder.leave_out("system prompts: they are the standing part")
        elif kind == "Condensation":
            builder.leave_out("summaries of real compactions")
            builder.compact()
        elif kind not in SILENT:
            builder.unknown(f"event kind {kind[:40]!r}" if kind else "event without a kind")

    def answer(self, response: str | None) -> int:
        """Return the message of that response, begun now unless it is the one that is being read."""
        if response is None or response != self.response:
            self.builder.open_request()
            self.number = self.builder.start_message()
        self.response = response
        return self.number

    def action(self, event: Event) -> None:
        number = self.answer(event.llm_response_id)
        self.think(event.reasoning_content, event.thinking_blocks, number)
        self.blocks.answer(event.thought, number)
        call = event.tool_call
        name = (call.name if call else None) or event.tool_name or ""
        size = any_size(call.arguments) if call and bytes(call.arguments) else compact_size(event.action)
        self.builder.call(utf8_size(name) + size, number, event.tool_call_id or "", event.id or "")

    def think(self, text: str | None, blocks: list[Block] | None, number: int) -> None:
        # The same thinking may stand in both places.
        signed = [block for block in blocks or () if block.thinking]
        for block in signed:
            self.builder.add(Kind.THINKING, utf8_size(block.thinking), number)
        if text and not signed:
            self.builder.add(Kind.THINKING, utf8_size(text), number)

    def message(self, event: Event) -> None:
        message = event.llm_message or LLMMessage()
        if event.source == "agent":
            number = self.answer(event.llm_response_id)
            self.think(message.reasoning_content, message.thinking_blocks, number)
            self.blocks.answer(message.content, number)
            return
        self.response = None
        number = self.builder.start_message()
        words = first_words(message.content)
        if event.source == "user" and not is_prompt_of_client(words):
            self.builder.open_turn(words)
        self.blocks.words(message.content or "", number)

    def result(self, event: Event) -> None:
        # Not the end of an answer: its actions and their results may take turns.
        found = event.observation or Observation()
        sizes: list[int] = []
        images = 0
        if isinstance(found.content, str):
            sizes.append(utf8_size(found.content))
        elif found.content is not None:
            sizes, images = self.blocks.measure(found.content)
        plain = (found.output, found.result, found.error, event.error, event.rejection_reason)
        sizes += [utf8_size(text) for text in plain if text]
        images += bool(found.screenshot_data)
        kind = Kind.SHELL if is_shell(event.tool_name or "") else Kind.RESULT
        number = self.builder.start_message()
        self.builder.result(kind, sizes, images, number, event.tool_call_id or "", event.action_id or "")
