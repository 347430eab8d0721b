"""Reading messages, refusing what is none, and the checkers of requests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.wire import Call, Piece
from foldcover_harness.transcripts.model import Kind

A, C, R = WIRES["anthropic"], WIRES["chat"], WIRES["responses"]
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}


def user(content: Any = "go") -> dict[str, Any]:
    """Return a user message of the Messages API or of chat."""
    return {"role": "user", "content": content}


def text(words: str, **more: Any) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words, **more}


def use(*ids: str) -> dict[str, Any]:
    """Return an answer with calls."""
    blocks = [{"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": "ls"}} for id_ in ids]
    return {"role": "assistant", "content": blocks}


def result(*ids: str, content: Any = "ok") -> dict[str, Any]:
    """Return a message with results."""
    return user([{"type": "tool_result", "tool_use_id": id_, "content": content} for id_ in ids])


def call(*ids: str, **more: Any) -> dict[str, Any]:
    """Return an answer of chat with calls."""
    calls = [{"id": id_, "type": "function", "function": {"name": "ls", "arguments": "{}"}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def tool(id_: str, content: Any = "ok") -> dict[str, Any]:
    """Return a tool message of chat."""
    return {"role": "tool", "tool_call_id": id_, "content": content}


def test_calls_are_read() -> None:
    """Arguments as the object they are, or as the text where they are none."""
    chat = call("a")
    chat["tool_calls"][0]["function"]["arguments"] = '{"a": 1'
    custom = {"id": "b", "type": "custom", "custom": {"name": "py", "input": "1+1"}}
    chat["tool_calls"].append(custom)
    assert C.calls(chat) == [Call("a", "ls", '{"a": 1'), Call("b", "py", "1+1")]
    assert A.calls(use("a")) == [Call("a", "Bash", {"command": "ls"})]
    deep = '{"a":' * 5000 + "1" + "}" * 5000
    fc = {"type": "function_call", "call_id": "a", "name": "t", "arguments": deep}
    assert R.calls([fc]) == [Call("a", "t", deep)]


def test_pieces_carry_kind_text_and_images() -> None:
    """Signatures and encrypted reasoning have no text."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    assert A.pieces(user([text("a"), picture])) == [Piece(Kind.USER, "a"), Piece(Kind.USER, "", 1)]
    assert A.pieces({"role": "assistant", "content": [THOUGHT, *use("a")["content"]]}) == [
        Piece(Kind.THINKING, "hm"),
        Piece(Kind.CALL, 'Bash{"command":"ls"}'),
    ]
    assert A.pieces(result("a", content=[text("r"), picture])) == [Piece(Kind.RESULT, "r"), Piece(Kind.RESULT, "", 1)]
    assert C.pieces({"role": "assistant", "content": "a", "reasoning_content": "r"}) == [
        Piece(Kind.THINKING, "r"),
        Piece(Kind.TEXT, "a"),
    ]
    assert R.pieces([{"type": "reasoning", "encrypted_content": "zz", "summary": []}]) == [Piece(Kind.THINKING, "")]


@pytest.mark.parametrize(
    ("words", "failed"),
    [
        ("Error: no such file", True),
        ("errors: 0", False),
        ('{"error": "no"}', True),
        ('{"output": "x", "metadata": {"exit_code": 2}}', True),
        ('{"output": "x", "metadata": {"exit_code": 0}}', False),
        ("{", False),
        ("fine", False),
    ],
)
def test_failures_are_read_from_texts(words: str, failed: bool) -> None:
    """Where the wire has no field for them."""
    assert C.failures(tool("a", words)) == (["a"] if failed else [])
    assert R.failures(R.result("a", words)) == (["a"] if failed else [])


@pytest.mark.parametrize(
    ("wire", "role", "message", "said"),
    [
        (A, "user", result("a"), "tool result"),
        (A, "user", user(" "), "no content"),
        (A, "user", user([]), "no content"),
        (A, "user", {"role": "assistant", "content": "a"}, "role"),
        (A, "user", user([THOUGHT]), "only the model"),
        (A, "tool_result", user("a"), "no tool result"),
        (A, "tool_result", user([{"type": "tool_result", "content": "a"}]), "without the id"),
        (A, "assistant", use("a b"), "letters, digits"),
        (A, "assistant", {"role": "assistant"}, "no content"),
        (A, "user", user([{"text": "a"}]), "without a type"),
        (A, "user", user([text("a"), ("b",)]), "tuple"),
        (A, "user", {"role": "user", "content": "a", "n": float("nan")}, "number"),
        (A, "user", {"role": "user", "content": "a", "n": 10**5000}, "digits"),
        (C, "user", {"role": "system", "content": "a"}, "role"),
        (C, "user", user(""), "no content"),
        (C, "tool_result", {"role": "tool", "content": "a"}, "without the id"),
        (C, "tool_result", tool("a", None), "no content"),
        (C, "assistant", {"role": "assistant", "tool_calls": [{"id": "a"}]}, "without a name"),
        (C, "assistant", {"role": "assistant", "function_call": {}}, "old form"),
        (C, "assistant", {"role": "assistant", "tool_calls": {}}, "not a list"),
        (R, "user", [], "no message of the user"),
        (R, "user", R.result("a", "b"), "tool result"),
        (R, "assistant", [user()], "role"),
        (R, "tool_result", {"type": "function_call_output", "output": "a"}, "without the id"),
        (R, "assistant", [{"type": "function_call", "call_id": "a", "name": "t"}], "arguments"),
        (R, "user", "a", "neither"),
    ],
)
def test_what_is_no_message_is_refused(wire: Any, role: Any, message: Any, said: str) -> None:
    """In a few words that name the fault."""
    assert said in (wire.refuse(role, message) or "")


def test_what_holds_itself_is_refused() -> None:
    """Bounded in depth, so no loop."""
    around: list[Any] = []
    around.append(around)
    assert "deep" in (A.refuse("user", user(around)) or "")


@pytest.mark.parametrize("wire", [A, C, R])
def test_a_lone_surrogate_is_replaced_on_the_way_out(wire: Any) -> None:
    """Case 12: the message is kept, what is sent can be read."""
    message = user("cut \ud83d here, whole \ud83d\ude00")
    assert wire.refuse("user", message) is None
    body = wire.request({"model": "\ud83d"}, [], [message])
    assert wire.problems(body) == []
    assert "cut \ufffd here, whole 😀" in json.dumps(body, ensure_ascii=False)
    assert message == user("cut \ud83d here, whole \ud83d\ude00")


@pytest.mark.parametrize("wire", [A, C, R])
def test_an_empty_log_is_a_problem_and_no_error(wire: Any) -> None:
    """There is nothing to send."""
    assert wire.problems(wire.request({}, [], [])) != []


def test_the_checkers_see_each_fault() -> None:
    """One fault a request."""
    cache = {"cache_control": {"type": "ephemeral"}}
    for each in (
        [{"role": "assistant", "content": "a"}],
        [user("a"), user("b")],
        [user("a"), use("a"), user("b")],
        [user("a"), use("a"), user([text("b"), *result("a")["content"]])],
        [user("a"), use("a"), result("a", "a")],
        [user("a"), use("a"), result("a"), use("a"), result("a")],
        [result("a")],
        [user([text(" ")])],
        [user([text("a", **cache)] * 5)],
        [user("\ud83d")],
        [{**user("a"), "id": "m"}],
        [user("a"), {"role": "assistant", "content": [THOUGHT]}, user("b")],
    ):
        assert len(A.problems({"messages": each})) == 1, each
    for each in (
        [tool("a")],
        [call("a"), user()],
        [call("a"), tool("a"), tool("a")],
        [call("a", "a"), tool("a"), tool("a")],
    ):
        assert len(C.problems({"messages": each})) == 1, each
    called = {"type": "function_call", "call_id": "a", "name": "t", "arguments": "{}"}
    thought: dict[str, Any] = {"type": "reasoning", "summary": []}
    faulty: list[list[Any]] = [
        [called],
        [R.result("a", "b")],
        [called, R.result("a", "b"), R.result("a", "c")],
        [thought, user()],
    ]
    for items in faulty:
        assert len(R.problems({"input": items})) == 1, items
