"""Claude Code transcripts: JSON lines, and copies of them as one JSON array.

Rule: one assistant message is one request, however many lines it was spread over and whatever stands
between them; its prompt is what stood before its first line, its usage is that of its last. Sidechains are
other conversations, unless the file holds nothing else: then it is a sub-agent's own. A client's own error
messages are nobody's, and the summary of a real compaction stands for what is still in the file. Where the
user went back and said something else, the branch that was left is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from foldcover_harness.transcripts.blocks import RESULTS, Block, Blocks, first_words
from foldcover_harness.transcripts.branches import drop_rewound
from foldcover_harness.transcripts.claude_code_lines import Line, Message, Usage
from foldcover_harness.transcripts.model import Builder, Conversation, Request
from foldcover_harness.transcripts.recognising import Keys, has, kind_of
from foldcover_harness.transcripts.tolerant import structs

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
_LINES: Final = frozenset(["user", "assistant", "system", "progress", "attachment"])
_KEYS: Final = frozenset(["uuid", "parentUuid", "sessionId", "isSidechain", "session_id"])
_EXTRAS: Final = {
    "summary": "leafUuid",
    "file-history-snapshot": "messageId",
    "queue-operation": "operation",
    "permission-mode": "sessionId",
    "last-prompt": "sessionId",
    "mode": "sessionId",
}


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a line of Claude Code."""
    kind = kind_of(keys)
    if kind in _LINES and "payload" not in keys and (_KEYS & keys.keys() or has(keys, "message", b"{")):
        return True
    return kind in _EXTRAS and _EXTRAS[kind] in keys


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`, each one a line of the file or an element of its array."""
    reader = _Reader(builder or Builder(CLIENT))
    take = reader.take
    for line in structs(texts, Line, reader.builder):
        take(line)
    return reader.finish()


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.blocks = Blocks(builder)
        self.requests: dict[str, tuple[Request, int]] = {}
        # Where among the entries the user spoke.
        self.prompts: list[int] = []
        self.side_lines = 0
        self.main_lines = 0

    def finish(self) -> Conversation:
        builder = self.builder
        if self.side_lines and not self.main_lines:
            builder.conversation.subagent = True
            builder.note("a sub-agent's own conversation: its brief stands in the user's place")
        rewound = drop_rewound(builder, self.prompts)
        if rewound:
            builder.leave_out("lines of branches that were left by a rewind", rewound)
        return builder.finish()

    def take(self, line: Line) -> None:
        kind = line.type
        elsewhere = bool(line.isSidechain) and self._elsewhere(kind)
        if not line.isSidechain and kind in ("assistant", "user"):
            self._main_line()
        if line.uuid is not None:
            self.builder.enter(line.uuid, line.parentUuid or line.logicalParentUuid)
        if elsewhere:
            return
        if kind == "assistant":
            self.assistant(line)
        elif kind == "user":
            self.user(line)
        elif kind in SILENT:
            if line.subtype == "compact_boundary":
                self.builder.compact(line.compactMetadata.preTokens if line.compactMetadata else None)
            elif line.subtype == "microcompact_boundary":
                self.builder.mark_break()
        elif kind == "attachment":
            self.attachment(line)
        else:
            self.builder.unknown(f"line type {kind[:40]!r}" if kind else "line without a type")

    def _elsewhere(self, kind: str) -> bool:
        """Whether a line of a side chain is to be passed over. It is not while nothing else was seen: the
        file may be a sub-agent's own.
        """
        if self.main_lines == 0:
            self.side_lines += kind in ("assistant", "user")
            return False
        if kind in ("assistant", "user"):
            self.builder.leave_out("sidechain lines")
        return True

    def _main_line(self) -> None:
        self.main_lines += 1
        if self.main_lines == 1 and self.side_lines:
            # What was read so far belongs to other conversations after all.
            self.builder.restart()
            self.builder.leave_out("sidechain lines", self.side_lines)
            self.requests.clear()
            self.prompts.clear()

    def assistant(self, line: Line) -> None:
        message = line.message
        if message is None:
            self.builder.unknown("assistant line without a message")
        elif line.isApiErrorMessage or message.model == "<synthetic>":
            self.builder.leave_out("error messages of the client")
        else:
            known = self.requests.get(message.id) if message.id else None
            if known is None:
                known = (self.builder.open_request(), self.builder.start_message())
                if message.id:
                    self.requests[message.id] = known
            self.blocks.answer(message.content, known[1])
            if message.usage is not None:
                record(known[0], message.usage)

    def user(self, line: Line) -> None:
        message = line.message
        if line.isCompactSummary:
            # Its stand-in is written by the schedules; what it stands for is still in the file.
            self.builder.leave_out("summaries of real compactions")
            self.builder.compact()
        elif message is None or message.content is None:
            self.builder.unknown("user line without content")
        else:
            self.words_and_results(message, line)

    def words_and_results(self, message: Message, line: Line) -> None:
        content = message.content
        number = self.builder.start_message()
        if content and not line.isMeta and not has_results(content):
            words = first_words(content)
            if not words.startswith(NOT_HUMAN):
                self.builder.open_turn(words)
                if line.uuid is not None:
                    self.prompts.append(len(self.builder.entries) - 1)
        self.blocks.words(content or "", number)

    def attachment(self, line: Line) -> None:
        attached = line.attachment
        if attached is None or attached.type != "queued_command":
            self.builder.leave_out("attachments other than queued prompts")
            return
        # A prompt typed while the model was busy may stand nowhere else. It interrupts a turn, it starts
        # none.
        if attached.prompt is not None:
            self.blocks.words(attached.prompt, self.builder.start_message())


def has_results(content: str | list[Block]) -> bool:
    """Whether there are results of tools among the blocks."""
    return not isinstance(content, str) and any(block.type in RESULTS for block in content)


def record(request: Request, usage: Usage) -> None:
    """Take in what Anthropic's API reported: its input tokens leave out the cached ones."""
    read, written = usage.cache_read_input_tokens, usage.cache_creation_input_tokens
    request.record((usage.input_tokens or 0) + (read or 0) + (written or 0), read, written, usage.output_tokens)
