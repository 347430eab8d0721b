"""Codex CLI rollouts, with the envelope {timestamp, type, payload} and the older ones without it.

Rule: a request is a longest run of what the model wrote with no tool output and no message between. Much is
written twice, as an event and as a response item: the items count; a user's message that stands only in an
event counts from there. Turns that the user took back are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from foldcover_harness.transcripts.codex_lines import Info, Line, Part, Payload, Tokens, Wrapped
from foldcover_harness.transcripts.model import MOST, Builder, Conversation, Kind, Mark, Request, utf8_size
from foldcover_harness.transcripts.recognising import Keys, kind_of
from foldcover_harness.transcripts.tolerant import CUT, FAULTS, arguments_size, compact_size, rescue

CLIENT: Final = "codex"

INJECTED: Final = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<skill>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<INSTRUCTIONS>",
)
SHELLS: Final = frozenset(
    [
        "shell",
        "local_shell",
        "exec_command",
        "write_stdin",
        "container.exec",
        "shell_command",
        "exec",
        "wait",
        "grep_files",
    ]
)
CALLS: Final = frozenset(
    ["function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"]
)
OUTPUTS: Final = frozenset(
    ["function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"]
)
# Response items that say nothing to the model, or that hold what cannot be read.
SILENT_ITEMS: Final = frozenset(["ghost_snapshot", "compaction", "compaction_summary", "compaction_trigger"])
# Events repeat the items or speak to the user: of them only user_message, token_count and compactions are
# read.
SILENT_LINES: Final = frozenset(["session_meta", "turn_context", "world_state"])
READ_EVENTS: Final = frozenset(("user_message", "token_count", "thread_rolled_back"))
_LINES: Final = frozenset(["session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"])
_ITEMS: Final = frozenset(["message", "reasoning", "function_call", "function_call_output", "custom_tool_call"])


_decode = msgspec.json.Decoder(Line).decode


def recognises(keys: Keys) -> bool:
    """Whether an object with these keys is a line of a rollout, with or without its envelope."""
    kind = kind_of(keys)
    if kind in _LINES and "payload" in keys:
        return True
    if "record_type" in keys or {"id", "timestamp", "instructions"} <= keys.keys():
        return True
    return kind in _ITEMS and (kind != "message" or ("role" in keys and "message" not in keys))


def read(texts: Iterable[bytes | None], builder: Builder | None = None) -> Conversation:
    """Return the conversation in `texts`, each one a line of the file or an element of its array."""
    reader = _Reader(builder or Builder(CLIENT))
    for text in texts:
        if text is None:
            reader.builder.unknown(CUT)
            continue
        try:
            reader.take(_decode(text))
        except FAULTS:
            faults: list[str] = []
            for line in rescue(text, Line, faults.append):
                reader.take(line)
                if line.type == "event_msg" and line.payload and line.payload.type not in READ_EVENTS:
                    faults.clear()
            for fault in faults:
                reader.builder.unknown(fault)
    return reader.builder.finish()


class _Reader:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.shell_calls: set[str] = set()
        self.answering = False
        self.number = 0
        # A user's message stands as an item and as an event, in either order: each waits for its twin.
        self.waiting_items = 0
        self.waiting_events = 0
        # Usage is written before the answer that it belongs to (older clients) or after it.
        self.usage_first: bool | None = None
        self.pending: Tokens | None = None
        self.last_total: int | None = None
        # Where each turn that still stands began.
        self.turns: list[Mark] = []

    def take(self, line: Line) -> None:
        kind, payload = line.type, line.payload
        if kind == "response_item" and payload is not None:
            self.item(payload)
        elif kind == "event_msg" and payload is not None:
            self.event(payload)
        elif kind == "compacted":
            self.compacted()
        elif kind in SILENT_LINES or line.record_type is not None:
            pass
        elif kind and payload is None:
            self.item(line)
        elif kind:
            self.builder.unknown(f"line type {kind[:40]!r}")
        elif line.id is None:
            # The first line of an older rollout has no type, but an id.
            self.builder.unknown("line without a type")

    def compacted(self) -> None:
        self.builder.leave_out("summaries of real compactions")
        self.builder.compact()

    def event(self, event: Payload) -> None:
        if event.type == "user_message":
            self.user_event(event)
        elif event.type == "token_count":
            self.usage(event.info)
        elif event.type == "context_compacted" or (
            event.item and event.item.type in ("ContextCompaction", "context_compaction")
        ):
            self.builder.compact()
        elif event.type == "thread_rolled_back":
            self.roll_back(event.num_turns or 0)

    def roll_back(self, count: int) -> None:
        """Drop the last turns: the user took them back."""
        if count > 0 and self.turns:
            self.builder.leave_out("turns that were rolled back", min(count, len(self.turns)))
            self.builder.drop(self.turns[-count:][0], self.builder.mark())
            del self.turns[-count:]
        self.answering = False
        self.waiting_items = self.waiting_events = 0

    def open_turn(self, words: str) -> None:
        self.turns.append(self.builder.mark())
        self.builder.open_turn(words)

    def user_event(self, event: Payload) -> None:
        if self.waiting_items:
            self.waiting_items -= 1
            return
        self.waiting_events += 1
        self.answering = False
        words = event.message or ""
        self.open_turn(words)
        self.builder.add(Kind.USER, utf8_size(words), self.builder.start_message())

    def usage(self, info: Info | None) -> None:
        if info is None or info.last_token_usage is None:
            return
        if info.model_context_window and info.model_context_window > 0:
            self.builder.conversation.window = info.model_context_window
        total = info.total_token_usage.input_tokens if info.total_token_usage else None
        reported = info.last_token_usage.input_tokens
        if not reported or not 0 < reported <= MOST or (total is not None and total == self.last_total):
            return
        self.last_total = total
        requests = self.builder.conversation.requests
        if self.usage_first is None:
            self.usage_first = not requests
        if self.usage_first:
            self.pending = info.last_token_usage
        elif requests and requests[-1].reported is None:
            record(requests[-1], info.last_token_usage)

    def item(self, item: Payload) -> None:
        kind = item.type
        if kind == "message":
            self.message(item)
        elif kind == "reasoning":
            self.answer()
            self.reasoning(item)
        elif kind in CALLS:
            self.answer()
            self.call(item)
        elif kind in OUTPUTS:
            self.output(item)
        elif kind in SILENT_ITEMS:
            self.builder.leave_out(f"items of kind {kind}")
        else:
            self.builder.unknown(f"item type {kind[:40]!r}" if kind else "item without a type")

    def answer(self) -> None:
        """Open a request, unless the model is already answering."""
        if self.answering:
            return
        self.answering = True
        self.waiting_items = self.waiting_events = 0
        request: Request = self.builder.open_request()
        self.number = self.builder.start_message()
        if self.pending is not None:
            record(request, self.pending)
            self.pending = None

    def message(self, item: Payload) -> None:
        if item.role == "assistant":
            self.answer()
            self.assistant(item.content)
            return
        self.answering = False
        number = self.builder.start_message()
        parts = [Part("input_text", item.content)] if isinstance(item.content, str) else item.content or []
        words = next((part.text for part in parts if part.text), "")
        injected = item.role != "user" or all(
            part.text.startswith(INJECTED) for part in parts if part.type == "input_text"
        )
        if not injected:
            if self.waiting_events:
                self.waiting_events -= 1
                return
            self.waiting_items += 1
            self.open_turn(words)
        sizes, images = self.measure(parts)
        self.builder.add_pieces(Kind.USER, sizes, images, number)

    def assistant(self, content: str | list[Part] | None) -> None:
        if isinstance(content, str):
            self.builder.say(content, self.number)
            return
        for part in content or ():
            if part.type not in ("output_text", "text", "refusal"):
                self.builder.unknown(f"part type {part.type[:40]!r}")
            self.builder.say(part.text, self.number)

    def reasoning(self, item: Payload) -> None:
        for part in item.summary or ():
            self.builder.add(Kind.THINKING, utf8_size(part.text), self.number)
        if isinstance(item.content, list):
            for part in item.content:
                self.builder.add(Kind.THINKING, utf8_size(part.text), self.number)

    def call(self, item: Payload) -> None:
        name = item.name or item.type.removesuffix("_call")
        if item.input is not None:
            size = utf8_size(item.input)
        elif item.arguments is not None:
            size = arguments_size(item.arguments)
        else:
            size = compact_size(item.action)
        self.builder.call(utf8_size(name) + size, self.number, item.call_id or "")
        if item.call_id and name in SHELLS:
            self.shell_calls.add(item.call_id)

    def output(self, item: Payload) -> None:
        self.answering = False
        kind = Kind.SHELL if item.call_id in self.shell_calls else Kind.RESULT
        output = item.output
        if isinstance(output, Wrapped):
            output = output.content
        sizes, images = ([utf8_size(output)], 0) if isinstance(output, str) else self.measure(output or [])
        self.builder.result(kind, sizes, images, self.builder.start_message(), item.call_id or "")

    def measure(self, parts: list[Part]) -> tuple[list[int], int]:
        sizes: list[int] = []
        images = 0
        for part in parts:
            if part.type in ("input_image", "image"):
                images += 1
                continue
            if part.type not in ("input_text", "text", "output_text"):
                self.builder.unknown(f"part type {part.type[:40]!r}")
            sizes.append(utf8_size(part.text))
        return sizes, images


def record(request: Request, tokens: Tokens) -> None:
    """Take in what a token_count event reports: its input tokens include the cached ones."""
    request.record(tokens.input_tokens or 0, tokens.cached_input_tokens, None, tokens.output_tokens)
