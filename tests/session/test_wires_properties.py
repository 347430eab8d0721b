"""Every wire on random conversations: what is sent is valid, begins with what was sent before, and changes nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.wire import Message, Role, Tool, Wire

Log = list[tuple[Role, Any]]
STANDING: dict[str, dict[str, Any]] = {
    "anthropic": {"model": "m", "system": "be brief", "tools": [{"name": "t", "input_schema": {}}]},
    "chat": {"model": "m", "messages": [{"role": "system", "content": "be brief"}]},
    "responses": {"model": "m", "instructions": "be brief"},
}
texts = st.one_of(
    st.sampled_from(["", " ", "fix it", "error: no", "\ud83d", "\ud83d\ude00", "é😀\u202e"]),
    st.text(st.characters(exclude_categories=[]), max_size=6),
)
words = texts.map(lambda text: text + "w")
# Few ids, so that results miss their calls, come twice, and calls share one.
ids = st.sampled_from(["a", "b", "c", "a-2"])
unknown = st.fixed_dictionaries({"type": st.just("novelty"), "x": texts})
objects = st.dictionaries(st.sampled_from(["path", "cache_control"]), texts, max_size=1)


def block(kind: str, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return blocks of a type, each field one of its strategy."""
    return st.fixed_dictionaries({"type": st.just(kind)}, optional={}).flatmap(
        lambda head: st.fixed_dictionaries(fields).map(lambda rest: {**head, **rest})
    )


def message(role: str, content: st.SearchStrategy[Any], **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return messages with a content of the strategy."""
    return st.fixed_dictionaries({"role": st.just(role), "content": content, **more})


def anthropic() -> dict[Role, st.SearchStrategy[Any]]:
    """Return messages of each role for the Messages API."""
    text = block("text", text=texts)
    marked = block("text", text=words, cache_control=st.just({"type": "ephemeral"}))
    image = block("image", source=st.just({"type": "base64", "media_type": "image/png", "data": "AA=="}))
    result = block(
        "tool_result",
        tool_use_id=ids,
        content=st.one_of(texts, st.lists(st.one_of(text, marked, image), max_size=2)),
        is_error=st.booleans(),
    )
    answers = st.one_of(
        text,
        block("thinking", thinking=texts, signature=st.sampled_from(["", "sig"])),
        block("redacted_thinking", data=st.just("zz")),
        block("tool_use", id=ids, name=st.just("t"), input=objects),
        block("tool_use", id=ids, name=st.just("t"), input=objects),
        block("server_tool_use", id=ids, name=st.just("web_search"), input=objects),
        block("web_search_tool_result", tool_use_id=ids, content=st.just([])),
        unknown,
    )
    mine = st.lists(st.one_of(text, image, unknown, marked), min_size=1, max_size=3)
    theirs = st.lists(st.one_of(result, result, text, image), min_size=1, max_size=3)
    return {
        "user": message("user", st.one_of(texts, mine)),
        "assistant": message("assistant", st.one_of(texts, st.lists(answers, max_size=4))),
        "tool_result": message("user", theirs),
    }


def chat() -> dict[Role, st.SearchStrategy[Any]]:
    """Return messages of each role for Chat Completions."""
    text = block("text", text=texts)
    parts = st.lists(st.one_of(text, unknown), min_size=1, max_size=3)
    function = st.fixed_dictionaries({"name": st.just("t"), "arguments": st.sampled_from(["{}", "[", '{"a":1}'])})
    custom = st.fixed_dictionaries({"name": st.just("t"), "input": texts})
    call = st.one_of(
        st.fixed_dictionaries({"id": ids, "type": st.just("function"), "function": function}),
        st.fixed_dictionaries({"id": ids, "type": st.just("custom"), "custom": custom}),
    )
    calls = st.one_of(st.none(), st.lists(call, max_size=3))
    nothing = st.one_of(st.none(), st.just([]), texts, parts)
    return {
        "user": message("user", st.one_of(texts, parts), name=st.sampled_from([None, "u"])),
        "assistant": st.one_of(
            message("assistant", nothing, tool_calls=calls, extra=texts), message("assistant", nothing)
        ),
        "tool_result": message("tool", st.one_of(texts, parts), tool_call_id=ids),
    }


def responses() -> dict[Role, st.SearchStrategy[Any]]:
    """Return messages of each role for the Responses API."""
    image = block("input_image", image_url=st.just("data:x"))
    parts = st.lists(st.one_of(block("input_text", text=texts), image), min_size=1, max_size=3)
    user = message("user", st.one_of(texts, parts))
    output = st.one_of(texts, parts)
    result = st.one_of(
        block("function_call_output", call_id=ids, output=output),
        block("custom_tool_call_output", call_id=ids, output=output),
    )
    called = [
        block("function_call", call_id=ids, name=st.just("t"), arguments=st.just("{}")),
        block("custom_tool_call", call_id=ids, name=st.just("t"), input=texts),
        block("shell_call", call_id=ids, action=objects),
        block("computer_call", call_id=ids, action=objects),
        block("apply_patch_call", call_id=ids, operation=objects),
        block("local_shell_call", call_id=ids, action=objects),
    ]
    said = st.lists(block("output_text", text=texts), max_size=2)
    item = st.one_of(
        message("assistant", st.one_of(texts, said), type=st.just("message")),
        block("reasoning", id=ids, encrypted_content=st.just("zz"), summary=st.just([])),
        unknown,
        *called,
    )
    return {
        "user": st.one_of(user, st.lists(st.one_of(user, unknown), min_size=1, max_size=2)),
        "assistant": st.lists(item, max_size=4),
        "tool_result": st.one_of(result, st.lists(st.one_of(result, user), min_size=1, max_size=3)),
    }


MESSAGES = {"anthropic": anthropic(), "chat": chat(), "responses": responses()}
ROLES: tuple[Role, ...] = ("user", "assistant", "tool_result")


@st.composite
def logs(draw: st.DrawFn, wire: Wire, most: int = 9) -> Log:
    """Return a log of messages that the wire does not refuse, roles in any order."""
    log: Log = []
    for role in draw(st.lists(st.sampled_from(ROLES), max_size=most)):
        each = draw(MESSAGES[wire.name][role])
        if wire.refuse(role, each) is None:
            log.append((role, each))
    return log


def sent(wire: Wire, log: Log, head: list[Message] | None = None) -> dict[str, Any]:
    """Return the request of a log."""
    return wire.request(STANDING[wire.name], head or [], [each for _, each in log])


def flat(wire: Wire, body: dict[str, Any]) -> list[str]:
    """Return what is sent in the finest pieces that are compared, without breakpoints."""
    if wire.name != "anthropic":
        return [json.dumps(each) for each in body["messages" if wire.name == "chat" else "input"]]
    pieces: list[str] = []
    for each in body["messages"]:
        pieces.append(each["role"])
        pieces.extend(json.dumps({k: v for k, v in part.items() if k != "cache_control"}) for part in each["content"])
    return pieces


def waits(wire: Wire, log: Log) -> bool:
    """Whether calls are open at the log's end: nothing could be sent then."""
    waiting: list[str] = []
    for number, (role, each) in enumerate(log):
        if role == "tool_result":
            for id_ in wire.answers(each):
                if id_ in waiting:
                    waiting.remove(id_)
        else:
            together = role == "assistant" and number > 0 and log[number - 1][0] == "assistant"
            fresh = [call.id for call in wire.calls(each)] if role == "assistant" else []
            waiting = [*waiting, *fresh] if together else fresh
    return bool(waiting)


every_wire = pytest.mark.parametrize("wire", WIRES.values(), ids=WIRES.keys())
many = settings(max_examples=60, deadline=None)


@every_wire
@given(data=st.data())
@many
def test_what_is_sent_is_valid(wire: Wire, data: st.DataObject) -> None:
    """Whatever the log holds, in whatever order: a log that ends with a user message can be sent."""
    log = data.draw(logs(wire))
    head = data.draw(st.sampled_from([[], wire.note("[0-3] cover"), [*wire.note("a"), *wire.note("b")]]))
    last = {"role": "user", "content": "go on"}
    assert wire.problems(sent(wire, [*log, ("user", last)], head)) == []


@every_wire
@given(data=st.data())
@many
def test_a_log_without_open_calls_is_valid(wire: Wire, data: st.DataObject) -> None:
    """The same where the log ends with a result whose call waited for nothing else."""
    log = data.draw(logs(wire))
    if log and log[-1][0] == "tool_result" and not waits(wire, log):
        assert wire.problems(sent(wire, log)) == []


@every_wire
@given(data=st.data())
@many
def test_a_longer_log_begins_with_the_shorter_ones_request(wire: Wire, data: st.DataObject) -> None:
    """At every place where a request could be sent, breakpoints aside."""
    log = data.draw(logs(wire))
    head = data.draw(st.sampled_from([[], wire.note("[0-3] cover")]))
    whole = flat(wire, sent(wire, log, head))
    for end in range(len(log)):
        if wire.name != "chat" or not waits(wire, log[:end]):
            begun = flat(wire, sent(wire, log[:end], head))
            assert whole[: len(begun)] == begun


@every_wire
@given(data=st.data())
@many
def test_nothing_that_was_handed_over_is_changed(wire: Wire, data: st.DataObject) -> None:
    """Neither the standing part nor any message, by any method."""
    log, head = data.draw(logs(wire)), wire.note("cover")
    before = copy.deepcopy((log, head, STANDING))
    sent(wire, log, head)
    for role, each in log:
        wire.pieces(each)
        wire.said(each)
        wire.calls(each) if role == "assistant" else wire.answers(each)
        wire.failures(each)
        if role == "user":
            wire.with_note(each, "a note")
    assert (log, head, STANDING) == before


@every_wire
@given(data=st.data())
@many
def test_every_word_of_user_and_model_goes_out(wire: Wire, data: st.DataObject) -> None:
    """And every result, in its place or as text: nothing is lost on the way but white space and lone surrogates."""
    log = data.draw(logs(wire))
    log.append(("user", {"role": "user", "content": "go on"}))
    everything = json.dumps(sent(wire, log))
    for role, each in log:
        for piece in wire.pieces(each):
            if piece.kind.name in ("USER", "TEXT", "RESULT") and piece.text.isalnum() and piece.text.isascii():
                assert piece.text in everything, (role, piece)


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=2)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                st.sampled_from(["role", "content", "type", "text", "id", "tool_calls", "call_id"]), st.integers()
            ),
            st.one_of(inner, st.sampled_from(["user", "assistant", "tool", "text", "tool_use", "function_call"])),
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@every_wire
@given(each=anything, role=st.sampled_from(ROLES))
@many
def test_refuse_answers_on_any_value_and_what_passed_can_be_read(wire: Wire, each: Any, role: Role) -> None:
    """Total, and everything else is total on what passed."""
    if wire.refuse(role, each) is None:
        wire.pieces(each)
        wire.calls(each) if role == "assistant" else wire.answers(each)
        wire.said(each)
        wire.failures(each)
        sent(wire, [(role, each)])
        if role == "user":
            assert wire.refuse("user", wire.with_note(each, "note")) is None


@every_wire
@given(data=st.data())
@many
def test_a_note_leaves_the_parts_as_they_were(wire: Wire, data: st.DataObject) -> None:
    """The words stay, the note's stand behind them."""
    each = data.draw(MESSAGES[wire.name]["user"])
    if wire.refuse("user", each) is None:
        noted = wire.with_note(each, "the note")
        assert wire.said(noted).startswith(wire.said(each))
        assert wire.said(noted).endswith("the note")
        assert wire.pieces(noted)[: len(wire.pieces(each))] == wire.pieces(each)
        assert wire.refuse("user", noted) is None


@every_wire
def test_our_tools_and_results_are_accepted(wire: Wire) -> None:
    """A tool of ours in the wire's form, and an answer to its call."""
    tools = wire.tools([Tool("zoom", "Opens.", {"type": "object"})])
    assert "zoom" in json.dumps(tools)
    for failed in (False, True):
        result = wire.result("a", "it is there", failed)
        assert wire.refuse("tool_result", result) is None
        assert wire.answers(result) == ["a"]
        assert wire.failures(result) == (["a"] if failed else [])
