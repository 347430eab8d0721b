"""What OpenAI's Chat Completions refuse, from their documentation and their error messages.

Rule: this file knows the API and nothing of how our requests are made; it shares no code with what makes them
(but for the names of JSON's types).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from foldcover_harness.session.wires.values import is_list, is_object

_ROLES = ("system", "developer", "user", "assistant", "tool")


def problems(request: Mapping[str, Any]) -> list[str]:
    """Every fault that would be answered with status 400."""
    messages = request.get("messages")
    if not is_list(messages) or not messages:
        return ["messages: expected an array of at least one message"]
    found: list[str] = []
    try:
        json.dumps(request, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as fault:
        found.append(f"the request body is not valid JSON: {fault}")
    for number, message in enumerate(messages):
        found.extend(f"messages[{number}]: {fault}" for fault in _shape(message))
    return found or list(_order(messages))


def _shape(message: Any) -> Iterator[str]:
    if not is_object(message) or message.get("role") not in _ROLES:
        yield "its role is not one of the API's"
        return
    for name in ("tool_calls", "function_call", "name", "tool_call_id"):
        if name in message and message[name] is None:
            yield f"{name} must not be null"
    content = message.get("content")
    if content == []:
        yield "content: an empty list"
    if not isinstance(content, (str, list, type(None))):
        yield "content must be a string, a list or null"
    if message["role"] != "assistant":
        if content is None:
            yield "content is required"
        if "tool_calls" in message:
            yield "only an assistant message can have tool_calls"
    elif not content and not any(message.get(name) for name in ("tool_calls", "function_call", "audio", "refusal")):
        yield "content is required unless there are tool_calls"
    if message["role"] == "tool" and not isinstance(message.get("tool_call_id"), str):
        yield "tool_call_id is required"
    calls = message.get("tool_calls")
    if calls is not None:
        if not is_list(calls) or not calls:
            yield "tool_calls must be a list of at least one call"
        elif not all(is_object(call) and isinstance(call.get("id"), str) for call in calls):
            yield "every call must have an id"


def _order(messages: list[dict[str, Any]]) -> Iterator[str]:
    waiting: list[str] = []
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] in waiting:
                waiting.remove(message["tool_call_id"])
            else:
                yield f"messages[{number}]: a tool message must answer a tool_call of the message before it"
            continue
        if waiting:
            yield f"messages[{number}]: these tool_call_ids have no tool message: {', '.join(waiting)}"
        waiting = [call["id"] for call in message.get("tool_calls", ())]
        if len(set(waiting)) < len(waiting):
            yield f"messages[{number}]: two calls with the same id"
    if waiting:
        yield f"messages: these tool_call_ids have no tool message: {', '.join(waiting)}"
