"""Where OpenTelemetry keeps the messages of a model call, and how to get at them.

Rule: attributes stand in a span or an event as an object, or as OTLP's list of keys and values; a value is
the messages themselves or a text that holds them. An export nests its spans. What is found is the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import Raw, Struct, field

from foldcover_harness.transcripts.model import Builder
from foldcover_harness.transcripts.tolerant import FAULTS, structs

INPUT: Final = "gen_ai.input.messages"
OUTPUT: Final = "gen_ai.output.messages"


class Part(Struct, gc=False):
    """One part of a message."""

    type: str = ""
    content: Raw = Raw(b"")
    id: str | None = None
    name: str | None = None
    arguments: Raw = Raw(b"")
    response: Raw = Raw(b"")
    result: Raw = Raw(b"")


class Message(Struct, gc=False):
    """A message."""

    role: str = ""
    parts: list[Part] | None = None
    content: str | None = None


class Attributes(Struct, gc=False):
    """What is needed of a span's attributes."""

    given: Raw = field(default=Raw(b""), name=INPUT)
    answered: Raw = field(default=Raw(b""), name=OUTPUT)
    operation: str | None = field(default=None, name="gen_ai.operation.name")
    prompt_tokens: int | None = field(default=None, name="gen_ai.usage.input_tokens")
    output_tokens: int | None = field(default=None, name="gen_ai.usage.output_tokens")
    cache_read: int | None = field(default=None, name="gen_ai.usage.cache_read.input_tokens")
    cache_write: int | None = field(default=None, name="gen_ai.usage.cache_creation.input_tokens")


class Spot(Attributes, gc=False):
    """A span or an event, an export of spans, or a message that stands alone in a list."""

    attributes: Raw = Raw(b"")
    resourceSpans: list[Raw] | None = None  # noqa: N815
    scopeSpans: list[Raw] | None = None  # noqa: N815
    resourceLogs: list[Raw] | None = None  # noqa: N815
    scopeLogs: list[Raw] | None = None  # noqa: N815
    spans: list[Raw] | None = None
    logRecords: list[Raw] | None = None  # noqa: N815
    events: list[Raw] | None = None
    role: str = ""
    parts: list[Part] | None = None


class _Values(Struct, gc=False):
    values: list[_Value] | None = None


class _Pairs(Struct, gc=False):
    values: list[_Pair] | None = None


class _Value(Struct, gc=False):
    stringValue: str | None = None  # noqa: N815
    intValue: int | str | None = None  # noqa: N815
    doubleValue: float | None = None  # noqa: N815
    boolValue: bool | None = None  # noqa: N815
    arrayValue: _Values | None = None  # noqa: N815
    kvlistValue: _Pairs | None = None  # noqa: N815


class _Pair(Struct, gc=False):
    key: str = ""
    value: _Value | None = None


def attributes(spot: Spot, builder: Builder) -> Iterator[Attributes]:
    """Yield what the span holds, and what is nested in it, in order."""
    waiting = [spot]
    while waiting:
        each = waiting.pop()
        if bytes(each.given) or bytes(each.answered):
            yield each
        own = _own(each.attributes, builder)
        if own is not None:
            yield own
        inner = (
            each.resourceSpans,
            each.scopeSpans,
            each.resourceLogs,
            each.scopeLogs,
            each.spans,
            each.logRecords,
            each.events,
        )
        nested = [raw for raws in inner for raw in raws or ()]
        for raw in reversed(nested):
            waiting.extend(structs((bytes(raw),), Spot, builder))


def _own(raw: Raw, builder: Builder) -> Attributes | None:
    text = bytes(raw)
    if INPUT.encode() not in text and OUTPUT.encode() not in text:
        return None
    if text[:1] == b"[":
        try:
            pairs = msgspec.json.decode(raw, type=list[_Pair])
            text = msgspec.json.encode({pair.key: _plain(pair.value) for pair in pairs})
        except FAULTS:
            builder.unknown("attributes that cannot be read")
            return None
    elif text[:1] == b'"':
        try:
            text = msgspec.json.decode(raw, type=str).encode()
        except FAULTS:
            builder.unknown("attributes that cannot be read")
            return None
    return next(structs((text,), Attributes, builder), None)


def _plain(value: _Value | None) -> object:
    """Return an OTLP value without the names of its types."""
    if value is None:
        return None
    if value.arrayValue is not None:
        return [_plain(each) for each in value.arrayValue.values or ()]
    if value.kvlistValue is not None:
        return {pair.key: _plain(pair.value) for pair in value.kvlistValue.values or ()}
    if value.intValue is not None:
        return int(value.intValue)
    return next((each for each in (value.stringValue, value.doubleValue, value.boolValue) if each is not None), None)


def messages(raw: Raw, builder: Builder) -> list[Message]:
    """Return the messages under an attribute, which may be a text that holds them."""
    text = bytes(raw)
    if text[:1] == b'"':
        try:
            text = msgspec.json.decode(raw, type=str).encode()
        except FAULTS:
            builder.unknown("messages that cannot be read")
            return []
    if not text or text == b"null":
        return []
    wrapped = b'{"messages":' + text + b"}"
    found = next(structs((wrapped,), _Wrapped, builder), None)
    return found.messages if found is not None and found.messages else []


class _Wrapped(Struct, gc=False):
    messages: list[Message] | None = None
