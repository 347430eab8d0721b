"""OpenCode exports: one object, {info, messages: [{info, parts}]}.

Rule: each step of an assistant's message is one request; a call and its result are one part. What the user
took back by a revert is left out. A message that summarises is the client's compaction: what it stands for is
still in the file, so it is left out, and its prompt is what was compacted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw, Struct

from foldcover_harness.transcripts import chat_messages
from foldcover_harness.transcripts.blocks import is_shell
from foldcover_harness.transcripts.measures import utf8_size
from foldcover_harness.transcripts.model import Builder, Conversation, Kind, Request
from foldcover_harness.transcripts.recognising import Keys, has
from foldcover_harness.transcripts.refusal import RefusedError
from foldcover_harness.transcripts.tolerant import compact_size, structs

CLIENT: Final = "opencode"

SILENT: Final = frozenset(["snapshot", "patch", "agent", "retry", "compaction"])


class Cache(Struct, gc=False):
    """Tokens that came from the cache or went into it."""

    read: float | None = None
    write: float | None = None


class Tokens(Struct, gc=False):
    """What was reported of a step; the input leaves out what was cached."""

    input: float | None = None
    output: float | None = None
    reasoning: float | None = None
    cache: Cache | None = None


class State(Struct, gc=False):
    """What became of a call."""

    status: str = ""
    input: Raw = Raw(b"")
    output: str | None = None
    error: str | None = None
    attachments: list[Raw] | None = None


class Part(Struct, gc=False):
    """One part of a message."""

    type: str = ""
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    prompt: str | None = None
    mime: str | None = None
    tool: str | None = None
    callID: str | None = None  # noqa: N815
    state: State | None = None
    tokens: Tokens | None = None


class Revert(Struct, gc=False):
    """From which message on the session was taken back."""

    messageID: str | None = None  # noqa: N815


class Info(Struct, gc=False):
    """What is known of a message, or of the session."""

    id: str | None = None
    role: str = ""
    parentID: str | None = None  # noqa: N815
    summary: Raw = Raw(b"")
    tokens: Tokens | None = None
    error: Raw = Raw(b"")
    revert: Revert | None = None


class Message(Struct, gc=False):
    """A message."""

    info: Info | None = None
    parts: list[Part] | None = None


class Export(Struct, gc=False):
    """The file."""

    info: Info | None = None
    messages: list[Message] | None = None


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is an export."""
    return (has(keys, "messages", b"[") and b'"ses_' in bytes(keys.get("info", b""))) or (
        has(keys, "info", b"{") and has(keys, "messages", b"[") and b'"parts"' in bytes(keys["messages"])
    )


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in the one object that `texts` hold. Raises RefusedError where it is not one."""
    builder = builder or Builder(CLIENT)
    exports = list(structs(texts, Export, builder))
    if len(exports) > 1:
        raise RefusedError(chat_messages.SEVERAL)
    for export in exports:
        _Reader(builder).read(export)
    return builder.finish()


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def read(self, export: Export) -> None:
        revert = export.info.revert if export.info is not None else None
        gone = False
        if export.info is not None and export.info.parentID is not None:
            self.builder.conversation.subagent = True
            self.builder.note("a sub-agent's own conversation: its brief stands in the user's place")
        for message in chat_messages.placed(export.messages or (), self.builder):
            info = message.info or Info()
            gone = gone or (revert is not None and revert.messageID is not None and revert.messageID == info.id)
            if gone:
                self.builder.leave_out("messages that were taken back by a revert")
            else:
                self.message(info, message.parts or [])

    def message(self, info: Info, parts: list[Part]) -> None:
        builder = self.builder
        if info.id is not None:
            builder.enter(info.id)
        if info.role == "assistant":
            if bytes(info.summary) == b"true":
                builder.leave_out("summaries of real compactions")
                builder.compact(prompt_size(info.tokens))
            else:
                self.answer(info, parts)
        elif info.role == "user":
            self.user(parts)
        else:
            builder.unknown(f"role {info.role[:40]!r}" if info.role else "message without a role")

    def user(self, parts: list[Part]) -> None:
        builder = self.builder
        if any(part.type == "compaction" for part in parts):
            builder.leave_out("orders to compact")
            return
        number = builder.start_message()
        said = [part for part in parts if part.type in ("text", "subtask") and not part.ignored]
        human = [part.text or part.prompt or "" for part in said if not part.synthetic]
        files = [part for part in parts if part.type == "file"]
        if human or (files and not said):
            builder.open_turn(human[0] if human else "")
        for part in said:
            builder.add(Kind.USER, utf8_size(part.text or part.prompt or ""), number)
        # A text file stands in a part that the client added; what is left is images and documents.
        seen = sum(not (part.mime or "").startswith("text/") for part in files)
        if seen or not said:
            builder.add_pieces(Kind.USER, [], seen, number)
        for part in parts:
            if part.type not in SILENT and part.type not in ("text", "subtask", "file"):
                builder.unknown(f"part type {part.type[:40]!r}")

    def answer(self, info: Info, parts: list[Part]) -> None:
        if not parts and bytes(info.error) not in (b"", b"null"):
            self.builder.leave_out("answers that broke off before anything came")
            return
        steps: list[list[Part]] = [[]]
        for part in parts:
            if part.type == "step-start" and steps[-1]:
                steps.append([])
            steps[-1].append(part)
        for step in steps:
            reported = next((part.tokens for part in step if part.type == "step-finish"), None)
            self.step(step, reported or (info.tokens if len(steps) == 1 else None))

    def step(self, parts: list[Part], tokens: Tokens | None) -> None:
        builder = self.builder
        record(builder.open_request(), tokens)
        number = builder.start_message()
        for part in parts:
            if part.type == "text":
                builder.say(part.text or "", number)
            elif part.type == "reasoning":
                builder.add(Kind.THINKING, utf8_size(part.text or ""), number)
            elif part.type == "tool":
                state = part.state or State()
                builder.call(utf8_size(part.tool or "") + compact_size(state.input), number, part.callID or "")
            elif part.type == "file":
                builder.add_pieces(Kind.TEXT, [], 1, number)
            elif part.type not in SILENT and part.type not in ("step-start", "step-finish", "subtask"):
                builder.unknown(f"part type {part.type[:40]!r}")
        for part in parts:
            if part.type == "tool" and part.state is not None and part.state.status in ("completed", "error"):
                self.result(part, part.state)

    def result(self, part: Part, state: State) -> None:
        text = state.error if state.status == "error" else state.output
        kind = Kind.SHELL if is_shell(part.tool or "") else Kind.RESULT
        images = len(state.attachments or ())
        self.builder.result(kind, [utf8_size(text or "")], images, self.builder.start_message(), part.callID or "")


def prompt_size(tokens: Tokens | None) -> int | None:
    """Return the tokens of the whole prompt; None where nothing was reported."""
    if tokens is None:
        return None
    cache = tokens.cache or Cache()
    total = whole(tokens.input) + whole(cache.read) + whole(cache.write)
    return total or None


def whole(tokens: float | None) -> int:
    """Return a number of tokens; 0 where it is none, or none that can be."""
    return int(tokens) if tokens is not None and 0 <= tokens < 1e15 else 0


def record(request: Request, tokens: Tokens | None) -> None:
    """Take in what was reported of a step."""
    if tokens is not None:
        cache = tokens.cache or Cache()
        output = whole(tokens.output) + whole(tokens.reasoning)
        request.record(prompt_size(tokens) or 0, whole(cache.read), whole(cache.write), output)
