"""The Messages API by example: what goes out, and where its breakpoints stand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.session.wires import WIRES

A = WIRES["anthropic"]
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


def marked(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the blocks of the messages that carry a breakpoint."""
    return [block for each in body["messages"] for block in each["content"] if "cache_control" in block]


def test_neighbours_of_one_role_are_joined_blocks_unchanged() -> None:
    """A text becomes a text block, the rest is the very block."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    assert messages(user("a"), user([picture, {"type": "novelty", "x": 1}])) == [
        user([text("a"), picture, {"type": "novelty", "x": 1}])
    ]


def test_signed_thinking_never_changes() -> None:
    """Case 7: not by a breakpoint, not by a rename beside it, not by what surrounds it."""
    hidden = {"type": "redacted_thinking", "data": "zz"}
    answer: dict[str, Any] = {
        "role": "assistant",
        "content": [THOUGHT, hidden, text(""), *use("a")["content"], THOUGHT],
    }
    found = messages(user(), answer, result("a"), answer, result("a"))
    assert found[3]["content"][:2] == [THOUGHT, hidden]
    body = A.request(STANDING, [], [user(), answer])
    assert [block["type"] for block in marked(body)] == ["tool_use"]


def test_thinking_that_an_abort_left_is_sent_only_if_signed() -> None:
    """And not as the last block."""
    unsigned = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": ""}]}
    assert [each["role"] for each in messages(user(), unsigned, user())] == ["user"]
    found = messages(user(), {"role": "assistant", "content": [THOUGHT]}, user())
    assert [block["type"] for block in found[1]["content"]] == ["thinking", "text"]


def test_a_call_of_the_server_that_was_cut_off_gets_an_error() -> None:
    """Its own type of result, in the model's message."""
    search: dict[str, Any] = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    found = messages(user(), {"role": "assistant", "content": [search]}, user())
    assert found[1]["content"][1]["type"] == "web_search_tool_result"
    assert found[1]["content"][1]["content"]["error_code"] == "unavailable"


def test_the_first_message_is_the_users() -> None:
    """Even where the log begins with the model."""
    assert [each["role"] for each in messages({"role": "assistant", "content": "hi"}, user())] == [
        "user",
        "assistant",
        "user",
    ]


def test_fields_of_the_response_stay_behind() -> None:
    """An answer may be handed over as the API gave it."""
    answer: dict[str, Any] = {"id": "msg", "type": "message", "role": "assistant", "content": [text("hi")], "usage": {}}
    assert messages(user(), answer, user())[1] == {"role": "assistant", "content": [text("hi")]}


def test_a_failure_without_words_gets_some() -> None:
    """The API refuses an empty error."""
    found = messages(user(), use("a"), A.result("a", "", failed=True))
    assert found[2]["content"][0]["content"]


def test_breakpoints_stand_in_three_places() -> None:
    """Behind the standing part, behind the cover, on the last message, and on copies only."""
    last = user([text("go")])
    body = A.request(STANDING, A.note("cover"), [last])
    assert body["system"] == [text("be brief", cache_control={"type": "ephemeral"})]
    assert [block["text"] for block in marked(body)] == ["Understood.", "go"]
    assert last == user([text("go")])
    tools = A.request({"tools": [{"name": "a"}, {"name": "b"}]}, [], [last])["tools"]
    assert ["cache_control" in each for each in tools] == [False, True]


@pytest.mark.parametrize(("own", "ours"), [(0, 3), (1, 2), (2, 2), (3, 1), (4, 0)])
def test_there_are_never_more_than_four_breakpoints(own: int, ours: int) -> None:
    """The caller's own in the standing part count; where one is there, the host sets none beside it."""
    cache = {"cache_control": {"type": "ephemeral"}}
    system = [text(str(n), **(cache if n < own else {})) for n in range(4)]
    body = A.request({"system": system}, A.note("cover"), [user([text("a", **cache)]), user([text("b", **cache)])])
    assert A.problems(body) == []
    assert sum("cache_control" in block for block in body["system"]) + len(marked(body)) == own + ours


def test_the_callers_breakpoints_on_messages_are_taken_off() -> None:
    """Or they would add up; a tool's input that has such a key is no breakpoint."""
    cache = {"cache_control": {"type": "ephemeral"}}
    answer = use("a")
    answer["content"][0]["input"] = cache
    body = A.request({}, [], [user([text("a", **cache)]), answer, result("a", content=[text("r", **cache)]), user("b")])
    assert len(marked(body)) == 1
    assert body["messages"][1] == answer
    assert "cache_control" not in body["messages"][2]["content"][0]["content"][0]


def test_prefixes_are_equal_but_for_breakpoints() -> None:
    """A text that was the last message keeps its form when it is no longer."""
    first = A.request(STANDING, [], [user("a")])
    second = A.request(STANDING, [], [user("a"), use("t"), result("t")])
    assert list(first) == list(second)
    assert first["system"] == second["system"]
    assert (
        json.dumps(first["messages"]).replace(', "cache_control": {"type": "ephemeral"}', "")[:-1]
        == json.dumps(second["messages"])[: len(json.dumps([user([text("a")])])) - 1]
    )
