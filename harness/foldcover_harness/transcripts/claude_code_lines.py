"""What a line of a Claude Code transcript holds, as far as it is needed.

Rule: a field that is not named here is skipped without being built, so that images, results in their second
form and progress cost nothing.
"""

from __future__ import annotations

from msgspec import Raw, Struct


class Part(Struct, gc=False):
    """One piece of a tool result, or of a queued prompt."""

    type: str = ""
    text: str = ""
    tool_name: str = ""


class Block(Struct, gc=False):
    """One content block of a message."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    input: Raw = Raw(b"")
    tool_use_id: str = ""
    content: str | list[Part] | None = None


class Usage(Struct, gc=False):
    """What the API reported of the prompt, in tokens."""

    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class Message(Struct, gc=False):
    """The API message inside a line."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None
    usage: Usage | None = None


class Attachment(Struct, gc=False):
    """What a newer client attaches to the conversation."""

    type: str = ""
    prompt: str | list[Part] | None = None


class Line(Struct, gc=False):
    """One line, with the fields that are needed."""

    type: str = ""
    subtype: str | None = None
    isSidechain: bool | None = False  # noqa: N815
    isMeta: bool | None = False  # noqa: N815
    isCompactSummary: bool | None = False  # noqa: N815
    isApiErrorMessage: bool | None = False  # noqa: N815
    message: Message | None = None
    attachment: Attachment | None = None
