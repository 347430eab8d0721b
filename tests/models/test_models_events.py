"""Events of Anthropic's and of the Responses API out of the ordinary: what is kept, what is an error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.models.model import ModelError, Usage
from foldcover_harness.session.wires import WIRES as SESSION_WIRES
from foldcover_harness.session.wires.wire import Call

from .asked import answer_of
from .server import Raw, Server
from .speaking import chunk


def test_responses_with_an_empty_output_are_read_from_their_items() -> None:
    """Some servers fill it only in the items' own events."""
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]}
    events: list[dict[str, Any]] = [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"status": "completed", "output": []}},
    ]
    with Server("responses", [Raw(b"".join(chunk(event) for event in events))]) as server:
        answer = answer_of(server)
    assert (answer.message, answer.usage, answer.stopped) == ([item], None, "completed")


def test_a_failed_response_is_no_answer() -> None:
    """response.failed: once more; then an error with the provider's words."""
    failed = {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "out of order"}}}
    with Server("responses", [Raw(chunk(failed))] * 3) as server, pytest.raises(ModelError, match="out of order"):
        answer_of(server)


@pytest.mark.parametrize(("text", "kept"), [('{"path": "x', '{"path": "x'), ("[1]", "[1]"), ("NaN", "NaN")])
def test_a_call_of_anthropic_whose_input_is_cut_off_is_kept_but_cannot_run(text: str, kept: str) -> None:
    """Its input must be an object to be sent again: one that no tool takes."""
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 5}}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "id": "t", "name": "read", "input": {}},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}},
        {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    frames = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]
    with Server("anthropic", [Raw(b"".join(frames))]) as server:
        answer = answer_of(server)
    assert SESSION_WIRES["anthropic"].calls(answer.message) == [Call("t", "read", {"INVALID_JSON": kept})]
    assert (answer.usage, answer.stopped) == (Usage(5, 0, 9), "max_tokens")


@pytest.mark.parametrize(
    "event",
    [
        {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "x"}},
        {"type": "content_block_start", "index": 0},
        {"type": "content_block_start", "index": 0, "content_block": "text"},
        {"type": "message_start", "message": None},
        {"type": "message_delta"},
    ],
)
def test_events_of_anthropic_that_make_no_sense_are_an_error(event: dict[str, Any]) -> None:
    """One line, and not asked for again: it would cost as much and say the same."""
    frame = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
    with Server("anthropic", [Raw(frame)]) as server, pytest.raises(ModelError, match="makes no sense"):
        answer_of(server)


def test_an_unknown_part_of_an_answer_is_an_error() -> None:
    """What is not understood cannot be sent again; an unknown event is passed over."""
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "future_delta", "x": 1}}
    frames = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in (start, delta)]
    with Server("anthropic", [Raw(b"".join(frames))]) as server, pytest.raises(ModelError, match="future_delta"):
        answer_of(server)
