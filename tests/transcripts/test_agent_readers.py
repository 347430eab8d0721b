"""pi, Gemini CLI, OpenCode and OpenTelemetry: each trap of the formats on small files that the test makes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.session.wires.values import is_list, is_object
from foldcover_harness.transcripts import gemini, opencode, otel, pi
from foldcover_harness.transcripts.model import Compaction, Conversation, Kind


def read(reader: Any, *objects: object) -> Conversation:
    """Read the objects as one file."""
    return reader.read([json.dumps(each).encode() for each in objects])  # type: ignore[no-any-return]


def sizes(found: Conversation) -> list[tuple[Kind, int]]:
    """Return kind and bytes of every item."""
    return [(item.kind, item.bytes) for item in found.items]


# pi

HEAD = {"type": "session", "id": "s", "timestamp": "t", "cwd": "/", "provider": "p", "modelId": "m"}


def entry(role: str, content: object, **more: object) -> dict[str, Any]:
    """Return a message of pi without an id."""
    keys: dict[str, object] = {key: more.pop(key) for key in ("id", "parentId") if key in more}
    return {"type": "message", "timestamp": "t", **keys, "message": {"role": role, "content": content, **more}}


def said(text: str) -> list[dict[str, Any]]:
    """Return a text as pi's content."""
    return [{"type": "text", "text": text}]


CALL = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}}


def test_pi_reads_a_linear_session() -> None:
    """A shell's result is told by its tool; usage leaves out what was cached."""
    usage = {"input": 3, "output": 5, "cacheRead": 90, "cacheWrite": 7}
    found = read(
        pi,
        HEAD,
        entry("user", said("hi")),
        {"type": "thinking_level_change", "thinkingLevel": "high"},
        entry(
            "assistant", [{"type": "thinking", "thinking": "hm"}, *said("a"), CALL], usage=usage, stopReason="toolUse"
        ),
        entry("toolResult", said("out"), toolCallId="c", toolName="bash"),
        entry("assistant", said("done"), stopReason="stop"),
    )
    assert [kind for kind, _ in sizes(found)] == [
        Kind.USER,
        Kind.THINKING,
        Kind.TEXT,
        Kind.CALL,
        Kind.SHELL,
        Kind.TEXT,
    ]
    first = found.requests[0]
    assert (first.reported, first.cache_read, first.cache_write, first.output) == (100, 90, 7, 5)
    assert not found.found.unknown


def test_pi_leaves_out_answers_that_broke_off_at_once() -> None:
    """An aborted one with content is an answer."""
    found = read(
        pi,
        entry("user", "hi"),
        entry("assistant", [], stopReason="aborted"),
        entry("assistant", said("a"), stopReason="aborted"),
    )
    assert len(found.requests) == 1
    assert found.found.left_out == {"answers that broke off before anything came": 1}


def test_pi_notes_a_compaction_with_its_size() -> None:
    """The summary stands for what is still in the file."""
    found = read(
        pi,
        entry("user", "hi"),
        entry("assistant", said("a")),
        {"type": "compaction", "summary": "s" * 99, "firstKeptEntryIndex": 1, "tokensBefore": 12345},
        entry("user", "on"),
        entry("assistant", said("b")),
    )
    assert found.compactions == [Compaction(1, 12345)]
    assert (found.breaks, len(found.items)) == ([1], 4)


def test_pi_takes_the_branch_of_the_last_entry() -> None:
    """Turns, requests, closing words and compactions of the others are gone, and counted."""
    found = read(
        pi,
        {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/"},
        entry("user", said("hi"), id="1", parentId=None),
        entry("assistant", [*said("kept"), CALL], id="2", parentId="1"),
        entry("assistant", [*said("left"), CALL, CALL], id="3", parentId="2"),
        {"type": "compaction", "id": "4", "parentId": "3", "summary": "s", "tokensBefore": 5},
        entry("user", said("left too"), id="5", parentId="4"),
        entry("assistant", said("left"), id="6", parentId="5"),
        {"type": "branch_summary", "id": "7", "parentId": "2", "summary": "four"},
        entry("user", said("on"), id="8", parentId="7"),
        entry("assistant", said("end"), id="9", parentId="8"),
    )
    assert [turn.words for turn in found.turns] == ["hi", "on"]
    assert [(turn.at, turn.calls, turn.closing, turn.conclusion) for turn in found.turns] == [
        (0, 1, "kept", 1),
        (4, 0, "end", 5),
    ]
    assert [request.at for request in found.requests] == [1, 5]
    assert (found.breaks, found.compactions) == ([], [])
    assert found.found.left_out["entries of branches that were left"] == 4


def test_pi_goes_on_where_a_parent_is_missing() -> None:
    """The head of a file may be gone; what is left of it is one branch."""
    found = read(
        pi,
        entry("user", "a", id="1", parentId="gone"),
        entry("assistant", said("x"), id="2", parentId="1"),
        entry("user", "b", id="3", parentId="never written"),
        entry("assistant", said("y"), id="4", parentId="3"),
    )
    assert (len(found.turns), len(found.requests)) == (2, 2)


def test_pi_weighs_what_extensions_and_the_users_shell_say() -> None:
    """They start no turn; what the model was not shown does not count."""
    found = read(
        pi,
        entry("user", "hi"),
        entry("custom", "injected"),
        {"type": "custom_message", "content": said("too")},
        {"type": "message", "timestamp": "t", "message": {"role": "bashExecution", "command": "ls", "output": "abc"}},
        {
            "type": "message",
            "timestamp": "t",
            "message": {"role": "bashExecution", "command": "ls", "output": "abc", "excludeFromContext": True},
        },
    )
    assert sizes(found)[1:] == [(Kind.USER, 8), (Kind.USER, 3), (Kind.USER, 2), (Kind.SHELL, 3)]
    assert len(found.turns) == 1


# Gemini CLI


def gem(text: str, **more: object) -> dict[str, Any]:
    """Return a message of the model in a recording."""
    return {"id": f"g-{text}", "type": "gemini", "content": text, **more}


def test_gemini_recordings_hold_calls_and_results_in_one_message() -> None:
    """The input includes what was cached; thoughts are output; noise is left out."""
    tool = {
        "id": "c",
        "name": "run_shell_command",
        "args": {"command": "ls"},
        "result": [{"functionResponse": {"id": "c", "name": "x", "response": {"output": "abcde"}}}],
    }
    found = read(
        gemini,
        {
            "sessionId": "s",
            "projectHash": "p",
            "messages": [
                {"id": "i", "type": "info", "content": "update"},
                {"id": "u", "type": "user", "content": [{"text": "hi"}]},
                gem(
                    "",
                    thoughts=[{"subject": "ab", "description": "cd"}],
                    toolCalls=[tool],
                    tokens={"input": 100, "output": 5, "cached": 60, "thoughts": 2},
                ),
                gem("done"),
            ],
        },
    )
    assert sizes(found)[:2] == [(Kind.USER, 2), (Kind.THINKING, 4)]
    assert sizes(found)[3:] == [(Kind.SHELL, 5), (Kind.TEXT, 4)]
    first = found.requests[0]
    assert (first.reported, first.cache_read, first.output) == (100, 60, 7)
    assert [request.at for request in found.requests] == [1, 4]
    assert found.found.left_out == {"messages of type info": 1}


def test_gemini_recordings_as_lines_update_and_rewind() -> None:
    """The last line with an id counts; a rewind takes back that message and all after it."""
    found = read(
        gemini,
        {"sessionId": "s", "projectHash": "p", "startTime": "t"},
        {"id": "u1", "type": "user", "content": "one"},
        {"id": "g1", "type": "gemini", "content": "early"},
        {"id": "g1", "type": "gemini", "content": "late"},
        {"$set": {"lastUpdated": "t"}},
        {"id": "u2", "type": "user", "content": "wrong"},
        {"id": "g2", "type": "gemini", "content": "x"},
        {"$rewindTo": "u2"},
        {"id": "u3", "type": "user", "content": "two"},
        {"id": "g3", "type": "gemini", "content": "y"},
    )
    assert [(turn.words, turn.closing) for turn in found.turns] == [("one", "late"), ("two", "y")]
    assert found.found.left_out == {"messages that were taken back by a rewind": 2}
    assert not found.found.unknown


def test_gemini_rewinds_to_an_unknown_message_are_to_the_beginning() -> None:
    """And a kind of line that is not known is counted."""
    found = read(
        gemini,
        {"sessionId": "s", "projectHash": "p"},
        {"id": "u1", "type": "user", "content": "one"},
        {"$rewindTo": "nowhere"},
        {"$patch": {"removeIds": ["x"]}},
        {"id": "u2", "type": "user", "content": "two"},
    )
    assert [turn.words for turn in found.turns] == ["two"]
    assert found.found.unknown == {"line of no known kind": 1}


def content(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    """Return a Content."""
    return {"role": role, "parts": list(parts)}


def test_gemini_contents_with_a_snapshot() -> None:
    """It is a compaction before the first answer; the acknowledgement that the client wrote is none."""
    found = read(
        gemini,
        content("user", {"text": "<session_context>\nx"}),
        content("user", {"text": "<state_snapshot>\ny"}),
        content("model", {"text": "Got it."}),
        content("model", {"text": "hm", "thought": True}, {"functionCall": {"id": "c", "name": "glob", "args": {}}}),
        content("user", {"functionResponse": {"id": "c", "name": "glob", "response": {"output": "abc"}}}),
        content("model", {"text": "a"}),
        content("model", {"text": "b"}),
        content("user", {"text": "next"}),
        content("model", {"text": "c"}),
        content("user", {"functionResponse": {"id": "gone", "name": "x", "response": {"a": 1}}}),
    )
    assert found.compactions == [Compaction(0, None)]
    assert len(found.requests) == 3
    assert [turn.words for turn in found.turns] == ["next"]
    assert sizes(found)[3:6] == [(Kind.THINKING, 2), (Kind.CALL, 6), (Kind.SHELL, 3)]
    assert sizes(found)[-1] == (Kind.RESULT, len('{"a":1}'))


# OpenCode


def message(role: str, *parts: dict[str, Any], **info: object) -> dict[str, Any]:
    """Return a message of OpenCode."""
    about: dict[str, object] = {"role": role, **info}
    return {"info": about, "parts": list(parts)}


def export(*messages: dict[str, Any], **info: object) -> Conversation:
    """Read an export."""
    about: dict[str, object] = {"id": "ses_1", **info}
    return read(opencode, {"info": about, "messages": list(messages)})


def test_opencode_puts_call_and_result_into_one_part() -> None:
    """A step is a request; results follow the calls; what is still running has none."""
    done = {"status": "completed", "input": {"a": 1}, "output": "abc"}
    tokens = {"input": 3, "output": 5, "reasoning": 2, "cache": {"read": 90, "write": 7}}
    found = export(
        message("user", {"type": "text", "text": "hi"}, {"type": "text", "text": "file", "synthetic": True}),
        message(
            "assistant",
            {"type": "step-start"},
            {"type": "reasoning", "text": "hm"},
            {"type": "tool", "tool": "bash", "callID": "c", "state": done},
            {"type": "tool", "tool": "x", "callID": "d", "state": {"status": "error", "input": {}, "error": "bad!"}},
            {"type": "step-finish", "reason": "tool-calls", "tokens": tokens},
            {"type": "step-start"},
            {"type": "text", "text": "end"},
            {"type": "tool", "tool": "x", "callID": "e", "state": {"status": "running", "input": {}}},
        ),
    )
    assert [request.at for request in found.requests] == [2, 7]
    assert [kind for kind, _ in sizes(found)] == [
        Kind.USER,
        Kind.USER,
        Kind.THINKING,
        Kind.CALL,
        Kind.CALL,
        Kind.SHELL,
        Kind.RESULT,
        Kind.TEXT,
        Kind.CALL,
    ]
    first = found.requests[0]
    assert (first.reported, first.cache_read, first.cache_write, first.output) == (100, 90, 7, 7)
    assert [turn.words for turn in found.turns] == ["hi"]


def test_opencode_compacts_by_a_message_that_summarises() -> None:
    """Order and summary are left out; its prompt is what was compacted."""
    found = export(
        message("user", {"type": "text", "text": "hi"}),
        message("assistant", {"type": "text", "text": "a"}),
        message("user", {"type": "compaction", "auto": True}),
        message("assistant", {"type": "text", "text": "sum"}, summary=True, tokens={"input": 500, "output": 9}),
        message("user", {"type": "text", "text": "go on", "synthetic": True}),
        message("assistant", {"type": "text", "text": "b"}),
    )
    assert found.compactions == [Compaction(1, 500)]
    assert (len(found.requests), len(found.turns)) == (2, 1)


def test_opencode_leaves_out_what_was_reverted() -> None:
    """From the message on that the session names."""
    found = export(
        message("user", {"type": "text", "text": "hi"}, id="m1"),
        message("assistant", {"type": "text", "text": "a"}, id="m2"),
        message("user", {"type": "text", "text": "wrong"}, id="m3"),
        message("assistant", {"type": "text", "text": "x"}, id="m4"),
        revert={"messageID": "m3"},
    )
    assert (len(found.turns), len(found.requests)) == (1, 1)
    assert found.found.left_out == {"messages that were taken back by a revert": 2}


def test_opencode_leaves_out_answers_that_broke_off_at_once() -> None:
    """And says that a session with a parent is a sub-agent's."""
    found = export(message("assistant", error={"name": "MessageAbortedError"}), parentID="ses_0")
    assert not found.requests
    assert found.subagent


# OpenTelemetry


def part(kind: str, **more: object) -> dict[str, Any]:
    """Return a part of a message."""
    return {"type": kind, **more}


ASK = {"role": "user", "parts": [part("text", content="hi")]}
CALLS = {"role": "assistant", "parts": [part("tool_call", id="c", name="bash", arguments={"a": 1})]}
GIVES = {"role": "tool", "parts": [part("tool_call_response", id="c", response="abc")]}
ENDS = {"role": "assistant", "parts": [part("text", content="end")], "finish_reason": "stop"}


def spans() -> list[dict[str, object]]:
    """Return the attributes of two calls of one conversation."""
    return [
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [ASK],
            "gen_ai.output.messages": [CALLS],
            "gen_ai.usage.input_tokens": 50,
            "gen_ai.usage.output_tokens": 5,
        },
        {
            "gen_ai.input.messages": [ASK, CALLS, GIVES],
            "gen_ai.output.messages": [ENDS],
            "gen_ai.usage.input_tokens": 70,
            "gen_ai.usage.cache_read.input_tokens": 40,
        },
    ]


def as_text(value: object) -> object:
    """Return what is no number as a JSON text."""
    return value if isinstance(value, (int, str)) else json.dumps(value)


def any_value(value: Any) -> dict[str, Any]:
    """Return a value as OTLP writes it."""
    if is_object(value):
        return {"kvlistValue": {"values": [{"key": key, "value": any_value(each)} for key, each in value.items()]}}
    if is_list(value):
        return {"arrayValue": {"values": [any_value(each) for each in value]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def otlp(attributes: dict[str, object]) -> list[dict[str, object]]:
    """Return attributes as OTLP's list."""
    return [{"key": key, "value": any_value(value)} for key, value in attributes.items()]


@pytest.mark.parametrize(
    "objects",
    [
        spans(),
        [{"name": "chat", "attributes": each} for each in spans()],
        [{"attributes": {key: as_text(value) for key, value in each.items()}} for each in spans()],
        [{"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": otlp(each)} for each in spans()]}]}]}],
        [{"spans": [{"events": [{"attributes": each}]} for each in spans()]}],
    ],
    ids=["bare", "attributes", "texts", "otlp", "events"],
)
def test_otel_spans_are_one_conversation(objects: list[dict[str, Any]]) -> None:
    """Each repeats the history: the longest counts, the others tell what was reported."""
    found = read(otel, *objects)
    assert sizes(found) == [(Kind.USER, 2), (Kind.CALL, len('bash{"a":1}')), (Kind.SHELL, 3), (Kind.TEXT, 3)]
    assert [(request.at, request.reported, request.cache_read) for request in found.requests] == [
        (1, 50, None),
        (3, 70, 40),
    ]
    assert (len(found.turns), found.found.unknown) == (1, {})


def test_otel_counts_spans_of_other_conversations() -> None:
    """What is no beginning of the longest history is told, and so are spans without messages."""
    other = {"gen_ai.input.messages": [{"role": "user", "parts": [part("text", content="other")]}]}
    found = read(otel, *spans(), other, {"name": "execute_tool", "attributes": {}})
    assert len(found.requests) == 2
    assert found.found.left_out == {
        "spans of other conversations, or of a history that was cut": 1,
        "spans without messages": 1,
    }


def test_otel_messages_alone() -> None:
    """The system's are standing, images are images, and an older name of a result is known."""
    found = read(
        otel,
        {"role": "system", "parts": [part("text", content="s")]},
        {"role": "user", "parts": [part("text", content="look"), part("uri", modality="image", uri="u")]},
        {"role": "assistant", "parts": [part("reasoning", content="hm"), part("tool_call", id="c", name="f")]},
        {"role": "tool", "parts": [part("tool_call_response", id="c", result={"a": 1})]},
        {"role": "assistant", "parts": [part("hologram", content="x")]},
    )
    assert [(item.kind, item.bytes, item.images) for item in found.items] == [
        (Kind.USER, 4, 1),
        (Kind.THINKING, 2, 0),
        (Kind.CALL, 1, 0),
        (Kind.RESULT, 7, 0),
    ]
    assert found.found.unknown == {"part type 'hologram'": 1}
