"""pi sessions: version 1, a list of entries, and versions 2 and 3, a tree of them.

Rule: one assistant message is one request, unless it was aborted before anything came. Of a tree the branch
of the last entry is the conversation. What a compaction summarised is still in the file, so the summary is
left out; that of a branch that was left stands for what is not, and counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw, Struct

from foldcover_harness.transcripts.blocks import TEXTS, is_shell
from foldcover_harness.transcripts.branches import drop_all_but_last_path
from foldcover_harness.transcripts.measures import utf8_size
from foldcover_harness.transcripts.model import Builder, Conversation, Kind, Request
from foldcover_harness.transcripts.recognising import Keys, has, kind_of
from foldcover_harness.transcripts.tolerant import compact_size, structs

CLIENT: Final = "pi"

SILENT: Final = frozenset(
    ["session", "model_change", "thinking_level_change", "custom", "label", "session_info", "branch"]
)
_BY_THE_CLIENT: Final = frozenset(("custom", "hookMessage", "branchSummary"))


class Block(Struct, gc=False):
    """One content block."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    arguments: Raw = Raw(b"")


class Usage(Struct, gc=False):
    """Tokens; the input leaves out what was cached."""

    input: int | None = None
    output: int | None = None
    cacheRead: int | None = None  # noqa: N815
    cacheWrite: int | None = None  # noqa: N815


class Message(Struct, gc=False):
    """A message, of the model's conversation or of the client's own roles."""

    role: str = ""
    content: str | list[Block] | None = None
    usage: Usage | None = None
    stopReason: str | None = None  # noqa: N815
    toolCallId: str | None = None  # noqa: N815
    toolName: str | None = None  # noqa: N815
    command: str | None = None
    output: str | None = None
    excludeFromContext: bool | None = None  # noqa: N815
    summary: str | None = None


class Entry(Struct, gc=False):
    """A line."""

    type: str = ""
    id: str | None = None
    parentId: str | None = None  # noqa: N815
    message: Message | None = None
    content: str | list[Block] | None = None
    summary: str | None = None
    tokensBefore: int | None = None  # noqa: N815


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a session's head or one of its messages."""
    kind = kind_of(keys)
    if kind == "session":
        return {"id", "cwd"} <= keys.keys() and bool({"version", "provider", "modelId", "timestamp"} & keys.keys())
    return kind == "message" and has(keys, "message", b"{") and "timestamp" in keys and "sessionId" not in keys


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`, each one a line of the file."""
    builder = builder or Builder(CLIENT)
    reader = _Reader(builder)
    for entry in structs(texts, Entry, builder):
        reader.take(entry)
    left = drop_all_but_last_path(builder)
    if left:
        builder.leave_out("entries of branches that were left", left)
    return builder.finish()


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def take(self, entry: Entry) -> None:
        builder = self.builder
        kind = entry.type
        if entry.id is not None and kind != "session":
            builder.enter(entry.id, entry.parentId)
        if kind == "message":
            if entry.message is None:
                builder.unknown("message entry without a message")
            else:
                self.message(entry.message)
        elif kind == "compaction":
            builder.leave_out("summaries of real compactions")
            builder.compact(entry.tokensBefore)
        elif kind == "branch_summary":
            builder.add(Kind.USER, utf8_size(entry.summary or ""), builder.start_message())
        elif kind == "custom_message":
            self.words(entry.content)
        elif kind not in SILENT:
            builder.unknown(f"line type {kind[:40]!r}" if kind else "line without a type")

    def message(self, message: Message) -> None:
        builder = self.builder
        role = message.role
        if role == "assistant":
            self.answer(message)
        elif role == "user":
            builder.open_turn(first_text(message.content))
            self.words(message.content)
        elif role == "toolResult":
            shell = is_shell(message.toolName or "")
            sizes, images = self.measure(message.content)
            kind = Kind.SHELL if shell else Kind.RESULT
            builder.result(kind, sizes, images, builder.start_message(), message.toolCallId or "")
        elif role == "bashExecution":
            self.execution(message)
        elif role in _BY_THE_CLIENT:
            self.words(message.content if message.content is not None else message.summary)
        elif role == "compactionSummary":
            builder.leave_out("summaries of real compactions")
        else:
            builder.unknown(f"role {role[:40]!r}" if role else "message without a role")

    def execution(self, message: Message) -> None:
        """Add a command that the user ran by hand; it asks nothing of the model, so it starts no turn."""
        builder = self.builder
        if message.excludeFromContext:
            builder.leave_out("commands of the user that the model was not shown")
            return
        number = builder.start_message()
        builder.add(Kind.USER, utf8_size(message.command or ""), number)
        builder.add(Kind.SHELL, utf8_size(message.output or ""), number)

    def words(self, content: str | list[Block] | None) -> None:
        sizes, images = self.measure(content)
        self.builder.add_pieces(Kind.USER, sizes, images, self.builder.start_message())

    def answer(self, message: Message) -> None:
        builder = self.builder
        content = message.content
        if not content and message.stopReason in ("aborted", "error"):
            builder.leave_out("answers that broke off before anything came")
            return
        record(builder.open_request(), message.usage)
        number = builder.start_message()
        if isinstance(content, str):
            builder.say(content, number)
            return
        for block in content or ():
            if block.type == "text":
                builder.say(block.text, number)
            elif block.type == "thinking":
                builder.add(Kind.THINKING, utf8_size(block.thinking), number)
            elif block.type == "toolCall":
                builder.call(utf8_size(block.name) + compact_size(block.arguments), number, block.id)
            else:
                builder.unknown(f"block type {block.type[:40]!r}")

    def measure(self, content: str | list[Block] | None) -> tuple[list[int], int]:
        if isinstance(content, str):
            return [utf8_size(content)], 0
        sizes: list[int] = []
        images = 0
        for block in content or ():
            if block.type == "image":
                images += 1
                continue
            if block.type not in TEXTS:
                self.builder.unknown(f"part type {block.type[:40]!r}")
            sizes.append(utf8_size(block.text))
        return sizes, images


def first_text(content: str | list[Block] | None) -> str:
    """Return the first text of a message."""
    if isinstance(content, str):
        return content
    return next((block.text for block in content or () if block.text), "")


def record(request: Request, usage: Usage | None) -> None:
    """Take in what was reported of an answer."""
    if usage is not None:
        prompt = (usage.input or 0) + (usage.cacheRead or 0) + (usage.cacheWrite or 0)
        request.record(prompt, usage.cacheRead, usage.cacheWrite, usage.output)
