"""What Gemini's Content holds, and what the CLI records, as far as it is needed.

Rule: content is a text, a part or a list of parts, in the API's form and in the recordings alike.
"""

from __future__ import annotations

from msgspec import Raw, Struct, field


class FunctionCall(Struct, gc=False):
    """A tool call."""

    id: str | None = None
    name: str | None = None
    args: Raw = Raw(b"")


class FunctionResponse(Struct, gc=False):
    """What a tool returned."""

    id: str | None = None
    name: str | None = None
    response: Raw = Raw(b"")


class Part(Struct, gc=False):
    """One part of a content."""

    text: str | None = None
    thought: bool | None = None
    functionCall: FunctionCall | None = None  # noqa: N815
    functionResponse: FunctionResponse | None = None  # noqa: N815
    inlineData: Raw = Raw(b"")  # noqa: N815
    fileData: Raw = Raw(b"")  # noqa: N815
    executableCode: Raw = Raw(b"")  # noqa: N815
    codeExecutionResult: Raw = Raw(b"")  # noqa: N815


class Thought(Struct, gc=False):
    """A summary of what the model thought."""

    subject: str | None = None
    description: str | None = None


class Tokens(Struct, gc=False):
    """What was reported; the input includes what was cached."""

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    thoughts: int | None = None


class ToolCall(Struct, gc=False):
    """A call with what it returned."""

    id: str | None = None
    name: str | None = None
    args: Raw = Raw(b"")
    result: str | list[Part | str] | Part | None = None


class Message(Struct, gc=False):
    """A message of a recording."""

    id: str | None = None
    type: str = ""
    content: str | list[Part | str] | Part | None = None
    thoughts: list[Thought] | None = None
    tokens: Tokens | None = None
    toolCalls: list[ToolCall] | None = None  # noqa: N815


class Update(Struct, gc=False):
    """What a recording's line changes of its head."""

    messages: list[Message] | None = None


class Line(Message, gc=False):
    """A whole recording; or a line of one: its head, a message, a change or a step back; or a Content."""

    role: str | None = None
    parts: list[Part | str] | None = None
    messages: list[Message] | None = None
    sessionId: str | None = None  # noqa: N815
    kind: str | None = None
    update: Update | None = field(default=None, name="$set")
    rewind: str | None = field(default=None, name="$rewindTo")
