"""OpenHands, both versions: each trap of the formats on small files that the test makes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.transcripts import openhands_v0, openhands_v1
from foldcover_harness.transcripts.model import Compaction, Conversation, Kind
from foldcover_harness.transcripts.refusal import RefusedError


def read(reader: Any, *objects: object) -> Conversation:
    """Read the objects as one file."""
    return reader.read([json.dumps(each).encode() for each in objects])  # type: ignore[no-any-return]


def sizes(found: Conversation) -> list[tuple[Kind, int]]:
    """Return kind and bytes of every item."""
    return [(item.kind, item.bytes) for item in found.items]


def text(words: str) -> list[dict[str, str]]:
    """Return a text as content."""
    return [{"type": "text", "text": words}]


def user(words: str) -> dict[str, Any]:
    """Return a message of the user."""
    return {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": text(words)}}


def action(own: str, response: str | None, thought: str = "", name: str = "terminal") -> dict[str, Any]:
    """Return an action."""
    return {
        "kind": "ActionEvent",
        "id": own,
        "source": "agent",
        "thought": text(thought) if thought else [],
        "action": {"kind": "X", "a": 1},
        "tool_name": name,
        "tool_call_id": "functions.terminal:0",
        "tool_call": {"id": "functions.terminal:0", "name": name, "arguments": '{"a": 1}'},
        "llm_response_id": response,
    }


def observation(cause: str, words: str, name: str = "terminal") -> dict[str, Any]:
    """Return what an action brought."""
    return {
        "kind": "ObservationEvent",
        "source": "environment",
        "tool_name": name,
        "tool_call_id": "functions.terminal:0",
        "action_id": cause,
        "observation": {"kind": "Y", "content": text(words)},
    }


def test_actions_of_one_response_are_one_request() -> None:
    """Whether their results stand after all of them or between; the thought stands at the first."""
    found = read(
        openhands_v1,
        {"kind": "SystemPromptEvent", "source": "agent"},
        user("hi"),
        action("a1", "r1", "so"),
        action("a2", "r1"),
        observation("a1", "one"),
        observation("a2", "two", name="think"),
        action("a3", "r2"),
        observation("a3", "three"),
        action("a4", "r2"),
    )
    assert [request.at for request in found.requests] == [1, 6]
    assert sizes(found)[4:6] == [(Kind.SHELL, 3), (Kind.RESULT, 3)]
    assert found.turns[0].calls == 4
    assert found.found.left_out == {"system prompts: they are the standing part": 1}


def test_answers_without_a_response_id_are_requests_of_their_own() -> None:
    """A run without a message of the user is one turn."""
    found = read(openhands_v1, action("a1", None), action("a2", None))
    assert (len(found.requests), len(found.turns)) == (2, 1)


def test_a_condensation_is_a_real_compaction() -> None:
    """Its request is noise."""
    found = read(
        openhands_v1,
        user("hi"),
        action("a1", "r1"),
        {"kind": "CondensationRequest", "source": "environment"},
        {"kind": "Condensation", "source": "environment", "forgotten_event_ids": ["x"], "summary": "s"},
        action("a2", "r2"),
    )
    assert found.compactions == [Compaction(1, None)]
    assert not found.found.unknown


def test_errors_and_browsers_are_results() -> None:
    """Plain fields are texts, a screenshot is an image."""
    found = read(
        openhands_v1,
        action("a1", "r1"),
        {"kind": "AgentErrorEvent", "source": "agent", "tool_name": "x", "tool_call_id": "t", "error": "bad"},
        {
            "kind": "ObservationEvent",
            "source": "environment",
            "tool_name": "browser",
            "action_id": "a1",
            "observation": {"output": "abc", "error": None, "screenshot_data": "AAAA"},
        },
        {"kind": "Novelty", "source": "agent"},
    )
    assert [(item.kind, item.bytes, item.images) for item in found.items[1:]] == [
        (Kind.RESULT, 3, 0),
        (Kind.RESULT, 3, 1),
    ]
    assert found.found.unknown == {"event kind 'Novelty'": 1}


def test_thinking_that_stands_twice_counts_once() -> None:
    """As reasoning and as blocks."""
    event = {**action("a", "r"), "reasoning_content": "hm", "thinking_blocks": [{"type": "thinking", "thinking": "hm"}]}
    assert sizes(read(openhands_v1, event))[0] == (Kind.THINKING, 2)
    assert len(read(openhands_v1, event).items) == 2


def v0(*events: dict[str, Any]) -> Conversation:
    """Read a trajectory of version 0."""
    return read(openhands_v0, {"version": "1.0", "feedback": "positive", "trajectory": list(events)})


ASK = {"id": 0, "source": "user", "action": "message", "args": {"content": "hi"}, "message": "hi"}


def run(own: int, args: str = "args", **more: object) -> dict[str, Any]:
    """Return a shell command."""
    return {"id": own, "source": "agent", "action": "run", args: {"command": "ls", "thought": "so"}, **more}


def brought(cause: int, content: str, kind: str = "run") -> dict[str, Any]:
    """Return an observation."""
    return {"id": cause + 1, "source": "agent", "observation": kind, "content": content, "cause": cause}


@pytest.mark.parametrize("args", ["args", "extras"])
def test_an_action_of_the_agent_is_an_answer(args: str) -> None:
    """Its thought is words; what it was given stands under either name."""
    found = v0(
        ASK,
        {"id": 1, "source": "environment", "observation": "agent_state_changed", "content": ""},
        {"status": "info", "message": "starting"},
        {"args": None, **run(2, args)},
        brought(2, "abc"),
        {"id": 4, "source": "agent", "action": "message", "args": {"content": "done"}, "message": "done"},
    )
    assert [kind for kind, _ in sizes(found)] == [Kind.USER, Kind.TEXT, Kind.CALL, Kind.SHELL, Kind.TEXT]
    assert [request.at for request in found.requests] == [1, 4]
    assert (len(found.turns), found.turns[0].closing) == (1, "done")
    assert not found.found.unknown


def test_the_clients_urging_is_no_turn() -> None:
    """A run without a user puts words in the user's place; both versions."""
    urge = "Please continue working on the task on whatever approach you think is suitable."
    assert len(read(openhands_v1, user("hi"), action("a1", None), user(urge)).turns) == 1
    assert len(v0(ASK, run(1), {**ASK, "id": 2, "args": {"content": urge}}).turns) == 1


def test_a_bare_list_is_read_too() -> None:
    """But not two trajectories in one file."""
    assert len(read(openhands_v0, ASK, run(1)).requests) == 1
    with pytest.raises(RefusedError, match="several conversations"):
        read(openhands_v0, {"version": "", "trajectory": []}, {"version": "", "trajectory": []})


def test_actions_of_one_response_share_its_request_and_usage() -> None:
    """Where the response was kept."""
    response = {"id": "r", "usage": {"prompt_tokens": 100, "completion_tokens": 5}}
    about = {"tool_call_id": "c", "function_name": "execute_bash", "model_response": response}
    found = v0(
        ASK, run(1, tool_call_metadata=about), run(2, tool_call_metadata=about), brought(1, "a"), brought(2, "b")
    )
    assert [(request.reported, request.output) for request in found.requests] == [(100, 5)]
    assert found.turns[0].calls == 2


def test_what_a_delegate_did_is_another_conversation() -> None:
    """From its start to its end; the delegation itself is a call, its end the result."""
    found = v0(
        ASK,
        {"id": 1, "source": "agent", "action": "delegate", "args": {"agent": "B"}},
        {"id": 2, "source": "agent", "action": "browse", "args": {"url": "u"}},
        {"id": 3, "source": "agent", "observation": "browse", "content": "page", "cause": 2},
        {"id": 4, "source": "agent", "observation": "delegate", "content": "report", "cause": 1},
        run(5),
    )
    assert (len(found.requests), found.turns[0].calls) == (2, 2)
    assert found.found.left_out == {"events of delegates": 2}
    assert (Kind.RESULT, 6) in sizes(found)


def test_a_condensation_of_version_0_is_one_too() -> None:
    """Summaries stand for what is still in the file."""
    condensed = {"id": 2, "source": "agent", "action": "condensation", "args": {"summary": "s"}}
    assert v0(ASK, run(1), condensed, run(3)).compactions == [Compaction(1, None)]


@pytest.mark.parametrize("depth", [3, 300, 20_000])
def test_trajectories_in_trajectories_are_no_trouble(depth: int) -> None:
    """What is nested is no event; what is nested too deep to be read is counted."""
    head = b'{"version":"1","trajectory":[{"source":"user","action":"message","args":{"content":"hi"}},'
    found = openhands_v0.read([head + b'{"trajectory":[' * depth + b"]}" * depth + b"]}"])
    assert len(found.turns) == 1 or found.found.unknown
    assert found.found.notes
