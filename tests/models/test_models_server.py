"""The scripted server: the providers' libraries read it by their types, and it notices what they would not like."""

from __future__ import annotations

from typing import Any

import anthropic
import openai
import pytest

from foldcover_harness.models.model import ModelError, Usage
from foldcover_harness.session.wires.wire import Call

from .asked import BODIES, WIRES, model_at
from .server import Say, Server

SAID = Say(
    "Yes, both.", [Call("a", "read", {"path": "x"}), Call("b", "list", {})], "Hm.", usage=Usage(100, 60, 7), written=5
)
HI: Any = [{"role": "user", "content": "hi"}]


def test_the_library_of_anthropic_reads_it() -> None:
    """By its typed helper for streams."""
    with (
        Server("anthropic", [SAID]) as server,
        anthropic.Anthropic(api_key="k", base_url=server.url) as client,
        client.messages.stream(model="m", max_tokens=9, messages=HI) as stream,
    ):
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert [block.input for block in message.content if block.type == "tool_use"] == [{"path": "x"}, {}]
    used = message.usage
    counts = (used.input_tokens, used.cache_creation_input_tokens, used.cache_read_input_tokens, used.output_tokens)
    assert (message.stop_reason, counts) == ("tool_use", (35, 5, 60, 7))
    assert server.problems == []


def test_the_library_of_openai_reads_its_chat_completions() -> None:
    """By its typed helper for streams."""
    with (
        Server("chat", [SAID]) as server,
        openai.OpenAI(api_key="k", base_url=server.url) as client,
        client.chat.completions.stream(model="m", messages=HI) as stream,
    ):
        completion = stream.get_final_completion()
    (choice,) = completion.choices
    assert (choice.finish_reason, choice.message.content) == ("tool_calls", "Yes, both.")
    assert [call.function.arguments for call in choice.message.tool_calls or ()] == ['{"path": "x"}', "{}"]
    assert completion.usage is not None
    assert completion.usage.prompt_tokens_details is not None
    assert (completion.usage.prompt_tokens, completion.usage.prompt_tokens_details.cached_tokens) == (100, 60)
    assert server.problems == []


def test_the_library_of_openai_reads_its_responses() -> None:
    """By its typed helper for streams."""
    with (
        Server("responses", [SAID]) as server,
        openai.OpenAI(api_key="k", base_url=server.url) as client,
        client.responses.stream(model="m", input=HI) as stream,
    ):
        response = stream.get_final_response()
    assert [item.type for item in response.output] == ["reasoning", "message", "function_call", "function_call"]
    assert response.output_text == "Yes, both."
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.input_tokens_details.cached_tokens) == (100, 60)
    assert server.problems == []


def more(wire: str, body: dict[str, Any], *said: dict[str, Any]) -> dict[str, Any]:
    """The body with messages behind the others."""
    key = "input" if wire == "responses" else "messages"
    return {**body, key: [*body[key], *said]}


YES = {"role": "assistant", "content": "Yes."}
GO_ON = {"role": "user", "content": "go on"}


@pytest.mark.parametrize("wire", WIRES)
def test_requests_that_continue_each_other_are_no_problem(wire: str) -> None:
    """Two conversations at once; one of them begins anew where a turn begins."""
    first, second = BODIES[wire], {**BODIES[wire], "system": "of a helper"}
    with Server(wire, ["Yes."] * 5) as server:
        model = model_at(server)
        for body in (first, second, more(wire, first, YES, GO_ON), more(wire, second, YES, GO_ON)):
            model.answer(body)
        model.answer({**first, "input" if wire == "responses" else "messages": [GO_ON]})
    assert server.problems == []
    assert server.begun == [0, 1, 4]
    assert len(server.standings) == 2


@pytest.mark.parametrize("wire", WIRES)
def test_a_standing_part_that_changes_is_a_problem(wire: str) -> None:
    """In its values, or in the order of its fields only."""
    first = BODIES[wire]
    reordered = dict(reversed(more(wire, first, YES, GO_ON).items()))
    tools: dict[str, Any] = {**more(wire, first, YES, GO_ON), "tools": []}
    for changed in (tools, reordered):
        with Server(wire, ["Yes."] * 2) as server:
            model_at(server).answer(first)
            model_at(server).answer(changed)
        assert [problem for problem in server.problems if "standing" in problem]


def test_a_turn_that_begins_anew_in_the_middle_is_a_problem() -> None:
    """The last message is a result, and what stood before it has changed."""
    used: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "read", "input": {}}
    call = {"role": "assistant", "content": [used]}
    result: Any = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}
    body = BODIES["anthropic"]
    good = {**body, "messages": [*body["messages"], call, result]}
    bad = {**body, "messages": [GO_ON, call, result]}
    for said, found, compacts in ((good, 0, False), (bad, 1, False), (bad, 0, True)):
        with Server("anthropic", ["Yes."] * 2, compacts=compacts) as server:
            model_at(server).answer(body)
            model_at(server).answer(said)
        assert len(server.problems) == found


def test_what_a_provider_would_refuse_is_a_problem() -> None:
    """Here, a result without its call; and a script that is too short."""
    result = {"role": "tool", "tool_call_id": "a", "content": "x"}
    with Server("chat", []) as server, pytest.raises(ModelError, match="no more answers"):
        model_at(server).answer(more("chat", BODIES["chat"], result))
    assert len(server.problems) == 3
