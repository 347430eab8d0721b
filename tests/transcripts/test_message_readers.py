"""Messages with roles: OpenAI's, Anthropic's, mini-swe-agent's and SWE-agent's, each trap on a small file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from foldcover_harness.transcripts import anthropic_messages, mini_swe_agent, openai_chat, swe_agent
from foldcover_harness.transcripts.model import Builder, Conversation, Kind
from foldcover_harness.transcripts.refusal import RefusedError

Read = Callable[[Iterable[bytes | None], Builder | None], Conversation]
SYSTEM = {"role": "system", "content": "you are"}
USER = {"role": "user", "content": "hi"}


def read(reader: Any, *objects: object) -> Conversation:
    """Read the objects as one file."""
    return reader.read([json.dumps(each).encode() for each in objects])  # type: ignore[no-any-return]


def chat(*messages: dict[str, Any], **more: object) -> Conversation:
    """Read the messages of a request body."""
    return read(openai_chat, {"model": "m", "messages": messages, **more})


def sizes(found: Conversation) -> list[tuple[Kind, int]]:
    """Return kind and bytes of every item."""
    return [(item.kind, item.bytes) for item in found.items]


def call(name: str = "read", arguments: object = "{}", own: str = "c1") -> dict[str, Any]:
    """Return an OpenAI tool call."""
    return {"id": own, "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(content: object = None, *calls: dict[str, Any], **more: object) -> dict[str, Any]:
    """Return an answer."""
    return {"role": "assistant", "content": content, "tool_calls": list(calls) or None, **more}


def tool(content: object, own: str = "c1") -> dict[str, Any]:
    """Return a result."""
    return {"role": "tool", "tool_call_id": own, "content": content}


def test_each_answer_is_a_request_and_the_system_prompt_is_standing() -> None:
    """Its prompt is what stands before it; the system prompt is counted and not weighed."""
    found = chat(SYSTEM, USER, assistant("so", call()), tool("result"), assistant("done"))
    assert [request.at for request in found.requests] == [1, 4]
    assert sizes(found) == [(Kind.USER, 2), (Kind.TEXT, 2), (Kind.CALL, 6), (Kind.RESULT, 6), (Kind.TEXT, 4)]
    assert found.found.left_out == {"system prompts: they are the standing part": 1}
    assert (len(found.turns), found.turns[0].calls, found.turns[0].closing) == (1, 1, "done")


def test_a_system_message_amid_the_conversation_is_words() -> None:
    """It is no part of what stands at the head, and starts no turn."""
    found = chat(USER, assistant("a"), {"role": "developer", "content": "be brief"}, assistant("b"))
    assert sizes(found)[2] == (Kind.USER, 8)
    assert len(found.turns) == 1


def test_every_key_may_be_null() -> None:
    """As some data sets keep them."""
    keys = dict.fromkeys(["tool_calls", "tool_call_id", "name", "function_call", "refusal"])
    found = chat({**keys, **USER}, {**keys, "role": "assistant", "content": "a"})
    assert (len(found.requests), len(found.found.unknown)) == (1, 0)


@pytest.mark.parametrize("arguments", ['{"a" : 1}', {"a": 1}])
def test_arguments_are_a_text_or_an_object(arguments: object) -> None:
    """Both weigh as compact JSON."""
    assert sizes(chat(USER, assistant(None, call("x", arguments))))[1:] == [(Kind.CALL, 1 + len('{"a":1}'))]


def test_old_and_custom_calls() -> None:
    """function_call, with its result under a name; and a custom tool that takes plain text."""
    found = chat(
        USER,
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "one"},
        assistant(None, {"id": "c", "type": "custom", "custom": {"name": "g", "input": "xyz"}}),
        tool("two", "c"),
    )
    assert [kind for kind, _ in sizes(found)] == [Kind.USER, Kind.CALL, Kind.RESULT, Kind.CALL, Kind.RESULT]
    assert sizes(found)[3] == (Kind.CALL, 4)


def test_content_may_be_parts_with_images() -> None:
    """Texts are weighed piece by piece, an image is one."""
    found = chat(
        {
            "role": "user",
            "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
        assistant([{"type": "text", "text": "yes"}]),
    )
    assert [(item.bytes, item.images) for item in found.items] == [(4, 0), (0, 1), (3, 0)]
    assert found.turns[0].words == "look"


def test_a_logged_response_is_the_last_answer_with_its_usage() -> None:
    """A log of a request with its response; cached tokens are among the prompt's."""
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 90}}
    found = chat(USER, assistant("a"), USER, response={"choices": [{"message": assistant("b")}], "usage": usage})
    assert [request.reported for request in found.requests] == [None, 100]
    assert (found.requests[1].cache_read, found.requests[1].cache_write, found.requests[1].output) == (90, None, 7)


def test_another_cache_count_is_taken_where_there_is_no_detail() -> None:
    """Some providers name what was hit; nothing hit is zero, not unknown."""
    for usage, read_ in (({"prompt_cache_hit_tokens": 64}, 64), ({"cache_read_input_tokens": 0}, 0), ({}, None)):
        found = chat(USER, choices=[{"message": assistant("b")}], usage={"prompt_tokens": 100, **usage})
        assert found.requests[0].cache_read == read_


def test_a_call_in_tags_is_a_call_and_what_follows_its_result() -> None:
    """The words before it are words; a prompt that the client puts in the user's place is neither."""
    found = chat(
        USER,
        assistant("I look.\n<function=bash>\n<parameter=command>ls</parameter>\n</function>"),
        {"role": "user", "content": "EXECUTION RESULT of [bash]:\na"},
        assistant("Hm."),
        {"role": "user", "content": "Please continue working on the task on whatever approach you think is suitable."},
        assistant("<function=finish></function>"),
    )
    assert [kind for kind, _ in sizes(found)] == [
        Kind.USER,
        Kind.TEXT,
        Kind.CALL,
        Kind.SHELL,
        Kind.TEXT,
        Kind.USER,
        Kind.CALL,
    ]
    assert (len(found.turns), found.turns[0].calls) == (1, 2)


def test_a_fenced_block_is_a_call_only_before_an_observation() -> None:
    """Otherwise the model shows code to the user, who answers."""
    code = assistant("Do:\n```bash\nls\n```")
    assert (
        chat(USER, code, {"role": "user", "content": "<returncode>0</returncode>"}, assistant("x")).turns[0].calls == 1
    )
    ends = {"role": "user", "content": "diff --git a/x b/x"}
    run = chat(USER, code, {"role": "user", "content": "<returncode>0</returncode>"}, code, ends)
    assert (len(run.turns), run.turns[0].calls, sizes(run)[-1]) == (1, 2, (Kind.SHELL, 18))
    shown = chat(USER, code, {"role": "user", "content": "thanks"}, assistant("x"))
    assert ([turn.calls for turn in shown.turns], len(shown.turns)) == ([0, 0], 2)


def test_a_bare_list_is_a_conversation() -> None:
    """Each element a message."""
    found = read(openai_chat, USER, assistant("a"), USER, assistant("b"))
    assert (len(found.requests), len(found.turns)) == (2, 2)


def test_several_bodies_are_several_conversations() -> None:
    """Nothing is put together that was not one."""
    body = {"messages": [USER, assistant("a")]}
    with pytest.raises(RefusedError, match="several conversations"):
        read(openai_chat, body, body)
    with pytest.raises(RefusedError, match="several conversations"):
        read(openai_chat, USER, body)


def test_a_body_that_was_never_answered_is_noted() -> None:
    """Nothing to price is said, not silently zero."""
    assert chat(USER).found.notes == ["no answer of a model in it: there is nothing to price"]


def test_unknown_roles_and_parts_are_counted() -> None:
    """And their texts weighed where they have one."""
    found = chat(
        USER, {"role": "oracle", "content": "x"}, assistant([{"type": "smell", "text": "abc"}]), {"content": "y"}
    )
    assert found.found.unknown == {"role 'oracle'": 1, "block type 'smell'": 1, "message without a role": 1}


def test_a_field_of_another_type_is_dropped_and_named() -> None:
    """By its path; the other messages count."""
    found = chat(USER, {"role": "assistant", "content": 5, "tool_calls": "x"}, assistant("b"))
    assert len(found.requests) == 2
    assert found.found.unknown == {"messages[].content of another type": 1, "messages[].tool_calls of another type": 1}


def anthropic(*messages: dict[str, Any], **more: object) -> Conversation:
    """Read the messages of an Anthropic body."""
    return read(anthropic_messages, {"model": "m", "system": "s", "messages": messages, **more})


def test_results_in_the_users_place_are_no_turn() -> None:
    """What the user said beside them is: it begins after the results."""
    found = anthropic(
        USER,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "out"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "u", "name": "Read", "input": {}}]},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "and now"},
                {"type": "tool_result", "tool_use_id": "u", "content": [{"type": "text", "text": "more"}]},
            ],
        },
        {"role": "assistant", "content": "ok"},
    )
    assert sizes(found)[2] == (Kind.SHELL, 3)
    assert sizes(found)[4:6] == [(Kind.RESULT, 4), (Kind.USER, 7)]
    assert [(turn.at, turn.words) for turn in found.turns] == [(0, "hi"), (5, "and now")]


def test_words_of_the_client_beside_results_are_no_turn() -> None:
    """A reminder, for instance."""
    found = anthropic(
        USER,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": ""},
                {"type": "text", "text": "<system-reminder>x</system-reminder>"},
            ],
        },
    )
    assert len(found.turns) == 1


def test_anthropics_usage_leaves_out_what_was_cached() -> None:
    """The prompt is the sum; what was read and written is kept."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 7, "output_tokens": 5}
    found = anthropic(USER, response={"role": "assistant", "content": "a", "usage": usage})
    request = found.requests[0]
    assert (request.reported, request.cache_read, request.cache_write, request.output) == (100, 90, 7, 5)


def test_mini_swe_agent_takes_the_usage_beside_each_answer() -> None:
    """The end of the run is left out; what stands in the user's place after the task is output."""
    usage = {"prompt_tokens": 50, "completion_tokens": 2, "prompt_cache_hit_tokens": 40}
    found = read(
        mini_swe_agent,
        {
            "trajectory_format": "mini-swe-agent-1.1",
            "info": {"exit_status": "Submitted"},
            "messages": [
                SYSTEM,
                USER,
                {**assistant("go", call("bash")), "extra": {"response": {"usage": usage}}},
                tool("out"),
                assistant("```bash\nls\n```"),
                {"role": "user", "content": "<returncode>0</returncode>"},
                {"role": "exit", "content": "diff"},
            ],
        },
    )
    assert [(request.reported, request.cache_read) for request in found.requests] == [(50, 40), (None, None)]
    assert [kind for kind, _ in sizes(found)][3:] == [Kind.SHELL, Kind.CALL, Kind.SHELL]
    assert (len(found.turns), found.found.left_out["the run's end"]) == (1, 1)


def history(*messages: dict[str, Any]) -> Conversation:
    """Read a SWE-agent trajectory."""
    return read(swe_agent, {"environment": "e", "trajectory": [], "history": messages})


def test_swe_agents_first_message_is_the_task_and_the_others_are_output() -> None:
    """A command stands in a field; together with the words it is the answer's text."""
    found = history(
        {**SYSTEM, "agent": "primary"},
        {"role": "user", "content": "issue", "agent": "primary"},
        {"role": "assistant", "content": "hm\n```\nls\n```", "thought": "hm\n", "action": "ls\n", "agent": "primary"},
        {"role": "user", "content": "file", "agent": "primary"},
        {"role": "assistant", "content": "done", "thought": "done", "action": "", "agent": "primary"},
    )
    assert sizes(found) == [(Kind.USER, 5), (Kind.TEXT, 3), (Kind.CALL, 10), (Kind.SHELL, 4), (Kind.TEXT, 4)]
    assert (len(found.turns), len(found.requests)) == (1, 2)


def test_swe_agents_function_calls_and_their_lists_of_ids() -> None:
    """The result names its call in a list."""
    found = history(
        {"role": "user", "content": "issue", "message_type": "observation"},
        {**assistant("t", call("bash", '{"command":"ls"}')), "thought": "t", "action": "ls"},
        {"role": "tool", "content": "out", "tool_call_ids": ["c1"]},
    )
    assert [kind for kind, _ in sizes(found)] == [Kind.USER, Kind.TEXT, Kind.CALL, Kind.SHELL]


def test_demonstrations_and_other_agents_are_no_answers() -> None:
    """A demonstration is a part of the prompt; what another agent said is counted."""
    found = history(
        {"role": "user", "content": "demo", "is_demo": True, "agent": "main"},
        {"role": "assistant", "content": "demo", "is_demo": True, "agent": "main"},
        {"role": "user", "content": "issue", "agent": "main"},
        {"role": "assistant", "content": "aside", "agent": "summarizer"},
        {"role": "assistant", "content": "x", "agent": "main"},
    )
    assert (len(found.requests), len(found.turns), found.turns[0].words) == (1, 1, "issue")
    assert sizes(found)[:3] == [(Kind.USER, 4), (Kind.USER, 4), (Kind.USER, 5)]
    assert found.found.left_out == {"messages of other agents": 1}


def test_rows_of_data_sets_have_other_roles() -> None:
    """The last fenced block is the command."""
    found = read(
        swe_agent,
        {
            "instance_id": "i",
            "model_name": "m",
            "target": True,
            "trajectory": [
                {"role": "system", "text": None, "system_prompt": "s"},
                {"role": "user", "text": "issue"},
                {"role": "ai", "text": "see ```x``` and\n```\nls\n```"},
                {"role": "user", "text": "out"},
            ],
        },
    )
    assert sizes(found)[1:] == [(Kind.TEXT, 16), (Kind.CALL, 10), (Kind.SHELL, 3)]
    assert (len(found.turns), len(found.requests)) == (1, 1)
