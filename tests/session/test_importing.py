"""Transcripts as messages of a session: what each client writes, whole or spoiled; what is no message is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.session.importing import Imported, Unknown, read

USER = {"role": "user", "content": "fix the build"}
ASKS = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "make"}}],
}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}
CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "make"}'}}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "be brief"},
    USER,
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "ok"},
]


def line(kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A line of Claude Code."""
    return {"type": kind, "uuid": json.dumps(message)[:40], "sessionId": "s", "message": message, **more}


CLAUDE = [line("user", USER), line("assistant", {"id": "m1", **ASKS}), line("user", RESULT)]


def imported(folder: Path, text: str | bytes) -> Imported:
    """What a file of that text gives."""
    path = folder / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


@pytest.mark.parametrize("form", ["lines", "array", "pretty array"])
def test_claude_code(tmp_path: Path, form: str) -> None:
    """Lines, or one array."""
    text = (
        "\n".join(map(json.dumps, CLAUDE)) if form == "lines" else json.dumps(CLAUDE, indent=2 if "p" in form else None)
    )
    found = imported(tmp_path, text)
    assert (found.wire, [role for role, _ in found.messages]) == ("anthropic", ["user", "assistant", "tool_result"])
    assert found.messages[1][1] == {"id": "m1", **ASKS}


@pytest.mark.parametrize("array", [False, True], ids=["line", "element"])
def test_one_spoiled_piece_does_not_spoil_the_rest(tmp_path: Path, array: bool) -> None:
    """A raw control character in a string, and two objects glued together: mended, taken apart, counted."""
    user, asks, result = map(json.dumps, CLAUDE)
    user = user.replace("fix the", "fix\x01 the")
    text = f"[{user},{asks},{result}]" if array else f"{user}\n{asks}{result}\n"
    found = imported(tmp_path, text)
    assert len(found.messages) == 3
    assert found.left_out["spoiled JSON, mended or left out"] >= 1


@pytest.mark.parametrize("enveloped", [True, False], ids=["new", "legacy"])
def test_codex(tmp_path: Path, enveloped: bool) -> None:
    """Rollouts with envelopes, and older ones of bare items."""
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ]
    lines = [{"timestamp": "t", "type": "response_item", "payload": item} for item in items] if enveloped else items
    head = (
        {"timestamp": "t", "type": "session_meta", "payload": {"id": "x"}}
        if enveloped
        else {"id": "x", "timestamp": "t", "instructions": None}
    )
    found = imported(tmp_path, "\n".join(map(json.dumps, [head, *lines])))
    assert found.wire == "responses"
    assert [role for role, _ in found.messages] == ["user", "assistant", "tool_result"]
    assert found.messages[2][1] == items[2]
    assert sum(found.left_out.values()) == 1


@pytest.mark.parametrize("held", [False, True], ids=["list", "body"])
def test_messages_of_the_apis(tmp_path: Path, held: bool) -> None:
    """A list of them, or a request body."""
    for wire, messages in (("anthropic", [USER, ASKS, RESULT]), ("chat", CHAT)):
        found = imported(tmp_path, json.dumps({"model": "m", "messages": messages} if held else messages))
        assert found.wire == wire
        assert [role for role, _ in found.messages] == ["user", "assistant", "tool_result"]
        assert [message for _, message in found.messages] == messages[-3:]


def test_a_logged_answer_is_the_last_message(tmp_path: Path) -> None:
    """Beside the request, or within a response."""
    answer = {"role": "assistant", "content": "done"}
    for body in (
        {"messages": CHAT, "choices": [{"message": answer}]},
        {"messages": CHAT, "response": {"choices": [{"message": answer}]}},
    ):
        assert imported(tmp_path, json.dumps(body)).messages[-1] == ("assistant", answer)
    whole: dict[str, Any] = {"system": "s", "messages": [USER, ASKS, RESULT], "response": answer}
    assert imported(tmp_path, json.dumps(whole)).messages[-1] == ("assistant", answer)


def test_what_an_agent_noted_beside_a_message_stays_out(tmp_path: Path) -> None:
    """mini-swe-agent: it never went to the model."""
    messages = [{**message, "extra": {"cost": 1}} for message in CHAT]
    found = imported(tmp_path, json.dumps({"trajectory_format": "x", "info": {}, "messages": messages}))
    assert [message for _, message in found.messages] == CHAT[1:]
    assert found.left_out == {"system message": 1, "note beside a message": 3}


def test_others_are_named(tmp_path: Path) -> None:
    """What is known but cannot be a session's message, and several conversations in one file."""
    with pytest.raises(Unknown, match="a pi transcript; sessions are made from claude-code, codex"):
        imported(
            tmp_path,
            json.dumps({"type": "session", "id": "s", "timestamp": "t", "cwd": "/", "provider": "p", "modelId": "m"}),
        )
    bodies = "\n".join(json.dumps({"messages": CHAT}) for _ in range(3))
    assert imported(tmp_path, bodies).left_out["further conversation in the file"] == 2
