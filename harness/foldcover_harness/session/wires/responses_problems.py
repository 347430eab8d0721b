"""What OpenAI's Responses API refuses, from its documentation and its error messages.

Rule: this file knows the API and nothing of how our requests are made; it shares no code with what makes them
(but for the names of JSON's types).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from foldcover_harness.session.wires.values import is_list, is_object

_ROLES = ("user", "assistant", "developer", "system")


def problems(request: Mapping[str, Any]) -> list[str]:
    """Every fault that would be answered with status 400."""
    given = request.get("input")
    if not is_list(given) or not given:
        return ["input: expected a list of at least one item"]
    found: list[str] = []
    try:
        json.dumps(request, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as fault:
        found.append(f"the request body is not valid JSON: {fault}")
    for number, item in enumerate(given):
        found.extend(f"input[{number}]: {fault}" for fault in _shape(item))
    if found:
        return found
    return [*_calls(given), *_reasoning(given)]


def _shape(item: Any) -> Iterator[str]:
    if not is_object(item):
        yield "expected an object"
    elif item.get("type", "message") == "message":
        if item.get("role") not in _ROLES:
            yield "its role is not one of the API's"
        if not isinstance(item.get("content"), (str, list)) or not item["content"]:
            yield "content is required"
        wrong = "output_text" if item.get("role") != "assistant" else "input_text"
        parts = item.get("content")
        for part in parts if is_list(parts) else ():
            if part.get("type") == wrong:
                yield f"content of type {wrong} is not supported for the role {item.get('role')}"
    elif not isinstance(item["type"], str):
        yield "expected a type"
    elif item["type"].endswith(("_call_output",)) and not isinstance(item.get("call_id"), str):
        yield "call_id is required"
    elif item["type"] == "function_call" and not isinstance(item.get("arguments"), str):
        yield "arguments: expected a string"


def _calls(given: list[dict[str, Any]]) -> Iterator[str]:
    asked: dict[str, int] = {}
    answered: set[str] = set()
    for number, item in enumerate(given):
        kind, id_ = item.get("type", "message"), item.get("call_id")
        if not isinstance(id_, str):
            continue
        if kind.endswith("_output"):
            if id_ not in asked:
                yield f"input[{number}]: no tool call found for the output with call_id {id_}"
            elif id_ in answered:
                yield f"input[{number}]: a second output for the call {id_}"
            answered.add(id_)
        elif kind.endswith("_call"):
            if id_ in asked:
                yield f"input[{number}]: a second call with the call_id {id_}"
            asked[id_] = number
    for id_ in asked:
        if id_ not in answered:
            yield f"input: no tool output found for the call {id_}"


def _reasoning(given: list[dict[str, Any]]) -> Iterator[str]:
    for number, item in enumerate(given):
        if item.get("type") != "reasoning":
            continue
        follower = given[number + 1] if number + 1 < len(given) else {}
        kind = follower.get("type", "message" if "role" in follower else "")
        foreign = kind == "message" and follower.get("role") != "assistant"
        if not kind or foreign or kind.endswith("_output"):
            yield f"input[{number}]: a reasoning item was provided without its required following item"
