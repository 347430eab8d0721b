"""Which request each provider would refuse, and why: on its own wire, and after a conversion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.check.examine import examine

UNANSWERED = "tool_use ids were found without tool_result blocks immediately after"
NO_MESSAGE = "these tool_call_ids have no tool message"
Told = tuple[str, bool, str, int, int | None]


def refused(path: Path, messages: list[dict[str, Any]], **more: object) -> list[Told]:
    """Return provider, whether it is the own wire, the reason, where the fault is and the request."""
    path.write_text(json.dumps({"messages": messages, **more}))
    return [(each.provider, each.own, each.why, each.place, each.request) for each in examine(path).refusals]


def asks(*calls: str) -> dict[str, Any]:
    """Return an answer with calls, as OpenAI writes it."""
    made = [{"id": each, "type": "function", "function": {"name": "f", "arguments": "{}"}} for each in calls]
    return {"role": "assistant", "content": None, "tool_calls": made}


def gives(call: str) -> dict[str, Any]:
    """Return a result."""
    return {"role": "tool", "tool_call_id": call, "content": "r"}


USER = {"role": "user", "content": "hi"}
SAYS = {"role": "assistant", "content": "a"}


def test_a_good_conversation_is_refused_nowhere(tmp_path: Path) -> None:
    """With calls in parallel, and one that is still to be answered by nobody."""
    assert refused(tmp_path / "a", [USER, asks("c", "d"), gives("c"), gives("d"), SAYS, USER, SAYS]) == []


def test_an_unanswered_call_refuses_the_request_after_it(tmp_path: Path) -> None:
    """Everywhere; on the own wire first."""
    assert refused(tmp_path / "a", [USER, asks("c", "d"), gives("d"), SAYS, USER, SAYS]) == [
        ("anthropic", False, UNANSWERED, 1, 2),
        ("chat", True, NO_MESSAGE, 1, 2),
        ("responses", False, "no tool output found for the call", 1, 2),
    ]


def test_an_unanswered_call_at_the_end_refuses_the_next_request(tmp_path: Path) -> None:
    """Which the file does not have."""
    assert {each[4] for each in refused(tmp_path / "a", [USER, asks("c")])} == {None}


def test_an_orphan_refuses_the_request_after_it(tmp_path: Path) -> None:
    """Its place is the result's."""
    assert refused(tmp_path / "a", [USER, SAYS, gives("gone"), SAYS]) == [
        ("anthropic", False, "unexpected tool_use_id found in tool_result blocks", 2, 2),
        ("chat", True, "a tool message must answer a tool_call of the message before it", 2, 2),
        ("responses", False, "no tool call found for the output with call_id", 2, 2),
    ]


def test_words_between_a_call_and_its_result(tmp_path: Path) -> None:
    """Responses take them; a converter to Anthropic puts results first; Chat Completions refuse."""
    assert {each[0] for each in refused(tmp_path / "a", [USER, asks("c"), USER, gives("c"), SAYS])} == {"chat"}


def test_ids_that_are_used_again(tmp_path: Path) -> None:
    """Chat Completions ask for unique ones within an answer only."""
    found = refused(tmp_path / "a", [USER, asks("c"), gives("c"), asks("c"), gives("c"), SAYS])
    assert {each[0] for each in found} == {"anthropic", "responses"}


def test_a_conversation_that_begins_with_an_answer(tmp_path: Path) -> None:
    """Anthropic's API wants the user first."""
    assert refused(tmp_path / "a", [SAYS, USER, SAYS]) == [
        ("anthropic", False, "first message must use the user role", 0, 2)
    ]


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ({"type": "text", "text": "\n\n"}, "text content blocks must contain non-whitespace text"),
        ({"type": "thinking", "thinking": "x", "signature": "s"}, "the final block of a message cannot be thinking"),
        ({"type": "tool_use", "id": "a:0", "name": "f", "input": {}}, "tool_use.id: string should match pattern"),
    ],
)
def test_on_the_own_wire_texts_and_ids_count_too(tmp_path: Path, block: dict[str, Any], why: str) -> None:
    """They would not after a conversion; faults of texts hide none of pairing."""
    asked: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": "a"}, block]}
    messages: list[dict[str, Any]] = [
        USER,
        asked,
        USER,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "input": {}}]},
        USER,
    ]
    found = refused(tmp_path / "a", [*messages, SAYS], system="s")
    own = [each for each in found if each[1]]
    assert any(each[2].startswith(why) and each[4] == 2 for each in own)
    assert any(each[2] == UNANSWERED for each in own)
    assert not any(each[2].startswith(why) for each in found if not each[1])


def test_what_was_compacted_before_the_next_request_refuses_nothing(tmp_path: Path) -> None:
    """The client had dropped it."""
    lines: list[dict[str, Any]] = [
        {"type": "user", "uuid": "1", "message": {"content": "hi"}},
        {"type": "assistant", "uuid": "2", "message": {"id": "m1", "content": [{"type": "tool_use", "id": "c"}]}},
        {"type": "system", "subtype": "compact_boundary", "uuid": "3"},
        {"type": "user", "uuid": "4", "isCompactSummary": True, "message": {"content": "summary"}},
        {"type": "assistant", "uuid": "5", "message": {"id": "m2", "content": [{"type": "text", "text": "x"}]}},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    one = examine(path)
    assert not one.refusals
    assert [each.kind for each in one.findings] == ["unanswered-call"]


def test_a_file_that_is_a_request_body_is_judged_as_it_stands(tmp_path: Path) -> None:
    """Its own keys count: what a data set keeps as null, what an SDK adds. Places are those of the body."""
    chat: list[dict[str, Any]] = [{"role": "system", "content": "s"}, USER, {**SAYS, "tool_calls": None}, USER, SAYS]
    assert refused(tmp_path / "a", chat) == [("chat", True, "tool_calls must not be null", 2, 2)]
    anthropic: list[dict[str, Any]] = [USER, {**SAYS, "id": "msg_1"}, USER, SAYS]
    assert refused(tmp_path / "b", anthropic, system="s") == [
        ("anthropic", True, "id: extra inputs are not permitted", 1, 2)
    ]


def test_a_compaction_on_a_branch_that_was_left_excuses_nothing(tmp_path: Path) -> None:
    """The unanswered call stands before the fork; the live branch has no compaction."""

    def entry(own: str, parent: str | None, role: str, *content: dict[str, Any]) -> dict[str, Any]:
        message = {"role": role, "content": list(content)}
        return {"type": "message", "timestamp": "t", "id": own, "parentId": parent, "message": message}

    text = {"type": "text", "text": "x"}
    lines = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/"},
        entry("1", None, "user", text),
        entry("2", "1", "assistant", {"type": "toolCall", "id": "c", "name": "f", "arguments": {}}),
        {"type": "compaction", "id": "3", "parentId": "2", "summary": "s"},
        entry("4", "2", "user", text),
        entry("5", "4", "assistant", text),
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [(each.provider, each.place, each.request) for each in examine(path).refusals] == [
        ("anthropic", 3, 2),
        ("chat", 3, 2),
        ("responses", 3, 2),
    ]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "tool_result", "tool_use_id": ["c"], "content": "r"},
        {"type": "server_tool_use", "name": "x", "input": {}},
        {"type": "tool_use", "id": {"a": 1}, "input": {}},
    ],
)
def test_a_body_with_fields_of_other_types_is_judged_by_roles_and_ids(tmp_path: Path, block: dict[str, Any]) -> None:
    """Whatever they are: the doctor ends, and sees what stands beside them."""
    messages: list[dict[str, Any]] = [USER, SAYS, {"role": "user", "content": [block]}, SAYS, {"role": "assistant"}]
    assert all(each[0] for each in refused(tmp_path / "a", messages, system="s"))
    assert examine(tmp_path / "a").requests == 3
