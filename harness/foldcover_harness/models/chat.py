"""Chat Completions: OpenAI's, and what speaks their language (llama.cpp, Ollama, vLLM, OpenRouter, ...).

Rule: `read` is pure. Servers deviate: calls without an index or with their id again in every piece, chunks without
choices, no usage, no [DONE]. What can only mean one thing is taken so; what cannot is an error. An answer is whole when
its finish_reason came.
"""

from __future__ import annotations

import uuid
from copy import deepcopy
from typing import Any, Final

from foldcover_harness.models.errors import Broken
from foldcover_harness.models.model import Answer, ModelError, Show, Usage
from foldcover_harness.models.remote import Events
from foldcover_harness.session.wires.values import compact, is_list, is_object, number

PATH: Final = "/chat/completions"
EXTRA: Final = {"stream_options": {"include_usage": True}}
"""Without it no usage comes; a server that does not know it may refuse it."""
_THOUGHT: Final = ("reasoning_content", "reasoning")
_WHOLE: Final = ("role", "id", "type", "format", "signature")
"""Texts that come whole, and maybe again with each piece."""


def read(events: Events, show: Show) -> Answer:
    """The answer out of its chunks."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: list[dict[str, Any]] = []
    usage: Usage | None = None
    finish = ""
    try:
        for chunk in events:
            usage = usage_of(chunk.get("usage")) or usage
            for choice in _objects(chunk.get("choices")):
                if choice.get("index") in (0, None):
                    _take(choice.get("delta"), message, calls, show)
                    finish = str(choice.get("finish_reason") or finish)
    except Broken:
        if not finish:
            raise
    if finish == "error":
        raise Broken("the answer broke off at the provider")
    if not finish:
        raise Broken("the answer broke off before its end")
    if calls:
        message["tool_calls"] = [_whole(call) for call in calls]
    return Answer(message, usage, finish)


def usage_of(said: Any) -> Usage | None:
    """What a server counted; None where it did not say."""
    if not is_object(said) or not isinstance(said.get("prompt_tokens"), int):
        return None
    details = said.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if is_object(details) else said.get("prompt_cache_hit_tokens")
    return Usage(said["prompt_tokens"], number(cached), number(said.get("completion_tokens")))


def _take(delta: Any, message: dict[str, Any], calls: list[dict[str, Any]], show: Show) -> None:
    """A delta into the message and its calls."""
    if not is_object(delta):
        return
    for name in _THOUGHT:
        if isinstance(delta.get(name), str) and delta[name]:
            show("thinking", delta[name])
            break
    for name in ("content", "refusal"):
        if isinstance(delta.get(name), str) and delta[name]:
            show("text", delta[name])
    if is_list(delta.get("content")):
        raise ModelError("a content of parts cannot be read from a stream")
    _grow(message, {name: value for name, value in delta.items() if name not in ("tool_calls", "role")})
    for piece in _objects(delta.get("tool_calls")):
        call = _call_of(piece, calls)
        if call is None:
            calls.append(call := {})
        _grow(call, _without_objects(piece))


def _call_of(piece: dict[str, Any], calls: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The call that a piece continues; None where it begins one.

    A new id begins a call, whatever its index says: some servers number all calls 0. Without an id the index decides,
    and without both a name does, because no piece but the first has one.
    """
    if piece.get("id"):
        return next((call for call in reversed(calls) if call.get("id") == piece["id"]), None)
    if isinstance(piece.get("index"), int):
        return next((call for call in reversed(calls) if call.get("index") == piece["index"]), None)
    inner = piece.get("function")
    return None if not calls or (is_object(inner) and inner.get("name")) else calls[-1]


def _grow(whole: dict[str, Any], piece: dict[str, Any]) -> None:
    """A piece of an object onto what came of it before: texts grow, lists grow by their entries' index."""
    for name, value in piece.items():
        before = whole.get(name)
        if value is None and name in whole:
            continue
        if isinstance(before, str) and isinstance(value, str):
            repeated = name in _WHOLE or (name == "name" and value == before)
            whole[name] = (value or before) if repeated else before + value
        elif is_object(before) and is_object(value):
            _grow(before, value)
        elif is_list(before) and is_list(value):
            for entry in value:
                _grow_list(before, entry)
        else:
            whole[name] = deepcopy(value)


def _grow_list(entries: list[Any], piece: Any) -> None:
    same = (e for e in entries if is_object(e) and is_object(piece) and "index" in piece)
    before = next((e for e in same if e.get("index") == piece["index"] and e.get("type") == piece.get("type")), None)
    if before is None:
        entries.append(deepcopy(piece))
    else:
        _grow(before, piece)


def _without_objects(piece: dict[str, Any]) -> dict[str, Any]:
    """The piece with arguments as text, where a server sends them as the object they stand for."""
    inner = piece.get("function")
    if is_object(inner) and is_object(inner.get("arguments")):
        return {**piece, "function": {**inner, "arguments": compact(inner["arguments"])}}
    return piece


def _whole(call: dict[str, Any]) -> dict[str, Any]:
    """The call as it is sent again: without its index, with an id, with arguments that are at least an empty object."""
    kind = "custom" if "custom" in call else "function"
    inner = call.get(kind)
    if not is_object(inner) or not inner.get("name"):
        raise ModelError("a tool call without a name came")
    if kind == "function" and not inner.get("arguments"):
        inner = {**inner, "arguments": "{}"}
    rest = {name: value for name, value in call.items() if name not in ("index", "id", "type", kind)}
    return {
        "id": call.get("id") or f"call_{uuid.uuid4().hex[:24]}",
        "type": call.get("type") or kind,
        kind: inner,
    } | rest


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if is_object(each)] if is_list(value) else []
