"""Anthropic's Messages API: reading its messages and making small ones.

Rule: a message is one dict with a role and a content, a text or a list of blocks. Blocks of unknown types are kept as
they are and count by their JSON. What goes out is built in anthropic_request.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from foldcover_harness.session.wires import anthropic_problems, anthropic_request
from foldcover_harness.session.wires.values import blank, compact, is_list, is_object, not_json
from foldcover_harness.session.wires.wire import Call, Json, Message, Piece, Role, Tool
from foldcover_harness.transcripts.model import Kind

UNDERSTOOD: Final = "Understood."
"""The model's side of a note of the host: roles alternate."""
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_CALLED: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_MEDIA: Final = ("image", "document")


class Anthropic:
    """The Messages API."""

    name = "anthropic"

    def refuse(self, role: Role, message: Message) -> str | None:
        """Why this cannot be a message of that role."""
        wrong = not_json(message)
        if wrong is not None:
            return wrong
        if not is_object(message):
            return "not an object"
        wanted = "assistant" if role == "assistant" else "user"
        if message.get("role") != wanted:
            return f"its role is not {wanted}"
        content = message.get("content")
        if isinstance(content, str):
            return _refuse_text(role, content)
        if not is_list(content):
            return "no content"
        for block in content:
            wrong = _refuse_block(role, block)
            if wrong is not None:
                return wrong
        results = any(block["type"] == "tool_result" for block in content)
        if role == "tool_result":
            return None if results else "no tool result in it"
        if role == "user" and results:
            return "holds a tool result: hand it over as a tool_result message"
        if role == "user" and all(block["type"] == "text" and blank(block["text"]) for block in content):
            return "no content"
        return None

    def calls(self, message: Message) -> list[Call]:
        """The calls that the client answers; a server's own calls are not among them."""
        return [Call(b["id"], b["name"], b["input"]) for b in blocks(message) if b["type"] == "tool_use"]

    def answers(self, message: Message) -> list[str]:
        """The ids of the calls answered."""
        return [block["tool_use_id"] for block in blocks(message) if block["type"] == "tool_result"]

    def failures(self, message: Message) -> list[str]:
        """The ids of the results with is_error."""
        found = (block for block in blocks(message) if block["type"] == "tool_result")
        return [block["tool_use_id"] for block in found if block.get("is_error") is True]

    def pieces(self, message: Message) -> list[Piece]:
        """Everything that costs tokens."""
        plain = Kind.TEXT if _role(message) == "assistant" else Kind.USER
        return [piece for block in blocks(message) for piece in _pieces(block, plain)]

    def said(self, message: Message) -> str:
        """The text blocks."""
        return "\n".join(block["text"] for block in blocks(message) if block["type"] == "text")

    def with_note(self, message: Message, note: str) -> Message:
        """The message with a text block at its end."""
        fields = _fields(message)
        return {**fields, "content": [*blocks(message), {"type": "text", "text": note}]}

    def note(self, text: str) -> list[Message]:
        """A user message, and a short answer behind it."""
        return [
            {"role": "user", "content": [{"type": "text", "text": text}]},
            {"role": "assistant", "content": [{"type": "text", "text": UNDERSTOOD}]},
        ]

    def result(self, call_id: str, text: str, failed: bool = False) -> Message:
        """A user message with one result."""
        block: dict[str, Json] = {"type": "tool_result", "tool_use_id": call_id, "content": text}
        if failed:
            block["is_error"] = True
        return {"role": "user", "content": [block]}

    def tools(self, ours: Sequence[Tool]) -> list[Json]:
        """Tools with an input_schema."""
        return [{"name": t.name, "description": t.description, "input_schema": t.schema} for t in ours]

    def request(
        self, standing: Mapping[str, Json], head: Sequence[Message], tail: Sequence[Message]
    ) -> dict[str, Json]:
        """The body of a request."""
        return anthropic_request.body(standing, head, tail)

    def problems(self, request: Mapping[str, Json]) -> list[str]:
        """What the API would refuse."""
        return anthropic_problems.problems(request)


def blocks(message: Message) -> list[dict[str, Any]]:
    """The blocks of a message; a text is one text block."""
    content = _fields(message).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content) if is_list(content) else []


def _fields(message: Message) -> Mapping[str, Any]:
    return message if is_object(message) else {}


def _role(message: Message) -> Any:
    return _fields(message).get("role")


def _refuse_text(role: Role, content: str) -> str | None:
    if role == "tool_result":
        return "no tool result in it"
    # An aborted answer may be empty; a user's message may not.
    return "no content" if role == "user" and blank(content) else None


def _refuse_block(role: Role, block: Any) -> str | None:
    kind = block.get("type") if is_object(block) else None
    if not isinstance(kind, str):
        return "a block without a type"
    if kind == "text" and not isinstance(block.get("text"), str):
        return "a text block without a text"
    if kind == "tool_result":
        return "a tool result in a message of the model" if role == "assistant" else _refuse_result(block)
    if role != "assistant":
        mine = kind in _CALLED or kind in ("thinking", "redacted_thinking") or anthropic_request.is_server_result(kind)
        return f"a {kind} block that only the model can write" if mine else None
    if kind in _CALLED:
        return _refuse_call(block)
    if kind == "thinking" and not isinstance(block.get("thinking"), str):
        return "a thinking block without its text"
    return None


def _refuse_call(block: dict[str, Any]) -> str | None:
    if not isinstance(block.get("id"), str) or not _ID.fullmatch(block["id"]):
        return "a call whose id is not made of letters, digits, _ and -"
    if not isinstance(block.get("name"), str) or not block["name"]:
        return "a call without a name"
    return None if is_object(block.get("input")) else "a call whose input is not an object"


def _refuse_result(block: dict[str, Any]) -> str | None:
    if not isinstance(block.get("tool_use_id"), str) or not block["tool_use_id"]:
        return "a tool result without the id of its call"
    content = block.get("content", "")
    if isinstance(content, str):
        return None
    if not is_list(content):
        return "a tool result whose content is neither a text nor a list"
    for part in content:
        if not is_object(part) or not isinstance(part.get("type"), str):
            return "a tool result with a block that has no type"
        if part["type"] == "text" and not isinstance(part.get("text"), str):
            return "a text block without a text"
    return None


def _pieces(block: dict[str, Any], plain: Kind) -> Iterator[Piece]:
    kind = block["type"]
    if kind == "text":
        yield Piece(plain, block["text"])
    elif kind == "thinking":
        yield Piece(Kind.THINKING, block["thinking"])
    elif kind == "redacted_thinking":
        yield Piece(Kind.THINKING, "")
    elif kind in _CALLED:
        yield Piece(Kind.CALL, block["name"] + compact(block["input"]))
    elif kind == "tool_result":
        content = block.get("content", "")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for part in parts:
            yield from _pieces(part, Kind.RESULT)
    elif kind in _MEDIA:
        yield _medium(block, plain)
    else:
        yield Piece(Kind.RESULT if anthropic_request.is_server_result(kind) else plain, compact(block))


def _medium(block: dict[str, Any], plain: Kind) -> Piece:
    """A document given as text is text; anything else weighs as an image."""
    source = block.get("source")
    if is_object(source) and source.get("type") == "text" and isinstance(source.get("data"), str):
        return Piece(plain, source["data"])
    return Piece(plain, "", 1)
