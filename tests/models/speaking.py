"""What a scripted model says, as the events of each provider's stream.

The frames are those that the providers document and send; that their own libraries read them is tested in
test_models_server.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from threading import Event
from typing import Any, NamedTuple

from foldcover_harness.models.model import Usage
from foldcover_harness.session.wires.wire import Call

MODEL = "scripted"


class Say(NamedTuple):
    """An answer, whole or not."""

    text: str = ""
    calls: Sequence[Call] = ()
    """Tool calls, in parallel."""
    thinking: str = ""
    """Signed on Anthropic's wire, encrypted on the Responses wire, reasoning_content in Chat Completions."""
    blocks: Sequence[Mapping[str, Any]] = ()
    """Content blocks (anthropic) or output items (responses) sent as they are, in front."""
    usage: Usage | None = Usage(100, 0, 10)
    """What the provider counted; None: it says nothing (chat)."""
    written: int = 0
    """Of the prompt, what was written to the cache (anthropic)."""
    stopped: str | None = None
    """The stop reason, where it is not the natural one."""
    piece: int = 5
    """Characters in a piece of text."""
    gate: Event | None = None
    """The second half of the stream waits for it."""
    error: Mapping[str, Any] | None = None
    """An error event in place of the second half, for example {"type": "overloaded_error", "message": "Overloaded"}."""
    cut: int | None = None
    """The connection is closed after so many bytes of the stream."""


class Fail(NamedTuple):
    """An HTTP error in place of an answer."""

    status: int
    body: Mapping[str, Any] | str = ""
    headers: Mapping[str, str] = {}


class Raw(NamedTuple):
    """These very bytes."""

    body: bytes
    kind: str = "text/event-stream"
    """The content type."""
    status: int = 200


def frames(wire: str, said: Say) -> list[bytes]:
    """The frames of the stream, in order."""
    made = list({"anthropic": _anthropic, "chat": _chat, "responses": _responses}[wire](said))
    if said.error is not None:
        made = [*made[: len(made) // 2], error_frame(wire, said.error)]
    return made


def error_frame(wire: str, error: Mapping[str, Any]) -> bytes:
    """An error in the middle of a stream."""
    if wire == "anthropic":
        return _named({"type": "error", "error": error})
    if wire == "responses":
        return _named({**error, "type": "error", "code": error.get("code", error.get("type")), "param": None})
    return chunk({"error": error})


def chunk(data: Mapping[str, Any]) -> bytes:
    """A frame of Chat Completions."""
    return f"data: {json.dumps(data)}\n\n".encode()


def chat_chunk(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
    """A chunk with one choice."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return chunk({**_CHUNK, "choices": [choice], **more})


_CHUNK = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}


def _named(data: Mapping[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def _pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _anthropic(said: Say) -> Iterator[bytes]:
    used = said.usage or Usage(0)
    counts = {
        "input_tokens": used.prompt - used.cached - said.written,
        "cache_creation_input_tokens": said.written,
        "cache_read_input_tokens": used.cached,
    }
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    ending: dict[str, Any] = {"stop_reason": None, "stop_sequence": None}
    yield _named({"type": "message_start", "message": {**message, **ending, "usage": {**counts, "output_tokens": 1}}})
    yield _named({"type": "ping"})
    for number, (start, deltas) in enumerate(_anthropic_blocks(said)):
        yield _named({"type": "content_block_start", "index": number, "content_block": start})
        for delta in deltas:
            yield _named({"type": "content_block_delta", "index": number, "delta": delta})
        yield _named({"type": "content_block_stop", "index": number})
    ending["stop_reason"] = said.stopped or ("tool_use" if said.calls else "end_turn")
    yield _named({"type": "message_delta", "delta": ending, "usage": {"output_tokens": used.output}})
    yield _named({"type": "message_stop"})


def _anthropic_blocks(said: Say) -> Iterator[tuple[Mapping[str, Any], list[dict[str, Any]]]]:
    if said.thinking:
        pieces = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(said.thinking, said.piece)]
        signed = {"type": "signature_delta", "signature": signature(said.thinking)}
        yield {"type": "thinking", "thinking": "", "signature": ""}, [*pieces, signed]
    for block in said.blocks:
        yield block, []
    if said.text:
        pieces = [{"type": "text_delta", "text": piece} for piece in _pieces(said.text, said.piece)]
        yield {"type": "text", "text": ""}, pieces
    for call in said.calls:
        texts = ["", *_pieces(json.dumps(call.input), said.piece)] if call.input else [""]
        deltas = [{"type": "input_json_delta", "partial_json": text} for text in texts]
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, deltas


def signature(thinking: str) -> str:
    """What the thinking is signed or encrypted with."""
    return f"signed{len(thinking)}=="


def _chat(said: Say) -> Iterator[bytes]:
    yield chat_chunk({"role": "assistant", "content": "", "refusal": None})
    for piece in _pieces(said.thinking, said.piece):
        yield chat_chunk({"reasoning_content": piece})
    for piece in _pieces(said.text, said.piece):
        yield chat_chunk({"content": piece})
    for number, call in enumerate(said.calls):
        function = {"name": call.name, "arguments": ""}
        yield chat_chunk({"tool_calls": [{"index": number, "id": call.id, "type": "function", "function": function}]})
        for piece in _pieces(json.dumps(call.input), said.piece):
            yield chat_chunk({"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
    yield chat_chunk({}, said.stopped or ("tool_calls" if said.calls else "stop"))
    if said.usage is not None:
        yield chunk({**_CHUNK, "choices": [], "usage": chat_usage(said.usage)})
    yield b"data: [DONE]\n\n"


def chat_usage(used: Usage) -> dict[str, Any]:
    """Counts as Chat Completions gives them."""
    return {
        "prompt_tokens": used.prompt,
        "completion_tokens": used.output,
        "total_tokens": used.prompt + used.output,
        "prompt_tokens_details": {"cached_tokens": used.cached},
    }


def _responses(said: Say) -> Iterator[bytes]:
    used = said.usage or Usage(0)
    response: dict[str, Any] = {"id": "resp_1", "object": "response", "created_at": 1, "model": MODEL, "output": []}
    number = 0

    def event(kind: str, **more: Any) -> bytes:
        nonlocal number
        number += 1
        return _named({"type": kind, "sequence_number": number - 1, **more})

    yield event("response.created", response={**response, "status": "in_progress"})
    yield event("response.in_progress", response={**response, "status": "in_progress"})
    items: list[Mapping[str, Any]] = list(_items(said))
    for place, item in enumerate(items):
        begun = {**item, **{name: empty for name, empty in _EMPTY.items() if name in item}}
        yield event("response.output_item.added", output_index=place, item=begun)
        for part, kind, field, text in _texts(item):
            at = {"item_id": item.get("id", ""), "output_index": place, field: 0}
            if part:
                yield event(f"response.{part}.added", **at, part={**_part(item), "text": ""})
            for piece in _pieces(text, said.piece):
                yield event(f"response.{kind}.delta", **at, delta=piece)
            yield event(f"response.{kind}.done", **at, **{_DONE.get(kind, "text"): text})
            if part:
                yield event(f"response.{part}.done", **at, part=_part(item))
        yield event("response.output_item.done", output_index=place, item=item)
    usage = {
        "input_tokens": used.prompt,
        "input_tokens_details": {"cached_tokens": used.cached},
        "output_tokens": used.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": used.prompt + used.output,
    }
    status = "incomplete" if said.stopped else "completed"
    ended = {**response, "status": status, "output": items, "usage": usage}
    if said.stopped:
        ended["incomplete_details"] = {"reason": said.stopped}
    yield event(f"response.{status}", response=ended)


_EMPTY: dict[str, Any] = {"content": [], "summary": [], "arguments": ""}
_DONE = {"function_call_arguments": "arguments"}


def _items(said: Say) -> Iterator[Mapping[str, Any]]:
    if said.thinking:
        summary = [{"type": "summary_text", "text": said.thinking}]
        sealed = signature(said.thinking)
        yield {"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": sealed}
    yield from said.blocks
    if said.text:
        content: list[dict[str, Any]] = [{"type": "output_text", "annotations": [], "text": said.text}]
        yield {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": content}
    for call in said.calls:
        fields = {"call_id": call.id, "name": call.name, "arguments": json.dumps(call.input)}
        yield {"id": f"fc_{call.id}", "type": "function_call", "status": "completed", **fields}


def _part(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part of an item that streams."""
    part: Mapping[str, Any] = item["content" if item["type"] == "message" else "summary"][0]
    return part


def _texts(item: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """What streams of an item: the kinds of its part and of its text, the field that numbers the part, the text."""
    if item["type"] == "message":
        yield "content_part", "output_text", "content_index", item["content"][0]["text"]
    elif item["type"] == "reasoning" and item["summary"]:
        yield "reasoning_summary_part", "reasoning_summary_text", "summary_index", item["summary"][0]["text"]
    elif item["type"] == "function_call":
        yield "", "function_call_arguments", "content_index", item["arguments"]
