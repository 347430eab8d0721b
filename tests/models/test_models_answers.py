"""Answers over HTTP by the providers' libraries: the request goes out as it is, the message comes back as it came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.models.model import Usage
from foldcover_harness.session import Session
from foldcover_harness.session.wires import WIRES as SESSION_WIRES
from foldcover_harness.session.wires.wire import Call

from .asked import BODIES, WIRES, Shown, answer_of, model_at
from .server import Say, Server
from .speaking import signature

CALLS = (Call("c1", "read", {"path": "ä"}), Call("c2", "list", {}))
WHOLE = Say("Reading both.", CALLS, "Hmm, two.", usage=Usage(70, 60, 9), written=4)


def message_of(wire: str) -> Any:
    """The message of the answer above."""
    if wire == "anthropic":
        blocks: list[dict[str, Any]] = [
            {"type": "thinking", "thinking": "Hmm, two.", "signature": signature("Hmm, two.")},
            {"type": "text", "text": "Reading both."},
            {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "ä"}},
            {"type": "tool_use", "id": "c2", "name": "list", "input": {}},
        ]
        return {"role": "assistant", "content": blocks}
    texts = [(call.id, call.name, json.dumps(call.input)) for call in CALLS]
    if wire == "chat":
        return {
            "role": "assistant",
            "content": "Reading both.",
            "refusal": None,
            "reasoning_content": "Hmm, two.",
            "tool_calls": [
                {"id": id_, "type": "function", "function": {"name": name, "arguments": text}}
                for id_, name, text in texts
            ],
        }
    words: list[dict[str, Any]] = [{"type": "output_text", "annotations": [], "text": "Reading both."}]
    summary = [{"type": "summary_text", "text": "Hmm, two."}]
    return [
        {"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": signature("Hmm, two.")},
        {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": words},
        *(
            {"id": f"fc_{i}", "type": "function_call", "status": "completed", "call_id": i, "name": n, "arguments": t}
            for i, n, t in texts
        ),
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_comes_whole(wire: str) -> None:
    """Words, thinking, parallel calls, counts with the cached tokens once, the reason why it ended."""
    shown = Shown()
    with Server(wire, [WHOLE]) as server:
        answer = answer_of(server, shown)
    assert answer.message == message_of(wire)
    assert answer.usage == Usage(70, 60, 9)
    assert answer.stopped == {"anthropic": "tool_use", "chat": "tool_calls", "responses": "completed"}[wire]
    assert (shown.text, shown.thinking, shown.again) == ("Reading both.", "Hmm, two.", [])
    assert server.problems == []


@pytest.mark.parametrize("wire", WIRES)
def test_a_request_goes_out_as_it_is(wire: str) -> None:
    """Fields that no library knows too, in their order; only the transport's own are added, at the end."""
    with Server(wire, ["Yes."]) as server:
        answer_of(server)
    (body,) = server.bodies
    more = {"stream_options": {"include_usage": True}} if wire == "chat" else {}
    assert json.dumps(body) == json.dumps({**BODIES[wire], **more, "stream": True})


@pytest.mark.parametrize("wire", WIRES)
def test_what_a_session_sends_again_is_what_came(wire: str, tmp_path: Path) -> None:
    """Two turns with calls: every request begins with the one before, and the API would take each."""
    standing = {name: value for name, value in BODIES[wire].items() if name not in ("messages", "input")}
    with (
        Server(wire, [WHOLE, "Done.", "Again."]) as server,
        Session.create(tmp_path, wire=wire, standing=standing) as s,
    ):
        model = model_at(server)
        s.user({"role": "user", "content": "read"})
        answer = model.answer(s.request())
        s.assistant(answer.message)
        assert s.calls(answer.message) == list(CALLS)
        for call in s.calls(answer.message):
            s.tool_result(s.wire.result(call.id, "text"))
        s.assistant(model.answer(s.request()).message)
        s.end_turn()
        s.user({"role": "user", "content": "more"})
        s.assistant(model.answer(s.request()).message)
    assert (server.problems, server.begun, len(server.standings)) == ([], [0], 1)
    key = "input" if wire == "responses" else "messages"
    came = message_of(wire)
    again = server.bodies[2][key][1 : 1 + (len(came) if wire == "responses" else 1)]
    assert (again if wire == "responses" else again[0]) == came


@pytest.mark.parametrize("wire", WIRES)
def test_why_an_answer_ended_early_is_told(wire: str) -> None:
    """In the provider's own word; the answer counts."""
    with Server(wire, [Say("So far", stopped="max_tokens")]) as server:
        answer = answer_of(server)
    assert answer.stopped == "max_tokens"
    assert SESSION_WIRES[wire].said(answer.message) == "So far"


@pytest.mark.parametrize("wire", WIRES)
def test_a_long_answer_of_every_character_comes_as_it_was_sent(wire: str) -> None:
    """Line ends of all kinds, emoji, what JSON escapes."""
    text = 'a\r\nb\u2028c\u0085d\x0be 🙂\\n"\t' * 400
    shown = Shown()
    with Server(wire, [Say(text, piece=97)]) as server:
        answer = answer_of(server, shown)
    assert SESSION_WIRES[wire].said(answer.message) == shown.text == text


def test_sealed_and_unknown_blocks_are_kept() -> None:
    """Anthropic: redacted thinking, a server's tool with its result, a type of the future; citations of a text."""
    blocks: list[dict[str, Any]] = [
        {"type": "redacted_thinking", "data": "c2VhbGVk"},
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [{"encrypted_content": "ZQ=="}]},
        {"type": "of_the_future", "deep": {"er": [None, 1.5]}},
    ]
    with Server("anthropic", [Say("Found.", blocks=blocks)]) as server:
        answer = answer_of(server)
    assert answer.message == {"role": "assistant", "content": [*blocks, {"type": "text", "text": "Found."}]}


def test_unknown_items_are_kept() -> None:
    """Responses: items of any type, with any fields."""
    items: list[dict[str, Any]] = [{"type": "of_the_future", "id": "x", "deep": {"er": [None, 1.5]}}]
    with Server("responses", [Say("Found.", blocks=items)]) as server:
        answer = answer_of(server)
    assert isinstance(answer.message, list)
    assert answer.message[0] == items[0]


def test_the_prompt_of_anthropic_counts_what_the_cache_gave_and_took() -> None:
    """10 plain, 30 written, 60 read: a prompt of 100."""
    with Server("anthropic", [Say("Yes.", usage=Usage(100, 60, 7), written=30)]) as server:
        assert answer_of(server).usage == Usage(100, 60, 7)
