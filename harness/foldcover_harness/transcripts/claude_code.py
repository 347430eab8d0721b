"""Claude Code transcripts: JSON lines, and copies of them as one JSON array.

Rule: one assistant message is one request, however many lines it was spread over and whatever stands
between them; its prompt is what stood before its first line, its usage is that of its last. Sidechains are
other conversations, a client's own error messages are nobody's, and the summary of a real compaction stands
for what is still in the file: all three are left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from foldcover_harness.transcripts.claude_code_lines import Block, Line, Message, Part, Usage
from foldcover_harness.transcripts.model import MOST, WORDS, Builder, Conversation, Kind, Request, utf8_size
from foldcover_harness.transcripts.tolerant import FAULTS, compact_size, rescue

CLIENT: Final = "claude-code"

# Lines that say nothing to the model.
SILENT: Final = frozenset(
    [
        "progress",
        "system",
        "file-history-snapshot",
        "file-history-delta",
        "summary",
        "queue-operation",
        "pr-link",
        "last-prompt",
        "mode",
        "permission-mode",
        "atis-latch",
        "custom-title",
        "agent-name",
        "result",
    ]
)
# What a user line begins with that no user wrote.
NOT_HUMAN: Final = (
    "[Request interrupted by user",
    "<command-message>",
    "<command-name>",
    "<local-command-stdout>",
    "<local-command-caveat>",
    "<bash-stdout>",
    "<task-notification>",
    "<teammate-message",
)
SHELLS: Final = frozenset(
    [
        "Bash",
        "BashOutput",
        "Grep",
        "Glob",
        "KillShell",
        "KillBash",
        "TaskOutput",
        "bash",
        "shell",
        "grep",
        "rg",
        "PowerShell",
        "Monitor",
    ]
)
BOUNDARIES: Final = frozenset(("compact_boundary", "microcompact_boundary"))
CALLS: Final = frozenset(("tool_use", "server_tool_use", "mcp_tool_use"))
RESULTS: Final = frozenset(
    [
        "tool_result",
        "mcp_tool_result",
        "web_search_tool_result",
        "web_fetch_tool_result",
        "code_execution_tool_result",
        "bash_code_execution_tool_result",
        "text_editor_code_execution_tool_result",
        "tool_search_tool_result",
    ]
)


_decode = msgspec.json.Decoder(Line).decode


def read(texts: Iterable[bytes | None]) -> Conversation:
    """Return the conversation in `texts`, each one a line of the file or an element of its array."""
    reader = _Reader()
    take = reader.take
    for text in texts:
        if text is None:
            reader.unknown("a line that is cut off, or longer than 64 MiB")
            continue
        try:
            line = _decode(text)
        except FAULTS:
            for found in rescue(text, Line, reader.unknown):
                take(found)
        else:
            take(line)
    return reader.builder.finish()


class _Reader:
    def __init__(self) -> None:
        self.builder = Builder(CLIENT)
        self.found = self.builder.conversation.found
        self.requests: dict[str, tuple[Request, int]] = {}
        self.shell_calls: set[str] = set()

    def unknown(self, kind: str) -> None:
        self.found.unknown[kind] += 1

    def leave_out(self, kind: str) -> None:
        self.found.left_out[kind] += 1

    def take(self, line: Line) -> None:
        kind = line.type
        if kind == "assistant":
            self.assistant(line)
        elif kind == "user":
            self.user(line)
        elif kind in SILENT:
            if line.subtype in BOUNDARIES and not line.isSidechain:
                self.builder.mark_break()
        elif kind == "attachment":
            self.attachment(line)
        else:
            self.unknown(f"line type {kind[:40]!r}" if kind else "line without a type")

    def assistant(self, line: Line) -> None:
        message = line.message
        if line.isSidechain:
            self.leave_out("sidechain lines")
        elif message is None:
            self.unknown("assistant line without a message")
        elif line.isApiErrorMessage or message.model == "<synthetic>":
            self.leave_out("error messages of the client")
        else:
            known = self.requests.get(message.id) if message.id else None
            if known is None:
                known = (self.builder.open_request(), self.builder.start_message())
                if message.id:
                    self.requests[message.id] = known
            self.content(message, known[1])
            if message.usage is not None:
                known[0].reported = prompt_size(message.usage)

    def content(self, message: Message, number: int) -> None:
        builder = self.builder
        content = message.content
        if isinstance(content, str):
            builder.say(content, number)
            return
        for block in content or ():
            kind = block.type
            if kind == "text":
                builder.say(block.text, number)
            elif kind == "thinking":
                builder.add(Kind.THINKING, utf8_size(block.thinking), number)
            elif kind in CALLS:
                builder.call(utf8_size(block.name) + compact_size(block.input), number)
                if block.name in SHELLS:
                    self.shell_calls.add(block.id)
            elif kind in RESULTS:
                self.result(block, number)
            elif kind != "redacted_thinking":
                self.unknown_block(block, number)

    def user(self, line: Line) -> None:
        message = line.message
        if line.isSidechain:
            self.leave_out("sidechain lines")
        elif line.isCompactSummary:
            # Its stand-in is written by the schedules; what it stands for is still in the file.
            self.leave_out("summaries of real compactions")
            if self.builder.conversation.breaks[-1:] != [len(self.builder.conversation.requests)]:
                self.builder.mark_break()
        elif message is None or message.content is None:
            self.unknown("user line without content")
        else:
            self.words_and_results(message.content, bool(line.isMeta))

    def words_and_results(self, content: str | list[Block], meta: bool) -> None:
        builder = self.builder
        number = builder.start_message()
        if isinstance(content, str):
            if not meta and not content.startswith(NOT_HUMAN):
                builder.open_turn(content[:WORDS])
            builder.add(Kind.USER, utf8_size(content), number)
            return
        if not meta and content and not any(block.type in RESULTS for block in content):
            words = next((block.text for block in content if block.type == "text"), "")
            if not words.startswith(NOT_HUMAN):
                builder.open_turn(words[:WORDS])
        for block in content:
            if block.type in RESULTS:
                self.result(block, number)
            elif block.type == "text":
                builder.add(Kind.USER, utf8_size(block.text), number)
            elif block.type in ("image", "document"):
                builder.add_pieces(Kind.USER, [], 1, number)
            else:
                self.unknown_block(block, number)

    def result(self, block: Block, number: int) -> None:
        kind = Kind.SHELL if block.tool_use_id in self.shell_calls else Kind.RESULT
        content = block.content
        if isinstance(content, str):
            self.builder.add(kind, utf8_size(content), number)
        else:
            # An empty result is a message all the same: it can be the last one before a request.
            self.pieces(kind, content or [], number)

    def pieces(self, kind: Kind, parts: list[Part], number: int) -> None:
        sizes: list[int] = []
        images = 0
        for part in parts:
            if part.type in ("text", ""):
                sizes.append(utf8_size(part.text))
            elif part.type in ("image", "document"):
                images += 1
            elif part.type == "tool_reference":
                sizes.append(utf8_size(part.tool_name))
            else:
                self.unknown(f"part type {part.type[:40]!r}")
                sizes.append(utf8_size(part.text))
        self.builder.add_pieces(kind, sizes, images, number)

    def unknown_block(self, block: Block, number: int) -> None:
        self.unknown(f"block type {block.type[:40]!r}")
        if block.text:
            self.builder.add(Kind.USER, utf8_size(block.text), number)

    def attachment(self, line: Line) -> None:
        attached = line.attachment
        if attached is None or attached.type != "queued_command" or line.isSidechain:
            self.leave_out("attachments other than queued prompts")
            return
        # A prompt typed while the model was busy may stand nowhere else. It interrupts a turn, it starts
        # none.
        number = self.builder.start_message()
        if isinstance(attached.prompt, str):
            self.builder.add(Kind.USER, utf8_size(attached.prompt), number)
        elif attached.prompt:
            self.pieces(Kind.USER, attached.prompt, number)


def prompt_size(usage: Usage) -> int | None:
    """Return the tokens of the whole prompt as reported, cached ones included; None where nothing was."""
    total = (usage.input_tokens or 0) + (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    return total if 0 < total <= MOST else None
