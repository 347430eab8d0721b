"""The wires by example: each shape that breaks a request, and what is sent instead."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.pairing import NO_RESULT

A, C, R = WIRES["anthropic"], WIRES["chat"], WIRES["responses"]
STANDING: dict[str, Any] = {"model": "m", "system": "be brief"}
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


def messages(*log: Any, standing: Any = None, head: Any = ()) -> list[dict[str, Any]]:
    """Return the messages of a valid request of the Messages API, without breakpoints."""
    body = A.request(STANDING if standing is None else standing, head, log)
    assert A.problems(body) == []
    return [
        {**each, "content": [{k: v for k, v in b.items() if k != "cache_control"} for b in each["content"]]}
        for each in body["messages"]
    ]


def call(*ids: str, **more: Any) -> dict[str, Any]:
    """Return an answer of chat with calls."""
    calls = [{"id": id_, "type": "function", "function": {"name": "ls", "arguments": "{}"}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def tool(id_: str, content: Any = "ok") -> dict[str, Any]:
    """Return a tool message of chat."""
    return {"role": "tool", "tool_call_id": id_, "content": content}


def sent(wire: Any, *log: Any) -> list[dict[str, Any]]:
    """Return what a valid request of chat or responses sends."""
    body = wire.request({"model": "m"}, [], log)
    assert wire.problems(body) == []
    found: list[dict[str, Any]] = body["messages" if wire is C else "input"]
    return found


# ---- calls and results ----


def test_a_call_without_a_result_gets_one_before_what_follows() -> None:
    """Case 1: in its place, before the user's words, next to the result of the parallel call."""
    made = {"type": "tool_result", "tool_use_id": "b", "content": NO_RESULT, "is_error": True}
    assert messages(user(), use("a", "b"), result("a"), user("next"))[2] == user(
        [result("a")["content"][0], made, text("next")]
    )
    assert sent(C, user(), call("a", "b"), tool("b"), user("next"))[2:] == [
        tool("b"),
        tool("a", NO_RESULT),
        user("next"),
    ]


def test_a_call_that_is_still_open_gets_none() -> None:
    """Its result may come: nothing is made up at the end of the log."""
    body = A.request(STANDING, [], [user(), use("a")])
    assert [each["role"] for each in body["messages"]] == ["user", "assistant"]
    assert A.problems(body) == ["messages.1: tool_use ids were found without tool_result blocks immediately after"]


def test_a_result_without_a_call_is_shown_as_text() -> None:
    """Case 3, the other half: the call is gone, its result stays readable and is no result."""
    found = messages(user(), result("lost", content="42"), user("next"))
    assert [block["type"] for block in found[0]["content"]] == ["text", "text", "text"]
    assert "lost" in found[0]["content"][1]["text"]
    assert found[0]["content"][1]["text"].endswith("\n\n42")
    assert sent(C, user(), tool("lost", "42"))[1]["role"] == "user"
    assert "42" in json.dumps(sent(R, user(), R.result("lost", "42"))[1])


def test_an_interim_and_a_final_result_are_both_sent_in_order() -> None:
    """Case 5: the first in its place, the second as text behind it, also when it comes much later."""
    for between in ([], [{"role": "assistant", "content": "I wait."}]):
        log = [user(), use("a"), result("a", content="pending"), *between, result("a", content="done"), user()]
        out = json.dumps(messages(*log))
        assert 0 < out.index("pending") < out.index("done")
        assert out.count("tool_result") == 1


def test_what_is_out_of_place_waits_for_the_group() -> None:
    """Text may not stand between results."""
    log = [user(), use("a", "b"), result("a"), result("a", content="again"), result("b")]
    kinds = [block["type"] for block in messages(*log)[2]["content"]]
    assert kinds == ["tool_result", "tool_result", "text"]


def test_a_result_that_has_no_place_ends_a_group_all_the_same() -> None:
    """An answer that says nothing behind it does not make the calls open again."""
    found = sent(C, user(), call("b"), tool("x"), {"role": "assistant", "content": None}, tool("b", "late"))
    assert [each["role"] for each in found] == ["user", "assistant", "tool", "user", "user"]
    assert found[2] == tool("b", NO_RESULT)


def test_one_id_for_many_calls() -> None:
    """Ids that repeat get a number on the way out where they must be unique, and each finds its own result."""
    found = messages(user(), use("a"), result("a", content="1"), use("a", "a"), result("a", "a", content="2"), user())
    ids = [block["id"] for each in found for block in each["content"] if block["type"] == "tool_use"]
    assert ids == ["a", "a-2", "a-3"]
    again = sent(C, user(), call("a"), tool("a"), call("a"), tool("a"))
    assert [each.get("tool_call_id") for each in again] == [None, None, "a", None, "a"]


def test_answers_that_stand_together_are_one_group() -> None:
    """Parallel calls that were noted one by one, their results behind."""
    found = messages(user(), use("a"), use("b"), result("a"), result("b"))
    assert [len(each["content"]) for each in found] == [1, 2, 2]
    joined = sent(C, user(), call("a", content="one"), call("b", content="two"), tool("a"), tool("b"))
    assert joined[1] == {**call("a", "b"), "content": [text("one"), text("two")]}
    assert len(joined) == 4


# ---- chat ----


def test_standing_messages_come_first() -> None:
    """System and developer; other fields keep their places before."""
    system = {"role": "system", "content": "be brief"}
    body = C.request({"model": "m", "messages": [system], "tools": []}, C.note("cover"), [user()])
    assert list(body) == ["model", "tools", "messages"]
    assert body["messages"] == [system, user("cover"), user()]


def test_what_chat_refuses_is_left_out() -> None:
    """An empty answer, an empty list of calls, fields that are null; unknown fields stay."""
    null: dict[str, Any] = {
        "role": "assistant",
        "content": "hi",
        "tool_calls": [],
        "function_call": None,
        "reasoning_content": "r",
        "x": 1,
    }
    assert sent(C, user(), {"role": "assistant", "content": ""}, null, user())[1] == {
        "role": "assistant",
        "content": "hi",
        "reasoning_content": "r",
        "x": 1,
    }
    assert len(sent(C, user(), {"role": "assistant", "content": None}, user())) == 2


# ---- responses ----


def test_reasoning_goes_with_its_item_or_not_at_all() -> None:
    """It is sent exactly, and left out where the answer was cut off behind it."""
    thought: dict[str, Any] = {"type": "reasoning", "id": "rs", "encrypted_content": "zz", "summary": []}
    called = {"type": "function_call", "call_id": "a", "name": "ls", "arguments": "{}"}
    assert sent(R, user(), [thought, called], R.result("a", "ok"), user())[1:3] == [thought, called]
    assert sent(R, user(), [thought], [called], R.result("a", "ok"))[1:3] == [thought, called]
    assert sent(R, user(), [thought], user()) == [user(), user()]


@pytest.mark.parametrize(
    "kind", ["function_call", "custom_tool_call", "shell_call", "apply_patch_call", "computer_call", "local_shell_call"]
)
def test_every_kind_of_call_gets_a_result_of_its_kind(kind: str) -> None:
    """Made by the host where none came."""
    asked: dict[str, Any] = {"type": kind, "call_id": "a", "name": "t", "arguments": "{}", "input": "x", "action": {}}
    found = sent(R, user(), [asked], user())
    assert found[2]["type"] == ("function_call_output" if kind == "local_shell_call" else f"{kind}_output")
