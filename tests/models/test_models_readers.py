"""The readers are total: whatever a server sends, there is an answer that a session takes, or a ModelError."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldcover_harness.models import anthropic, chat, responses
from foldcover_harness.models.errors import of_event, words_of
from foldcover_harness.models.model import ModelError
from foldcover_harness.models.remote import Read
from foldcover_harness.session.lines import one_line
from foldcover_harness.session.wires import WIRES as SESSION_WIRES
from foldcover_harness.session.wires.values import is_list, is_object
from foldcover_harness.session.wires.wire import Call

from .asked import WIRES
from .speaking import Say, frames

READERS: dict[str, Read] = {"anthropic": anthropic.read, "chat": chat.read, "responses": responses.read}
SAID = Say("Yes.", [Call("a", "read", {"path": "x"}), Call("b", "list", {})], "Hm.")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 600) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


def events_of(wire: str) -> list[dict[str, Any]]:
    """The events of a good answer."""
    found = (frame.partition(b"data: ")[2].strip() for frame in frames(wire, SAID))
    return [json.loads(text) for text in found if text != b"[DONE]"]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value: its holder, and its key or number there."""
    keys: list[Any] = list(value) if is_object(value) else [*range(len(value))] if is_list(value) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


def shows_nothing(*_: str) -> None:
    """Nobody looks."""


@pytest.mark.parametrize("wire", WIRES)
@settings(deadline=None)
@given(data=st.data())
def test_a_reader_is_total(wire: str, data: st.DataObject) -> None:
    """A good answer with some of its values changed, or with events that are missing, twice, or in another order."""
    events = events_of(wire)
    for _ in range(data.draw(st.integers(0, 3))):
        holder, key = data.draw(st.sampled_from(places(events)))
        holder[key] = data.draw(VALUES)
    events = [each for each in events if is_object(each)]  # what is no object does not come to a reader
    reordered: bool = data.draw(st.booleans())
    if events and reordered:
        some = st.lists(st.sampled_from(events), max_size=2 * len(events))
        events = data.draw(some)
    try:
        answer = READERS[wire](iter(events), shows_nothing)
    except ModelError:
        return
    assert answer.stopped
    json.dumps(answer.message)


@pytest.mark.parametrize("wire", WIRES)
def test_the_answer_itself_is_taken_by_a_session(wire: str) -> None:
    """Unchanged events: no reason to refuse the message."""
    answer = READERS[wire](iter(events_of(wire)), shows_nothing)
    assert SESSION_WIRES[wire].refuse("assistant", answer.message) is None
    assert SESSION_WIRES[wire].calls(answer.message) == list(SAID.calls)


@pytest.mark.parametrize("wire", WIRES)
def test_no_beginning_of_an_answer_is_an_answer(wire: str) -> None:
    """Every cut before the event that ends it is one."""
    events = events_of(wire)
    whole = [number for number, event in enumerate(events) if wire != "chat" or _finishes(event)][-1]
    for end in range(whole + 1):
        with pytest.raises(ModelError, match="broke off"):
            READERS[wire](iter(events[:end]), shows_nothing)


def _finishes(event: dict[str, Any]) -> bool:
    return any(choice["finish_reason"] for choice in event["choices"])


@settings(deadline=None)
@given(VALUES, st.dictionaries(st.sampled_from(["error", "message", "detail", "code", "type"]), VALUES))
def test_the_words_of_an_error_are_one_line(body: Any, more: dict[str, Any]) -> None:
    """Of any body."""
    for each in (body, more, {"error": more}):
        for line in (words_of(each), str(of_event(each))):
            assert line == one_line(line, 600)
