"""What a line of a Claude Code transcript holds, as far as it is needed.

Rule: a field that is not named here is skipped without being built, so that images, results in their second
form and progress cost nothing.
"""

from __future__ import annotations

from msgspec import Struct

from foldcover_harness.transcripts.blocks import Block


class Usage(Struct, gc=False):
    """What the API reported, in tokens."""

    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None


class Message(Struct, gc=False):
    """The API message inside a line."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None
    usage: Usage | None = None


class Attachment(Struct, gc=False):
    """What a newer client attaches to the conversation."""

    type: str = ""
    prompt: str | list[Block] | None = None


class Compacted(Struct, gc=False):
    """What the client noted of a compaction."""

    preTokens: int | None = None  # noqa: N815


class Line(Struct, gc=False):
    """One line, with the fields that are needed."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None  # noqa: N815
    logicalParentUuid: str | None = None  # noqa: N815
    isSidechain: bool | None = False  # noqa: N815
    isMeta: bool | None = False  # noqa: N815
    isCompactSummary: bool | None = False  # noqa: N815
    isApiErrorMessage: bool | None = False  # noqa: N815
    message: Message | None = None
    attachment: Attachment | None = None
    compactMetadata: Compacted | None = None  # noqa: N815
