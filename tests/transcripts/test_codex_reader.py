"""Codex rollouts: each trap of the format on lines that the test makes itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.transcripts.codex import read
from foldcover_harness.transcripts.model import Conversation, Kind


def item(kind: str, **more: object) -> dict[str, Any]:
    """Return a response item."""
    return {"timestamp": "t", "type": "response_item", "payload": {"type": kind, **more}}


def event(kind: str, **more: object) -> dict[str, Any]:
    """Return an event."""
    return {"timestamp": "t", "type": "event_msg", "payload": {"type": kind, **more}}


def message(role: str, *texts: str) -> dict[str, Any]:
    """Return a message of a role."""
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def usage(last: object, total: object) -> dict[str, Any]:
    """Return a token count: the last one, and the total."""
    info = {"last_token_usage": {"input_tokens": last}, "total_token_usage": {"input_tokens": total}}
    return event("token_count", info=info)


CALL = item("function_call", name="shell", arguments='{"command": ["ls"]}', call_id="c1")
OUTPUT = item("function_call_output", call_id="c1", output="out")


def conversation(*lines: dict[str, Any]) -> Conversation:
    """Read the lines."""
    return read(json.dumps(line).encode() for line in lines)


def sizes(found: Conversation) -> list[tuple[Kind, int]]:
    """Return kind and bytes of every item."""
    return [(each.kind, each.bytes) for each in found.items]


def test_a_run_of_the_models_items_is_one_request() -> None:
    """Reasoning, words and calls up to an output or a message; two calls in a row are one request."""
    found = conversation(
        message("user", "hi"),
        item("reasoning", summary=[{"type": "summary_text", "text": "plan"}], encrypted_content="e" * 999),
        message("assistant", "ok"),
        CALL,
        CALL,
        OUTPUT,
        OUTPUT,
        CALL,
        OUTPUT,
        message("assistant", "done"),
    )
    assert [request.at for request in found.requests] == [1, 7, 9]


def test_arguments_weigh_as_compact_json() -> None:
    """The string holds JSON; where it holds none it weighs as it stands. Encrypted reasoning weighs
    nothing.
    """
    found = conversation(
        message("user", "hi"),
        item("reasoning", summary=[], content=None, encrypted_content="e" * 999),
        CALL,
        item("function_call", name="f", arguments="{broken", call_id="c2"),
        item("custom_tool_call", name="exec", input="raw  text", call_id="c3"),
        item("local_shell_call", action={"type": "exec", "command": ["ls"]}),
        item("web_search_call", action={"type": "search", "query": "q"}),
    )
    assert sizes(found)[1:] == [
        (Kind.CALL, len('shell{"command":["ls"]}')),
        (Kind.CALL, len("f{broken")),
        (Kind.CALL, len("execraw  text")),
        (Kind.CALL, len('local_shell{"type":"exec","command":["ls"]}')),
        (Kind.CALL, len('web_search{"type":"search","query":"q"}')),
    ]


@pytest.mark.parametrize(
    ("output", "size"),
    [
        ("text", 4),
        ('{"output":"x","metadata":{}}', 28),
        ([{"type": "input_text", "text": "abc"}, {"type": "input_text", "text": "d"}], 4),
        ({"content": "abc", "success": True}, 3),
        (None, 0),
    ],
)
def test_an_output_has_many_forms(output: object, size: int) -> None:
    """A string, a JSON string, a list of parts, an object; or nothing, and is a message all the same."""
    found = conversation(message("user", "hi"), CALL, item("function_call_output", call_id="c1", output=output))
    assert sizes(found)[-1] == (Kind.SHELL, size)
    assert not found.found.unknown


@pytest.mark.parametrize("event_first", [True, False])
def test_a_users_message_that_stands_twice_counts_once(event_first: bool) -> None:
    """As an item and as an event, in either order."""
    pair = [message("user", "hi"), event("user_message", message="hi", images=[])]
    found = conversation(*(reversed(pair) if event_first else pair), message("assistant", "x"))
    assert (len(found.turns), len(found.items), found.turns[0].words) == (1, 2, "hi")


@pytest.mark.parametrize("line", [message("user", "hi"), event("user_message", message="hi")])
def test_a_rollout_may_hold_one_of_the_two_only(line: dict[str, Any]) -> None:
    """Either alone makes the turns."""
    found = conversation(line, message("assistant", "a"), line, message("assistant", "b"))
    assert [turn.at for turn in found.turns] == [0, 2]


def test_an_answer_ends_the_wait_for_a_twin() -> None:
    """An item without an event, then an event without an item: two turns."""
    found = conversation(message("user", "a"), message("assistant", "x"), event("user_message", message="b"))
    assert [turn.words for turn in found.turns] == ["a", "b"]


def test_two_messages_in_a_row_are_two_turns() -> None:
    """Each finds its own twin."""
    found = conversation(
        message("user", "a"),
        event("user_message", message="a"),
        message("user", "b"),
        event("user_message", message="b"),
    )
    assert [turn.words for turn in found.turns] == ["a", "b"]


@pytest.mark.parametrize(
    "words",
    [
        "<environment_context>\n<cwd>/x</cwd>",
        "<user_instructions>x",
        "# AGENTS.md instructions for /x",
        "<turn_aborted>",
        "<skill>x",
    ],
)
def test_injected_messages_are_prompt_and_no_turn(words: str) -> None:
    """So are a developer's."""
    found = conversation(message("user", words), message("developer", "<permissions>"), message("user", "hi"))
    assert [turn.words for turn in found.turns] == ["hi"]
    assert len(found.items) == 3


def test_usage_before_its_answer() -> None:
    """Older clients write the count before the answer's items; repeated events count once."""
    found = conversation(
        message("user", "hi"),
        usage(100, 100),
        usage(100, 100),
        CALL,
        OUTPUT,
        usage(150, 250),
        message("assistant", "x"),
    )
    assert [request.reported for request in found.requests] == [100, 150]


def test_usage_after_its_answer() -> None:
    """Newer ones write it after them, before the output or behind it."""
    found = conversation(
        message("user", "hi"),
        event("token_count", info=None),
        CALL,
        usage(100, 100),
        OUTPUT,
        message("assistant", "x"),
        usage(150, 250),
        usage(150, 250),
    )
    assert [request.reported for request in found.requests] == [100, 150]


def test_redacted_usage_is_no_usage() -> None:
    """A string in the place of a number is dropped, named and counted."""
    found = conversation(message("user", "hi"), usage("[REDACTED]", "[REDACTED]"), message("assistant", "x"))
    assert found.requests[0].reported is None
    assert "payload.info.last_token_usage.input_tokens of another type" in found.found.unknown


def test_events_that_repeat_items_count_nothing() -> None:
    """Also where their fields have types that an item would not have."""
    found = conversation(
        message("user", "hi"),
        event("agent_message", message="x"),
        event("agent_reasoning", text="x"),
        event("item_completed", item={"type": "Plan"}, message={"odd": 1}),
        event("turn_aborted", reason="interrupted"),
    )
    assert len(found.items) == 1
    assert not found.found.unknown


def test_a_real_compaction_is_a_break() -> None:
    """Its history is left out and counted."""
    found = conversation(
        message("user", "hi"),
        message("assistant", "a"),
        {"type": "compacted", "payload": {"message": "", "replacement_history": [{"type": "message"}]}},
        message("user", "on"),
        message("assistant", "b"),
    )
    assert (found.breaks, len(found.items)) == ([1], 4)


@pytest.mark.parametrize(
    "sign",
    [
        {"type": "compacted", "payload": {"message": "s"}},
        event("context_compacted"),
        event("item_completed", item={"type": "ContextCompaction"}),
    ],
)
def test_each_sign_of_a_compaction_is_one(sign: dict[str, Any]) -> None:
    """Several at one place are the same compaction."""
    found = conversation(message("user", "hi"), message("assistant", "a"), sign, sign, message("assistant", "b"))
    assert [each.request for each in found.compactions] == [1]


def test_turns_that_were_rolled_back_are_left_out() -> None:
    """As many as the event says, and no more than there are."""
    found = conversation(
        message("user", "a"),
        message("assistant", "x"),
        message("user", "b"),
        event("user_message", message="b"),
        message("assistant", "y"),
        message("user", "c"),
        message("assistant", "z"),
        event("thread_rolled_back", num_turns=2),
        message("user", "d"),
        message("assistant", "end"),
    )
    assert [(turn.words, turn.closing) for turn in found.turns] == [("a", "x"), ("d", "end")]
    assert [request.at for request in found.requests] == [1, 3]
    assert found.found.left_out == {"turns that were rolled back": 2}
    assert len(conversation(message("user", "a"), event("thread_rolled_back", num_turns=9)).turns) == 0


def test_cached_and_output_tokens_are_kept() -> None:
    """The input includes what was cached."""
    told = {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 5}
    info = {"last_token_usage": told, "total_token_usage": told}
    found = conversation(message("user", "hi"), message("assistant", "x"), event("token_count", info=info))
    request = found.requests[0]
    assert (request.reported, request.cache_read, request.cache_write, request.output) == (100, 60, None, 5)


def test_a_legacy_rollout_has_bare_items() -> None:
    """No envelope, no usage; states are passed over."""
    found = conversation(
        {"id": "x", "timestamp": "t", "instructions": None, "git": {}},
        {"record_type": "state"},
        message("user", "hi")["payload"],
        {"record_type": "state"},
        CALL["payload"],
        OUTPUT["payload"],
        message("assistant", "done")["payload"],
    )
    assert (len(found.turns), len(found.requests), len(found.items)) == (1, 2, 4)
    assert not found.found.unknown


def test_calls_without_outputs_are_one_run() -> None:
    """An exporter that drops outputs leaves one long request; nothing breaks."""
    assert len(conversation(message("user", "hi"), CALL, CALL, CALL).requests) == 1


def test_unknown_kinds_are_counted() -> None:
    """A line and an item of new kinds."""
    found = conversation(message("user", "hi"), {"type": "aura", "payload": {}}, item("telepathy"))
    assert found.found.unknown == {"line type 'aura'": 1, "item type 'telepathy'": 1}
