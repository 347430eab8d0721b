"""Claude Code transcripts: each trap of the format on lines that the test makes itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.transcripts.claude_code import read
from foldcover_harness.transcripts.model import Compaction, Conversation, Kind
from foldcover_harness.transcripts.tolerant import MENDED, UNREADABLE


def user(content: object, **more: object) -> dict[str, Any]:
    """Return a user line."""
    return {"type": "user", "uuid": "u", "message": {"role": "user", "content": content}, **more}


def result(content: object, call: str = "t1") -> dict[str, Any]:
    """Return a line with the result of a call."""
    return user([{"type": "tool_result", "tool_use_id": call, "content": content}])


def assistant(name: str, *blocks: dict[str, Any], usage: object = None, **more: object) -> dict[str, Any]:
    """Return a line of one message of the model."""
    message = {"id": name, "role": "assistant", "model": "m", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "uuid": "u", "message": message, **more}


def text(words: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words}


def call(name: str = "Read", given: object = None, own: str = "t1") -> dict[str, Any]:
    """Return a tool call."""
    return {"type": "tool_use", "id": own, "name": name, "input": {} if given is None else given}


def used(fresh: int, cached: int = 0, output: int = 1) -> dict[str, int]:
    """Return a usage."""
    return {"input_tokens": fresh, "cache_read_input_tokens": cached, "output_tokens": output}


def conversation(*lines: dict[str, Any] | bytes) -> Conversation:
    """Read the lines."""
    return read(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)


def sizes(found: Conversation) -> list[tuple[Kind, int]]:
    """Return kind and bytes of every item."""
    return [(item.kind, item.bytes) for item in found.items]


def test_one_message_over_several_lines_is_one_request() -> None:
    """Lines of one id belong together though results stand between them; the prompt is what stood before
    the first.
    """
    found = conversation(
        user("hi"),
        assistant("m1", call(own="t1")),
        result("one", "t1"),
        assistant("m1", call(own="t2")),
        result("two", "t2"),
        assistant("m2", text("done")),
    )
    assert [request.at for request in found.requests] == [1, 5]
    assert found.turns[0].calls == 2


def test_the_last_usage_of_a_message_counts() -> None:
    """Usage repeats and grows from line to line; nothing is summed."""
    found = conversation(
        user("hi"),
        assistant("m1", text("a"), usage=used(10, 5)),
        assistant("m1", text("b"), usage=used(10, 90)),
    )
    assert [request.reported for request in found.requests] == [100]


@pytest.mark.parametrize("tokens", [0, -5, 10**9 + 1, 2**64 - 1, 10**40])
def test_a_usage_that_cannot_be_is_none(tokens: int) -> None:
    """Nothing but zeros is no report; nor is a number that no prompt has."""
    assert conversation(user("hi"), assistant("m1", usage=used(tokens))).requests[0].reported is None


def test_thinking_counts_and_its_signature_does_not() -> None:
    """A thinking block weighs its text, a tool call its name and its input as compact JSON."""
    found = conversation(
        user("hi"),
        assistant(
            "m1",
            {"type": "thinking", "thinking": "hm", "signature": "s" * 500},
            call("Bash", {"command": "ls", "n": [1, 2]}),
        ),
    )
    assert sizes(found)[1:] == [(Kind.THINKING, 2), (Kind.CALL, len('Bash{"command":"ls","n":[1,2]}'))]


def test_a_call_written_with_escapes_weighs_its_utf8() -> None:
    """\\u00e9 in the file is two bytes in a compact JSON text."""
    block = rb'{"type":"tool_use","name":"X","input":{"a" : "\u00e9"}}'
    line = rb'{"type":"assistant","message":{"id":"m","content":[' + block + b"]}}"
    assert sizes(conversation(line)) == [(Kind.CALL, len("X" + '{"a":"é"}'.encode().decode("latin1")))]


def test_shell_output_is_told_from_other_results() -> None:
    """The class of a result is that of the call which it answers, wherever it stands."""
    found = conversation(
        user("hi"),
        assistant("m1", call("Bash", own="b"), call("Read", own="r"), call("Grep", own="g")),
        result("1", "r"),
        result("22", "b"),
        result("333", "g"),
        result("4444", "unknown"),
    )
    assert sizes(found)[4:] == [(Kind.RESULT, 1), (Kind.SHELL, 2), (Kind.SHELL, 3), (Kind.RESULT, 4)]


def test_a_result_may_be_a_list_with_images() -> None:
    """Texts of a result are rounded piece by piece; an image is counted as one; an empty result is a
    message.
    """
    found = conversation(
        user("hi"),
        result([text("abcde"), text("x"), {"type": "image", "source": {"data": "A" * 9000}}]),
        result([{"type": "tool_reference", "tool_name": "Glob"}]),
        result(""),
        result([]),
    )
    assert [(item.bytes, item.quarters, item.images) for item in found.items[1:]] == [
        (6, 3, 1),
        (4, 1, 0),
        (0, 0, 0),
        (0, 0, 0),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "<command-message>review</command-message>\n<command-name>/review</command-name>",
        "<command-name>/exit</command-name>",
        "<local-command-stdout>x</local-command-stdout>",
        "<local-command-caveat>x",
        "<bash-stdout>x</bash-stdout>",
        "<task-notification>x",
        "<teammate-message from='a'>x",
    ],
)
@pytest.mark.parametrize("listed", [True, False])
def test_what_the_client_says_in_the_users_place_is_no_turn(words: str, listed: bool) -> None:
    """It is a part of the prompt all the same."""
    found = conversation(user("hi"), user([text(words)] if listed else words))
    assert len(found.turns) == 1
    assert found.items[-1].bytes == len(words)


@pytest.mark.parametrize(
    "words",
    ["go on", "what does <command-name> mean?", "<bash-input>ls</bash-input>", "Implement the following plan: x"],
)
def test_what_the_user_says_is_a_turn(words: str) -> None:
    """Shell lines and accepted plans are the user's."""
    assert len(conversation(user("hi"), user(words)).turns) == 2


def test_meta_lines_are_prompt_and_no_turn() -> None:
    """An expanded skill, for instance."""
    found = conversation(user("hi"), user("expanded", isMeta=True))
    assert (len(found.turns), len(found.items)) == (1, 2)


def test_sidechains_are_left_out_and_counted() -> None:
    """A subagent's lines are another conversation."""
    found = conversation(user("hi"), user("brief", isSidechain=True), assistant("s1", text("x"), isSidechain=True))
    assert (len(found.items), len(found.requests), len(found.turns)) == (1, 0, 1)
    assert found.found.left_out == {"sidechain lines": 2}


@pytest.mark.parametrize("how", [{"isApiErrorMessage": True}, {}])
def test_the_clients_errors_are_no_requests(how: dict[str, bool]) -> None:
    """Neither a flagged line nor one of the model "<synthetic>" was answered by a model."""
    line = assistant("e", text("API Error"), **how)
    if not how:
        line["message"]["model"] = "<synthetic>"
    found = conversation(user("hi"), line)
    assert (len(found.requests), len(found.items)) == (0, 1)
    assert found.found.left_out.total() == 1


def test_a_real_compaction_is_a_break_and_its_summary_is_left_out() -> None:
    """Boundary and summary are one break, before the next request."""
    found = conversation(
        user("hi"),
        assistant("m1", text("a")),
        {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted"},
        user("This session is being continued", isCompactSummary=True),
        user("next"),
        assistant("m2", text("b")),
    )
    assert found.breaks == [1]
    assert len(found.items) == 4
    assert found.found.left_out == {"summaries of real compactions": 1}


def test_a_compaction_keeps_its_size_and_is_told_once() -> None:
    """Boundary and summary are one; dropped results are a break and no compaction."""
    found = conversation(
        user("hi"),
        assistant("m1", text("a")),
        {"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": {"preTokens": 5}},
        assistant("m2", text("b")),
        {"type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 155000}},
        user("This session is being continued", isCompactSummary=True),
        user("next"),
        assistant("m3", text("c")),
    )
    assert found.breaks == [1, 2]
    assert found.compactions == [Compaction(2, 155000)]


def test_what_was_recorded_of_cache_and_output_is_kept() -> None:
    """That of the message's last line; what is not there is None."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 7, "output_tokens": 1}
    found = conversation(
        user("hi"),
        assistant("m1", text("a"), usage=usage),
        assistant("m1", text("b"), usage={**usage, "output_tokens": 25}),
        assistant("m2", text("c"), usage={"input_tokens": 5}),
    )
    first, second = found.requests
    assert (first.reported, first.cache_read, first.cache_write, first.output) == (100, 90, 7, 25)
    assert (second.reported, second.cache_read, second.cache_write, second.output) == (5, None, None, None)


def line(kind: str, own: str, parent: str | None, words: str, **more: object) -> dict[str, Any]:
    """Return a line that stands in a chain."""
    made = user(words, **more) if kind == "user" else assistant(f"m-{own}", text(words), **more)
    return {**made, "uuid": own, "parentUuid": parent}


def test_the_branch_that_was_rewound_is_left_out() -> None:
    """Two messages of the user after the same line: the live one is that which the last line stands on."""
    found = conversation(
        line("user", "1", None, "hi"),
        line("assistant", "2", "1", "a"),
        line("user", "3", "2", "wrong"),
        line("assistant", "4", "3", "left"),
        {"type": "progress", "uuid": "5", "parentUuid": "4"},
        line("user", "6", "2", "right"),
        line("assistant", "7", "6", "b"),
    )
    assert [(turn.words, turn.closing) for turn in found.turns] == [("hi", "a"), ("right", "b")]
    assert [request.at for request in found.requests] == [1, 3]
    assert found.found.left_out == {"lines of branches that were left by a rewind": 3}


def test_a_rewind_may_be_taken_back() -> None:
    """The first branch is live again where the last line stands on it."""
    found = conversation(
        line("user", "1", None, "hi"),
        line("assistant", "2", "1", "a"),
        line("user", "3", "2", "first"),
        line("assistant", "4", "3", "b"),
        line("user", "5", "2", "second"),
        line("assistant", "6", "5", "c"),
        line("user", "7", "4", "on"),
        line("assistant", "8", "7", "d"),
    )
    assert [turn.words for turn in found.turns] == ["hi", "first", "on"]


def test_results_of_parallel_calls_are_no_rewind() -> None:
    """Lines that follow the same line without a message of the user among them are one branch."""
    found = conversation(
        line("user", "1", None, "hi"),
        {**assistant("m", call(own="t1")), "uuid": "2", "parentUuid": "1"},
        {**assistant("m", call(own="t2")), "uuid": "3", "parentUuid": "2"},
        {**result("one", "t1"), "uuid": "4", "parentUuid": "2"},
        {**result("two", "t2"), "uuid": "5", "parentUuid": "3"},
        line("assistant", "6", "5", "b"),
    )
    assert len(found.items) == 6
    assert not found.found.left_out


def test_a_sub_agents_own_file_is_its_conversation() -> None:
    """Every line of it is of a side chain, and its brief stands in the user's place."""
    found = conversation(user("brief", isSidechain=True), assistant("s1", text("x"), isSidechain=True))
    assert (found.subagent, len(found.requests), found.turns[0].words) == (True, 1, "brief")
    assert not found.found.left_out


def test_side_chains_before_the_main_lines_are_left_out_too() -> None:
    """Once a line of the main conversation comes, what was read is another's."""
    found = conversation(
        user("brief", isSidechain=True),
        assistant("s1", text("x"), isSidechain=True),
        user("hi"),
        assistant("m1", text("a")),
    )
    assert (found.subagent, len(found.items), [request.at for request in found.requests]) == (False, 2, [1])
    assert found.found.left_out == {"sidechain lines": 2}


def test_an_old_clients_summary_alone_is_a_break() -> None:
    """Client 1.0 writes no boundary."""
    assert conversation(user("hi"), user("s", isCompactSummary=True)).breaks == [0]


def test_a_prompt_typed_while_busy_counts_once() -> None:
    """It may stand in an attachment only; it starts no turn. The queue's own lines count nothing."""
    found = conversation(
        user("hi"),
        {"type": "queue-operation", "operation": "enqueue", "content": "wait"},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": "wait", "origin": {"kind": "human"}}},
        {"type": "attachment", "attachment": {"type": "queued_command", "prompt": [text("more")]}},
        {"type": "attachment", "attachment": {"type": "todo_reminder", "content": []}},
    )
    assert sizes(found) == [(Kind.USER, 2), (Kind.USER, 4), (Kind.USER, 4)]
    assert len(found.turns) == 1


@pytest.mark.parametrize(
    "kind",
    ["progress", "system", "file-history-snapshot", "summary", "queue-operation", "pr-link", "last-prompt", "mode"],
)
def test_lines_that_say_nothing_to_the_model(kind: str) -> None:
    """They are neither prompt nor unknown, even with a whole message inside."""
    found = conversation(user("hi"), {"type": kind, "data": {"message": user("nested")}, "content": "x"})
    assert len(found.items) == 1
    assert not found.found.unknown


def test_what_stands_before_the_first_turn_belongs_to_it() -> None:
    """A cut head opens no turn of its own."""
    found = conversation(result("r"), assistant("m1", call(), text("so")), user("hi"), user("on"))
    assert [turn.at for turn in found.turns] == [0, 4]
    assert (found.turns[0].words, found.turns[0].calls, found.turns[0].closing) == ("hi", 1, "so")


def test_unknown_kinds_are_counted_and_passed_over() -> None:
    """A line, a block and a part of new kinds; their texts are weighed where they have one."""
    found = conversation(
        user("hi"),
        {"type": "novelty"},
        assistant("m1", {"type": "hologram", "text": "abc"}, text("x")),
        result([{"type": "smell", "text": "abcd"}]),
        {"type": "novelty"},
    )
    assert found.found.unknown == {"line type 'novelty'": 2, "block type 'hologram'": 1, "part type 'smell'": 1}
    assert [item.bytes for item in found.items] == [2, 3, 1, 4]


def test_glued_objects_are_both_read() -> None:
    """Two objects on one line, written at the same time."""
    glued = json.dumps(assistant("m1", text('a{}"}'))).encode() + json.dumps(user("next")).encode()
    found = conversation(user("hi"), glued)
    assert (len(found.requests), len(found.turns)) == (1, 2)
    assert found.found.unknown == {MENDED: 1}


def test_an_object_written_into_a_cut_one_is_read() -> None:
    """The first half is lost and counted, the second is whole."""
    cut = json.dumps(assistant("m1", text("lost"))).encode()[:60] + json.dumps(user("next")).encode()
    found = conversation(user("hi"), cut)
    assert [turn.words for turn in found.turns] == ["hi", "next"]
    assert found.found.unknown == {UNREADABLE: 1}


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"user","message":{"cont',
        b'{"type":"user","message":{"content":"x"},"cut',
        b"garbage",
        b"[1,2]",
        b"12",
        b"\xff\xfe\x00",
        b"{" * 500,
    ],
)
def test_a_broken_line_is_counted_and_the_next_one_read(line: bytes) -> None:
    """A cut last line, one with a whole object inside, text, another JSON value, no text at all."""
    found = conversation(user("hi"), line, user("next"))
    assert len(found.turns) == 2
    assert found.found.unknown == {UNREADABLE: 1}


@pytest.mark.parametrize("line", [b"", b"\n", b"  \r\n", b"\x00\x00\x00\n"])
def test_a_blank_line_is_nothing(line: bytes) -> None:
    """Also one of zero bytes, as a crash leaves it."""
    found = conversation(user("hi"), line)
    assert not found.found.unknown


def test_lone_surrogates_bad_escapes_and_bad_bytes_are_mended() -> None:
    """Each costs one replacement character and no line: a cut emoji, a careless redaction, Latin-1."""
    found = conversation(
        rb'{"type":"user","message":{"content":"a\ud83d b"}}',
        rb'{"type":"user","message":{"content":"\person1@example.com"}}',
        b'{"type":"user","message":{"content":"caf\xe9"}}',
        b'{"type":"user","message":{"content":"\\ud83d\\ude42\ttab"}}',
    )
    assert [turn.words for turn in found.turns] == ["a\ufffd b", "\\person1@example.com", "caf\ufffd", "\U0001f642 tab"]
    assert found.found.unknown == {MENDED: 4}


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (user(12), "message.content"),
        (user([{"type": "text", "text": 7}]), "message.content[].text"),
        (user([3, text("x")]), "message.content[]"),
        (user("x", isMeta="yes"), "isMeta"),
        (assistant("m", text("x"), usage=used("many")), "message.usage.input_tokens"),  # type: ignore[arg-type]
        (assistant("m", text("x"), usage="none"), "message.usage"),
        ({"type": "user", "message": "words"}, "message"),
        (assistant(7, text("x")), "message.id"),  # type: ignore[arg-type]
    ],
)
def test_a_field_of_another_type_is_dropped_alone(line: dict[str, Any], path: str) -> None:
    """It is named by its path; the rest of the line is used."""
    found = conversation(user("hi"), line, user("next"))
    assert f"{path} of another type" in found.found.unknown
    assert found.turns[-1].words == "next"


def test_deep_nesting_is_no_trouble() -> None:
    """Neither in a field that is skipped nor in one that is weighed."""
    deep = b"[" * 50_000 + b"]" * 50_000
    found = conversation(
        b'{"type":"user","toolUseResult":' + deep + b',"message":{"content":"hi"}}',
        b'{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","name":"X","input":' + deep + b"}]}}",
        user("next"),
    )
    assert found.turns[-1].words == "next"


def test_a_huge_result_is_weighed() -> None:
    """1.93 million characters are one item."""
    found = conversation(user("hi"), result("x" * 1_930_000))
    assert found.items[-1].quarters == 482_500


def test_texts_are_not_kept() -> None:
    """Of a long message only the beginning stays, for its title."""
    found = conversation(user("w" * 10_000), assistant("m", text("c" * 10_000)))
    assert (len(found.turns[0].words), len(found.turns[0].closing)) == (240, 240)
