"""What Anthropic's Messages API refuses, from its documentation and its error messages.

Rule: this file knows the API and nothing of how our requests are made; it shares no code with what makes them
(but for the names of JSON's types).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from foldcover_harness.session.wires.values import is_list, is_object

_TOOL_ID = re.compile(r"^[a-zA-Z0-9_-]+$")


def problems(request: Mapping[str, Any]) -> list[str]:
    """Every fault that would be answered with status 400."""
    messages = request.get("messages")
    if not is_list(messages) or not messages:
        return ["messages: a list of at least one message is required"]
    found = list(_unreadable(request))
    for number, message in enumerate(messages):
        found.extend(f"messages.{number}: {fault}" for fault in _shape(message))
    if found:
        return found
    found.extend(_order(messages))
    found.extend(_calls(messages))
    found.extend(_server_calls(messages))
    found.extend(_caching(request, messages))
    return found


def _unreadable(request: Mapping[str, Any]) -> Iterator[str]:
    try:
        json.dumps(request, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as fault:
        yield f"the request body is not valid JSON: {fault}"


def _shape(message: Any) -> Iterator[str]:
    if not is_object(message) or message.get("role") not in ("user", "assistant"):
        yield "its role must be user or assistant"
        return
    for extra in message.keys() - {"role", "content"}:
        yield f"{extra}: extra inputs are not permitted"
    content = message.get("content")
    if isinstance(content, str):
        if content.strip() == "":
            yield "text content must be non-empty"
    elif is_list(content) and content:
        for block in content:
            yield from _block(block, message["role"])
        if is_object(content[-1]) and content[-1].get("type") in ("thinking", "redacted_thinking"):
            yield "the final block of a message cannot be thinking"
    else:
        yield "content must be non-empty"


def _block(block: Any, role: str) -> Iterator[str]:
    if not is_object(block) or not isinstance(block.get("type"), str):
        yield "a content block without a type"
        return
    kind = block["type"]
    if kind == "text" and (not isinstance(block.get("text"), str) or block["text"].strip() == ""):
        yield "text content blocks must contain non-whitespace text"
    if kind == "thinking" and not block.get("signature"):
        yield "thinking.signature: field required"
    if kind in ("thinking", "redacted_thinking", "tool_use", "server_tool_use") and role != "assistant":
        yield f"{kind} blocks can only be in assistant messages"
    if kind == "tool_result":
        if role != "user":
            yield "tool_result blocks can only be in user messages"
        yield from _result(block)
    if kind == "tool_use":
        if not isinstance(block.get("id"), str) or not _TOOL_ID.match(block["id"]):
            yield "tool_use.id: string should match pattern '^[a-zA-Z0-9_-]+$'"
        if not is_object(block.get("input")):
            yield "tool_use.input: input should be a valid dictionary"


def _result(block: dict[str, Any]) -> Iterator[str]:
    content = block.get("content", "")
    if not isinstance(content, (str, list)):
        yield "tool_result.content must be a string or a list"
    elif is_list(content):
        for part in content:
            if is_object(part) and part.get("type") == "text" and not str(part.get("text", "")).strip():
                yield "text content blocks must contain non-whitespace text"
    if block.get("is_error") is True and not content:
        yield "tool_result: content cannot be empty if is_error is true"


def _order(messages: list[dict[str, Any]]) -> Iterator[str]:
    if messages[0]["role"] != "user":
        yield "messages: first message must use the user role"
    for number in range(1, len(messages)):
        if messages[number]["role"] == messages[number - 1]["role"]:
            yield f"messages.{number}: roles must alternate"


def _of(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    content = message["content"]
    return [block for block in content if block["type"] == kind] if is_list(content) else []


def _calls(messages: list[dict[str, Any]]) -> Iterator[str]:
    known: set[str] = set()
    for number, message in enumerate(messages):
        ids = [str(block.get("id")) for block in _of(message, "tool_use")]
        if len(set(ids)) < len(ids) or known & set(ids):
            yield f"messages.{number}: tool_use ids must be unique"
        known.update(ids)
        follower: dict[str, Any] = messages[number + 1] if number + 1 < len(messages) else {"content": []}
        if set(ids) - {str(block.get("tool_use_id")) for block in _of(follower, "tool_result")}:
            yield f"messages.{number}: tool_use ids were found without tool_result blocks immediately after"
        answered = [str(block.get("tool_use_id")) for block in _of(message, "tool_result")]
        asked = {str(block.get("id")) for block in _of(messages[number - 1], "tool_use")} if number else set[str]()
        if any(each not in asked for each in answered):
            yield f"messages.{number}: unexpected tool_use_id found in tool_result blocks"
        if len(set(answered)) < len(answered):
            yield f"messages.{number}: each tool_use must have a single result"
        if answered and any(block["type"] != "tool_result" for block in message["content"][: len(answered)]):
            yield f"messages.{number}: tool_result blocks must come first"


def _server_calls(messages: list[dict[str, Any]]) -> Iterator[str]:
    waiting: set[str] = set()
    for number, message in enumerate(messages):
        content = message["content"]
        for block in content if is_list(content) else []:
            kind = block["type"]
            if kind in ("server_tool_use", "mcp_tool_use"):
                waiting.add(str(block.get("id")))
            elif kind.endswith("_tool_result"):
                if str(block.get("tool_use_id")) not in waiting:
                    yield f"messages.{number}: {kind} without a corresponding tool use"
                waiting.discard(str(block.get("tool_use_id")))
        # A server's tool may wait for results of the client's, but for nothing else.
        if message["role"] == "user" and waiting and not _of(message, "tool_result"):
            yield f"messages.{number}: a server tool use was found without a corresponding result"


def _caching(request: Mapping[str, Any], messages: list[dict[str, Any]]) -> Iterator[str]:
    blocks: list[Any] = [dict(request)]
    for part in (request.get("tools"), request.get("system"), *(message["content"] for message in messages)):
        blocks.extend(part if is_list(part) else [])
    for block in blocks[1:]:
        if is_object(block) and block.get("type") == "tool_result" and is_list(block.get("content")):
            blocks.extend(block["content"])
    marked = [block for block in blocks if is_object(block) and block.get("cache_control")]
    if len(marked) > 4:
        yield f"a maximum of 4 blocks with cache_control may be provided, found {len(marked)}"
    if any(block.get("type") in ("thinking", "redacted_thinking") for block in marked):
        yield "cache_control cannot be set on thinking blocks"
