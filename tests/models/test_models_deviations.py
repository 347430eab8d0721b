"""Servers that speak Chat Completions in their own way: what can only mean one thing is understood."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldcover_harness.models.model import ModelError, Usage
from foldcover_harness.session.wires import WIRES as SESSION_WIRES
from foldcover_harness.session.wires.wire import Call

from .asked import BODIES, Shown, answer_of, model_at
from .server import Fail, Raw, Reply, Server
from .speaking import chat_chunk, chat_usage, chunk

DONE = b"data: [DONE]\n\n"


def piece(**fields: Any) -> bytes:
    """A chunk with a piece of one tool call."""
    return chat_chunk({"tool_calls": [fields]})


def calls_of(*chunks: bytes) -> list[Call]:
    """The calls in an answer of these chunks."""
    with Server("chat", [Raw(b"".join(chunks))]) as server:
        message = answer_of(server).message
    wire = SESSION_WIRES["chat"]
    assert wire.refuse("assistant", message) is None
    assert isinstance(message, dict)
    assert all(call.keys() == {"id", "type", "function"} for call in message["tool_calls"])
    return wire.calls(message)


ONE, TWO = Call("a", "read", {"path": "x"}), Call("b", "list", {"of": 2})
END = chat_chunk({}, "tool_calls")


def function(name: str | None = None, arguments: Any = None) -> dict[str, Any]:
    """The function of a call."""
    given = {"name": name, "arguments": arguments}
    return {key: value for key, value in given.items() if value is not None}


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [
                piece(index=0, id="a", type="function", function=function("read", '{"pa')),
                piece(index=0, id="a", type="function", function=function("read", 'th": "x"}')),
                piece(index=1, id="b", type="function", function=function("list", '{"of')),
                piece(index=1, id="b", type="function", function=function("list", '": 2}')),
            ],
            id="the id and the name again in every piece",
        ),
        pytest.param(
            [
                piece(index=0, id="a", function=function("read", "")),
                piece(index=1, id="b", function=function("list", "")),
                piece(index=0, id="", function=function("", '{"path": "x"}')),
                piece(index=1, id=None, function=function(None, '{"of": 2}')),
            ],
            id="pieces in turn, empty ids",
        ),
        pytest.param(
            [
                piece(id="a", function=function("read", '{"path"')),
                piece(function=function(None, ': "x"}')),
                piece(id="b", function=function("list", '{"of": 2}')),
            ],
            id="no index",
        ),
        pytest.param(
            [
                piece(index=0, id="a", type="function", function=function("read", '{"path": "x"}')),
                piece(index=0, id="b", type="function", function=function("list", '{"of": 2}')),
            ],
            id="every index is 0",
        ),
        pytest.param(
            [
                piece(index=0, id="a", function=function("read", {"path": "x"})),
                piece(index=1, id="b", function=function("list", {"of": 2})),
            ],
            id="arguments as an object",
        ),
    ],
)
def test_calls_in_pieces_of_any_kind(chunks: list[bytes]) -> None:
    """Two calls, each whole."""
    assert calls_of(*chunks, END, DONE) == [ONE, TWO]


def test_calls_without_ids_get_some() -> None:
    """Results need them: two, and not the same."""
    first, second = calls_of(
        piece(function=function("read", '{"path": "x"}')), piece(function=function("list", '{"of": 2}')), END, DONE
    )
    assert first.id
    assert second.id
    assert first.id != second.id
    assert (first._replace(id="a"), second._replace(id="b")) == (ONE, TWO)


def test_a_call_without_arguments_has_none() -> None:
    """An empty text is no JSON; what is meant is an empty object."""
    assert calls_of(piece(index=0, id="a", function=function("read")), END) == [Call("a", "read", {})]


def test_a_call_without_a_name_is_an_error() -> None:
    """It cannot be run, nor sent again."""
    chunks = piece(index=0, id="a", function=function(None, "{}")) + END
    with Server("chat", [Raw(chunks)]) as server, pytest.raises(ModelError, match="without a name"):
        answer_of(server)


def test_a_custom_call_is_kept() -> None:
    """A call with a text for its input."""
    chunks = [
        piece(index=0, id="a", type="custom", custom={"name": "patch", "input": "*** "}),
        piece(index=0, custom={"input": "End"}),
    ]
    with Server("chat", [Raw(b"".join([*chunks, END, DONE]))]) as server:
        message = answer_of(server).message
    assert SESSION_WIRES["chat"].calls(message) == [Call("a", "patch", "*** End")]


def test_a_finish_reason_of_stop_does_not_hide_a_call() -> None:
    """Some servers say stop where tool_calls is meant."""
    assert calls_of(piece(index=0, id="a", function=function("read", '{"path": "x"}')), chat_chunk({}, "stop")) == [ONE]


@pytest.mark.parametrize(
    ("chunks", "usage"),
    [
        pytest.param([chat_chunk({"content": "Yes."}), chat_chunk({}, "stop")], None, id="no usage, no [DONE]"),
        pytest.param(
            [chat_chunk({"content": "Yes."}, "stop", usage=chat_usage(Usage(9, 4, 2))), DONE],
            Usage(9, 4, 2),
            id="usage with the last piece",
        ),
        pytest.param(
            [
                b": OPENROUTER PROCESSING\n\n",
                chunk({"choices": []}),
                chunk({"choices": None, "usage": None}),
                b": keep-alive\n\n",
                chat_chunk({"role": "assistant", "content": None}),
                chat_chunk({"content": "Yes."}),
                b"event: ping\ndata: {}\n\n",
                chat_chunk({}, "stop"),
                chunk({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}),
                DONE,
            ],
            Usage(9, 0, 2),
            id="comments, pings, chunks without choices, no details of the usage",
        ),
        pytest.param(
            [chat_chunk({"content": "Yes."}), chat_chunk({}, "stop"), b"data: {oops\n\n"],
            None,
            id="nonsense after the end",
        ),
        pytest.param(
            [
                chat_chunk({"content": "Yes."}).replace(b"\n", b"\r\n"),
                b'data:{"choices":[{"finish_reason":"stop"}]}\n\n',
            ],
            None,
            id="line ends, no space, no delta",
        ),
    ],
)
def test_streams_of_any_kind(chunks: list[bytes], usage: Usage | None) -> None:
    """The words are there, and the usage where it is."""
    shown = Shown()
    with Server("chat", [Raw(b"".join(chunks))]) as server:
        answer = answer_of(server, shown)
    assert isinstance(answer.message, dict)
    assert (answer.message["content"], shown.text, answer.usage, answer.stopped) == ("Yes.", "Yes.", usage, "stop")


def test_without_a_finish_reason_it_is_no_answer() -> None:
    """[DONE] alone does not say that it is whole; nor does `error`."""
    for last in (DONE, chat_chunk({}, "error") + DONE):
        said = Raw(chat_chunk({"content": "Half"}) + last)
        with Server("chat", [said] * 3) as server, pytest.raises(ModelError, match="broke off"):
            answer_of(server)


def test_thinking_of_other_servers_is_kept_and_shown_once() -> None:
    """`reasoning` beside `reasoning_details`, whose pieces are joined by their index."""
    chunks = [
        chat_chunk({"reasoning": "Hm", "reasoning_details": [{"type": "reasoning.text", "text": "Hm", "index": 0}]}),
        chat_chunk(
            {
                "reasoning": "m.",
                "reasoning_details": [{"type": "reasoning.text", "text": "m.", "signature": "s", "index": 0}],
            }
        ),
        chat_chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "e", "index": 1}]}),
        chat_chunk({"content": "Yes."}, "stop"),
    ]
    with Server("chat", [Raw(b"".join(chunks))]) as server:
        answer = answer_of(server, shown := Shown())
    assert shown.thinking == "Hmm."
    assert answer.message == {
        "role": "assistant",
        "content": "Yes.",
        "reasoning": "Hmm.",
        "reasoning_details": [
            {"type": "reasoning.text", "text": "Hmm.", "signature": "s", "index": 0},
            {"type": "reasoning.encrypted", "data": "e", "index": 1},
        ],
    }


def test_a_refusal_is_words() -> None:
    """Kept in its own field, and shown."""
    with Server("chat", [Raw(chat_chunk({"refusal": "I "}) + chat_chunk({"refusal": "won't."}, "stop"))]) as server:
        answer = answer_of(server, shown := Shown())
    assert isinstance(answer.message, dict)
    assert answer.message["refusal"] == shown.text == "I won't."


def test_a_server_that_refuses_to_count_is_asked_without() -> None:
    """Once: the next request goes without it from the start."""

    def script(body: dict[str, Any]) -> Reply:
        if "stream_options" in body:
            return Fail(400, {"error": {"message": "unknown field stream_options"}})
        return Raw(chat_chunk({"content": "Yes."}, "stop"))

    with Server("chat", script) as server:
        model = model_at(server)
        assert model.answer(BODIES["chat"]).usage is None
        assert model.answer(BODIES["chat"]).usage is None
    assert [("stream_options" in body) for body in server.bodies] == [True, False, False]
    assert server.problems == []


def test_stream_options_of_the_callers_own_stay() -> None:
    """The body goes out as it is."""
    own = {**BODIES["chat"], "stream_options": {"include_usage": False}}
    with Server("chat", ["Yes."]) as server:
        model_at(server).answer(own)
    assert json.dumps(server.bodies[0]) == json.dumps({**own, "stream": True})
