"""Content blocks of messages: Anthropic's, and the parts that OpenAI's and others' messages are made of.

Rule: text weighs its bytes, thinking too and its signature not, a call its name and its input as compact
JSON, an image or another attachment one image. A block of a kind that is not known is counted, and its text
weighed where it has one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Raw, Struct

from foldcover_harness.transcripts.model import Builder, Kind, utf8_size
from foldcover_harness.transcripts.tolerant import compact_size

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
IMAGES: Final = frozenset(
    [
        "image",
        "document",
        "image_url",
        "input_image",
        "input_audio",
        "video_url",
        "file",
        "input_file",
        "container_upload",
    ]
)
TEXTS: Final = frozenset(("text", "input_text", "output_text", ""))
# Blocks that say nothing.
SILENT: Final = frozenset(("cache_point",))
SHELLS: Final = frozenset(
    [
        "Bash",
        "Grep",
        "Glob",
        "BashOutput",
        "KillShell",
        "KillBash",
        "TaskOutput",
        "PowerShell",
        "Monitor",
        "bash",
        "bash_20241022",
        "shell",
        "shell_command",
        "terminal",
        "execute_bash",
        "run",
        "run_command",
        "run_shell_command",
        "run_terminal_cmd",
        "exec_command",
        "execute_command",
        "grep",
        "rg",
        "glob",
        "find",
        "ls",
        "search_file_content",
        "grep_search",
    ]
)
"""Tools whose output is that of a shell or of a search."""


def is_shell(name: str) -> bool:
    """Whether a tool of that name is a shell, or a search such as grep."""
    return name in SHELLS


class Part(Struct, gc=False):
    """One piece of a tool result."""

    type: str = ""
    text: str = ""
    tool_name: str = ""


class Block(Struct, gc=False):
    """One content block of a message."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    refusal: str = ""
    id: str = ""
    name: str = ""
    input: Raw = Raw(b"")
    tool_use_id: str = ""
    content: str | list[Part] | None = None


class Blocks:
    """Adds the content of messages to a conversation. It knows which calls were a shell's."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.shell_calls: set[str] = set()

    def answer(self, content: str | list[Block] | None, number: int) -> None:
        """Add what the model wrote."""
        builder = self.builder
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
                builder.call(utf8_size(block.name) + compact_size(block.input), number, block.id)
                self.called(block.name, block.id)
            elif kind in RESULTS:
                self.answered(block, number)
            elif kind == "refusal":
                builder.say(block.refusal, number)
            elif kind in TEXTS:
                builder.say(block.text, number)
            elif kind in IMAGES:
                builder.add_pieces(Kind.TEXT, [], 1, number)
            elif kind == "redacted_thinking":
                builder.add(Kind.THINKING, 0, number)
            elif kind not in SILENT:
                self._unknown(block, number)

    def called(self, name: str, call: str) -> None:
        """Note which tool was called, so that its output is of the right kind."""
        if is_shell(name):
            self.shell_calls.add(call)

    def words(self, content: str | list[Block], number: int) -> None:
        """Add what the user said, and the results that stand with it."""
        builder = self.builder
        if isinstance(content, str):
            builder.add(Kind.USER, utf8_size(content), number)
            return
        for block in content:
            if block.type in RESULTS:
                self.answered(block, number)
            elif block.type in TEXTS:
                builder.add(Kind.USER, utf8_size(block.text), number)
            elif block.type in IMAGES:
                builder.add_pieces(Kind.USER, [], 1, number)
            elif block.type not in SILENT:
                self._unknown(block, number)

    def answered(self, block: Block, number: int) -> None:
        """Add the result that a block holds."""
        content = block.content
        kind = Kind.SHELL if block.tool_use_id in self.shell_calls else Kind.RESULT
        if isinstance(content, str):
            self.builder.result(kind, [utf8_size(content)], 0, number, block.tool_use_id)
        else:
            sizes, images = self.measure(content or ())
            self.builder.result(kind, sizes, images, number, block.tool_use_id)

    def result(self, content: str | list[Block] | None, number: int, call: str, shell: bool | None = None) -> None:
        """Add the content of a message that is the result of a call."""
        if shell is None:
            shell = call in self.shell_calls
        sizes, images = ([utf8_size(content)], 0) if isinstance(content, str) else self.measure(content or ())
        self.builder.result(Kind.SHELL if shell else Kind.RESULT, sizes, images, number, call)

    def measure(self, parts: Iterable[Part | Block]) -> tuple[list[int], int]:
        """Return the sizes of the texts among `parts`, and how many images there are."""
        sizes: list[int] = []
        images = 0
        for part in parts:
            if part.type in TEXTS:
                sizes.append(utf8_size(part.text))
            elif part.type in IMAGES:
                images += 1
            elif part.type == "tool_reference" and isinstance(part, Part):
                sizes.append(utf8_size(part.tool_name))
            else:
                self.builder.unknown(f"part type {part.type[:40]!r}")
                sizes.append(utf8_size(part.text))
        return sizes, images

    def _unknown(self, block: Block, number: int) -> None:
        self.builder.unknown(f"block type {block.type[:40]!r}")
        if block.text:
            self.builder.add(Kind.USER, utf8_size(block.text), number)


def first_words(content: str | list[Block] | None) -> str:
    """Return the first text of a message."""
    if isinstance(content, str):
        return content
    return next((block.text for block in content or () if block.type in TEXTS), "")
