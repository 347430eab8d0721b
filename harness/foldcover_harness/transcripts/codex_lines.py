"""What a line of a Codex rollout holds, as far as it is needed.

Rule: items and events share one Struct, since a line without an envelope is the item itself; a field that
is not named here is skipped.
"""

from __future__ import annotations

from msgspec import Raw, Struct


class Part(Struct, gc=False):
    """One piece of a message, of a reasoning summary or of an output."""

    type: str = ""
    text: str = ""


class Tokens(Struct, gc=False):
    """Counts of one answer; the input includes what was cached."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None


class Info(Struct, gc=False):
    """What a token_count event reports."""

    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None
    model_context_window: int | None = None


class Wrapped(Struct, gc=False):
    """An output that is an object."""

    content: str | None = None


class Completed(Struct, gc=False):
    """What an item_completed event is about."""

    type: str = ""


class Payload(Struct, gc=False):
    """A response item or an event."""

    type: str = ""
    role: str | None = None
    content: str | list[Part] | None = None
    summary: list[Part] | None = None
    name: str | None = None
    arguments: str | None = None
    input: str | None = None
    action: Raw = Raw(b"")
    call_id: str | None = None
    output: str | list[Part] | Wrapped | None = None
    message: str | None = None
    info: Info | None = None
    num_turns: int | None = None
    item: Completed | None = None


class Line(Payload, gc=False):
    """One line. Without an envelope the line is the item itself."""

    payload: Payload | None = None
    record_type: str | None = None
    id: str | None = None
