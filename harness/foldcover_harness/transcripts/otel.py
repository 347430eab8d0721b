"""OpenTelemetry GenAI: spans or events with gen_ai.input.messages and gen_ai.output.messages.

Rule: each call of a model repeats the whole history, so the span with the longest one is the conversation,
and its output the last answer. A span whose history is a beginning of that one tells what was reported of the
answer that it brought. Other spans are of other conversations, or of a history that was cut: counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Raw

from foldcover_harness.transcripts.blocks import is_shell
from foldcover_harness.transcripts.chat_messages import placed
from foldcover_harness.transcripts.measures import utf8_size
from foldcover_harness.transcripts.model import Builder, Conversation, Kind
from foldcover_harness.transcripts.otel_spans import (
    INPUT,
    OUTPUT,
    Attributes,
    Message,
    Part,
    Spot,
    attributes,
    messages,
)
from foldcover_harness.transcripts.recognising import Keys, has, text_of
from foldcover_harness.transcripts.tolerant import any_size, raw_as, structs

CLIENT: Final = "opentelemetry"

IMAGES: Final = frozenset(("blob", "uri", "file"))
_MARKS: Final = (INPUT.encode(), OUTPUT.encode())


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a span, an event, an export of them, or a message."""
    if INPUT in keys or OUTPUT in keys:
        return True
    for name in ("attributes", "resourceSpans", "resourceLogs", "spans"):
        value = bytes(keys.get(name, b""))
        if any(mark in value for mark in _MARKS):
            return True
    return (
        has(keys, "parts", b"[")
        and text_of(keys, "role") in ("system", "user", "assistant", "tool")
        and (b'"type"' in bytes(keys["parts"]))
    )


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`: spans, events, an export, or the messages of one list."""
    builder = builder or Builder(CLIENT)
    reader = _Reader(builder)
    spans: list[tuple[list[Message], list[Message], Attributes]] = []
    for spot in structs(texts, Spot, builder):
        if spot.parts is not None:
            reader.take(Message(spot.role, spot.parts))
            continue
        found = [
            (messages(each.given, builder), messages(each.answered, builder), each)
            for each in attributes(spot, builder)
        ]
        spans += found
        if not found:
            builder.leave_out("spans without messages")
    if spans:
        reader.spans(spans)
    return builder.finish()


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.names: dict[str, str] = {}
        self.begun = False

    def spans(self, spans: list[tuple[list[Message], list[Message], Attributes]]) -> None:
        longest, answers, _ = max(spans, key=lambda span: (len(span[0]), len(span[1])))
        history = [print_of(message) for message in longest]
        for message in placed([*longest, *answers[:1]], self.builder):
            self.take(message)
        if len(answers) > 1:
            self.builder.leave_out("answers beside the first one", len(answers) - 1)
        for given, _, told in spans:
            if [print_of(message) for message in given] != history[: len(given)]:
                self.builder.leave_out("spans of other conversations, or of a history that was cut")
                continue
            number = sum(message.role == "assistant" for message in given)
            if told.operation != "invoke_agent" and number < len(self.builder.requests):
                # The convention's input tokens include the cached ones.
                prompt = told.prompt_tokens or 0
                self.builder.requests[number].record(prompt, told.cache_read, told.cache_write, told.output_tokens)

    def take(self, message: Message) -> None:
        builder = self.builder
        role = message.role
        parts = message.parts or ([Part("text", _text(message.content))] if message.content else [])
        if role == "assistant":
            self.begun = True
            self.answer(parts)
        elif role == "system" and not self.begun:
            builder.leave_out("system prompts: they are the standing part")
        elif role in ("user", "tool", "system"):
            self.begun = True
            self.words_and_results(parts, human=role == "user")
        else:
            builder.unknown(f"role {role[:40]!r}" if role else "message without a role")

    def words_and_results(self, parts: list[Part], human: bool) -> None:
        builder = self.builder
        number = builder.start_message()
        results = [part for part in parts if part.type == "tool_call_response"]
        for part in results:
            value = part.response if bytes(part.response) else part.result
            kind = Kind.SHELL if is_shell(self.names.get(part.id or "", "")) else Kind.RESULT
            builder.result(kind, [size_of(value)], 0, number, part.id or "")
        rest = [part for part in parts if part.type != "tool_call_response"]
        if not rest and results:
            return
        if human:
            builder.open_turn(next((text_in(part.content) for part in rest if part.type == "text"), ""))
        sizes = [size_of(part.content) for part in rest if part.type not in IMAGES]
        builder.add_pieces(Kind.USER, sizes, sum(part.type in IMAGES for part in rest), number)
        for part in rest:
            if part.type not in IMAGES and part.type != "text":
                builder.unknown(f"part type {part.type[:40]!r}")

    def answer(self, parts: list[Part]) -> None:
        builder = self.builder
        builder.open_request()
        number = builder.start_message()
        for part in parts:
            if part.type == "text":
                builder.say(text_in(part.content), number)
            elif part.type in ("reasoning", "thinking"):
                builder.add(Kind.THINKING, size_of(part.content), number)
            elif part.type in ("tool_call", "server_tool_call"):
                name = part.name or ""
                self.names[part.id or ""] = name
                builder.call(utf8_size(name) + any_size(part.arguments), number, part.id or "")
            elif part.type in IMAGES:
                builder.add_pieces(Kind.TEXT, [], 1, number)
            elif part.type in ("tool_call_response", "server_tool_call_response"):
                builder.result(Kind.RESULT, [size_of(part.response)], 0, number, part.id or "")
            else:
                builder.unknown(f"part type {part.type[:40]!r}")


def _text(text: str) -> Raw:
    return Raw(msgspec.json.encode(text))


def text_in(raw: Raw) -> str:
    """Return the text that a value is; "" where it is none."""
    return raw_as(raw, str) or ""


def size_of(raw: Raw) -> int:
    """Return the bytes of a text, or of any other value as compact JSON."""
    text = raw_as(raw, str)
    return any_size(raw) if text is None else utf8_size(text)


def print_of(message: Message) -> tuple[object, ...]:
    """Return what tells a message from another, without its texts."""
    return message.role, *((part.type, part.id, len(bytes(part.content))) for part in message.parts or ())
