"""Gemini CLI: recordings of a chat, as one object or as JSON lines, and lists of Content as the API takes them.

Rule: in a recording one message of the model is one request, its calls and their results stand within it. In
a list of Content it is a longest run of the model's contents. Lines of a recording that repeat an id replace
the message; a rewind takes back what came after. A snapshot that a compaction left stands for what is no
longer in the file, so it counts; the client's acknowledgement of it is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw, Struct

from foldcover_harness.transcripts.blocks import is_shell
from foldcover_harness.transcripts.gemini_lines import FunctionCall, Line, Message, Part, Tokens
from foldcover_harness.transcripts.measures import utf8_size
from foldcover_harness.transcripts.model import Builder, Conversation, Kind, Request
from foldcover_harness.transcripts.recognising import Keys, has, text_of
from foldcover_harness.transcripts.tolerant import any_size, compact_size, raw_as, structs

CLIENT: Final = "gemini-cli"

NOISE: Final = frozenset(["info", "error", "warning"])
SNAPSHOT: Final = "<state_snapshot>"
NOT_HUMAN: Final = ("<session_context>", SNAPSHOT, "This is the Gemini CLI. We are setting up the context")

Content = str | list[Part | str] | Part | None


class Output(Struct, gc=False):
    """What most tools return."""

    output: str | None = None
    error: str | None = None


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a recording, a line of one, or a Content."""
    if {"sessionId", "projectHash"} <= keys.keys() or "$rewindTo" in keys:
        return True
    if has(keys, "parts", b"[") and text_of(keys, "role") in ("user", "model"):
        return b'"type"' not in bytes(keys["parts"])[:40]
    return text_of(keys, "type") == "gemini" and "content" in keys


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`: one recording, or the lines of one, or contents."""
    builder = builder or Builder(CLIENT)
    contents = _Contents(builder)
    recording: dict[str, tuple[int, Message]] = {}
    for line in structs(texts, Line, builder):
        if line.parts is not None:
            contents.take(line.role or "", line.parts)
        else:
            _keep(recording, line, builder)
    told = _Recording(builder)
    for builder.place, message in recording.values():
        told.take(message)
    return builder.finish()


def _keep(recording: dict[str, tuple[int, Message]], line: Line, builder: Builder) -> None:
    """Take in a line of a recording: the last word on each message counts."""
    if line.kind == "subagent":
        builder.conversation.subagent = True
        builder.note("a sub-agent's own conversation: its brief stands in the user's place")
    if line.update is not None and line.update.messages is not None:
        recording.clear()
    if line.rewind is not None:
        ids = list(recording)
        # Back to a message that is not there is back to the beginning.
        gone = ids[ids.index(line.rewind) :] if line.rewind in recording else ids
        builder.leave_out("messages that were taken back by a rewind", len(gone))
        for each in gone:
            del recording[each]
    messages = line.messages or (line.update.messages if line.update is not None else None) or []
    for place, message in enumerate(messages):
        recording[message.id or f"#{len(recording)}"] = (place, message)
    if line.type:
        recording[line.id or f"#{len(recording)}"] = (builder.place, line)
    if not (line.type or line.messages is not None or line.sessionId or line.update or line.rewind):
        builder.unknown("line of no known kind")


class _Pieces:
    """Adds parts to a conversation."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def user(self, content: Content) -> bool:
        """Add what stands in the user's place, results first, and open a turn if a user said it. Return
        whether the client said it, to acknowledge it itself.
        """
        builder = self.builder
        number = builder.start_message()
        parts = parts_of(content)
        responses = [part.functionResponse for part in parts if part.functionResponse is not None]
        for response in responses:
            kind = Kind.SHELL if is_shell(response.name or "") else Kind.RESULT
            builder.result(kind, [response_size(response.response)], 0, number, response.id or response.name or "")
        rest: list[Part | str] = [part for part in parts if part.functionResponse is None]
        if responses and not rest:
            return False
        words = first_text(rest)
        if words.startswith(SNAPSHOT):
            builder.compact()
        by_client = words.startswith(NOT_HUMAN)
        if not by_client:
            builder.open_turn(words)
        sizes, images = self.measure(rest)
        builder.add_pieces(Kind.USER, sizes, images, number)
        return by_client

    def measure(self, content: Content) -> tuple[list[int], int]:
        sizes: list[int] = []
        images = 0
        for part in parts_of(content):
            if part.text is not None:
                sizes.append(utf8_size(part.text))
            elif part.functionResponse is not None:
                sizes.append(response_size(part.functionResponse.response))
            elif bytes(part.inlineData) or bytes(part.fileData):
                images += 1
            else:
                self.builder.unknown("part of no known kind")
        return sizes, images

    def call(self, call: FunctionCall, number: int) -> None:
        name = call.name or ""
        self.builder.call(utf8_size(name) + compact_size(call.args), number, call.id or "")


class _Recording(_Pieces):
    def take(self, message: Message) -> None:
        builder = self.builder
        if message.id is not None:
            builder.enter(message.id)
        if message.type == "user":
            self.user(message.content)
        elif message.type == "gemini":
            self.answer(message)
        elif message.type in NOISE:
            builder.leave_out(f"messages of type {message.type}")
        else:
            builder.unknown(f"message type {message.type[:40]!r}" if message.type else "message without a type")

    def answer(self, message: Message) -> None:
        builder = self.builder
        record(builder.open_request(), message.tokens)
        number = builder.start_message()
        for thought in message.thoughts or ():
            builder.add(Kind.THINKING, utf8_size(thought.subject or "") + utf8_size(thought.description or ""), number)
        words = "".join(part.text or "" for part in parts_of(message.content))
        calls = message.toolCalls or ()
        if words or not calls:
            builder.say(words, number)
        for call in calls:
            self.call(FunctionCall(call.id, call.name, call.args), number)
        for call in calls:
            if call.result is None:
                continue
            sizes, images = self.measure(call.result)
            kind = Kind.SHELL if is_shell(call.name or "") else Kind.RESULT
            builder.result(kind, sizes, images, builder.start_message(), call.id or "")


class _Contents(_Pieces):
    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self.answering = False
        self.number = 0
        # Whether the client's own words came last, which it acknowledges itself.
        self.acknowledged = True

    def take(self, role: str, content: list[Part | str]) -> None:
        if role == "model":
            self.model(parts_of(content))
        elif role in ("user", "function"):
            self.answering = False
            self.acknowledged = not self.user(content)
        else:
            self.builder.unknown(f"role {role[:40]!r}" if role else "message without a role")

    def model(self, parts: list[Part]) -> None:
        builder = self.builder
        calls = [part for part in parts if part.functionCall is not None]
        if not self.acknowledged and not calls:
            self.acknowledged = True
            builder.leave_out("acknowledgements that the client wrote for the model (weighed, and no request)")
            self.number = builder.start_message()
        elif not self.answering:
            self.answering = self.acknowledged = True
            builder.open_request()
            self.number = builder.start_message()
        for part in parts:
            if part.functionCall is not None:
                self.call(part.functionCall, self.number)
            elif part.text is not None and part.thought:
                builder.add(Kind.THINKING, utf8_size(part.text), self.number)
            elif part.text is not None:
                builder.say(part.text, self.number)
            elif bytes(part.executableCode) or bytes(part.codeExecutionResult):
                builder.add(
                    Kind.TEXT, compact_size(part.executableCode) + compact_size(part.codeExecutionResult), self.number
                )
            elif bytes(part.inlineData) or bytes(part.fileData):
                builder.add_pieces(Kind.TEXT, [], 1, self.number)
            else:
                builder.unknown("part of no known kind")


def parts_of(content: Content) -> list[Part]:
    """Return a content as parts."""
    each = content if isinstance(content, list) else [] if content is None else [content]
    return [Part(text=part) if isinstance(part, str) else part for part in each]


def first_text(content: Content) -> str:
    """Return the first text of a content."""
    return next((part.text for part in parts_of(content) if part.text), "")


def response_size(raw: Raw) -> int:
    """Return the bytes of what a tool returned: its output where it has one, else all of it as compact JSON."""
    found = raw_as(raw, Output)
    if found is not None and (found.output is not None or found.error is not None):
        return utf8_size(found.output or "") + utf8_size(found.error or "")
    return any_size(raw)


def record(request: Request, tokens: Tokens | None) -> None:
    """Take in what was reported of an answer."""
    if tokens is not None:
        output = None if tokens.output is None else tokens.output + (tokens.thoughts or 0)
        request.record(tokens.input or 0, tokens.cached, None, output)
