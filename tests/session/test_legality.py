"""Which folds are legal: an illegal one is refused in one sentence, and nothing changed."""

from __future__ import annotations

import copy
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.session.legality import OURS, asked_of, foldable, ranges, refuse_fold, whole
from foldcover_harness.session.state import Asked, Entry, State, Turn
from foldcover_harness.session.wires import WIRES


def state(shape: str, asked: tuple[tuple[int, int], ...] = ()) -> State:
    """Return a session, a letter a turn: o open, f folded, c compacted."""
    user = Entry("user", {"role": "user", "content": "hi"})
    turns = {"o": Turn([user]), "f": Turn(None, unit=0), "c": Turn(None, compacted=True)}
    orders = [Asked(first, last, None) for first, last in asked]
    return State(WIRES["anthropic"], [copy.copy(turns[letter]) for letter in shape], asked=orders)


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 2), (1, 2)])
def test_closed_open_turns_can_be_folded(first: int, last: int) -> None:
    """One turn or many, and earlier ones may stay open."""
    assert refuse_fold(state("oooo"), first, last) is None
    assert asked_of(state("oooo"), {"from": first, "to": last}) == Asked(first, last, None)


@pytest.mark.parametrize(
    ("shape", "first", "last", "said"),
    [
        ("oooo", 0, 4, "There is no turn 4."),
        ("oooo", -1, 1, "There is no turn -1."),
        ("oooo", 10**400, 1, "There is no turn of that number."),
        ("oooo", 2, 1, "reversed"),
        ("oooo", 1, 3, "Turn 3 is in progress"),
        ("oooo", 3, 3, "Turn 3 is in progress"),
        ("offo", 0, 1, "Turn 1 is folded already, in unit 0"),
        ("ooco", 0, 2, "Turn 2 was compacted"),
        ("", 0, 0, "There is no turn 0. No turn can be folded now."),
        ("o", 0, 0, "No turn can be folded now."),
        ("offooo", 1, 3, "Turns that can be folded: 0, 3-4."),
    ],
)
def test_an_illegal_fold_is_refused(shape: str, first: int, last: int, said: str) -> None:
    """With what is wrong and the turns that could be folded."""
    before = state(shape)
    refused = refuse_fold(before, first, last)
    assert refused is not None
    assert said in refused
    assert "\n" not in refused
    assert before == state(shape)


def test_what_is_asked_for_already_is_not_asked_for_twice() -> None:
    """Two folds of one turn cannot overlap."""
    assert "was asked already" in (refuse_fold(state("oooo", ((0, 1),)), 1, 2) or "")
    assert refuse_fold(state("oooo", ((0, 1),)), 2, 2) is None


@pytest.mark.parametrize("value", [3, 3.0, "3", " 3 ", "3.0", "+3"])
def test_a_whole_number_may_come_in_any_dress(value: Any) -> None:
    """Models send numbers as texts and as floats."""
    assert whole(value) == 3


@pytest.mark.parametrize(
    "value", [True, False, None, 3.5, math.inf, math.nan, "three", "3.5", "", [3], {"n": 3}, "9" * 99]
)
def test_anything_else_is_no_number(value: Any) -> None:
    """A bool is none, though Python thinks so."""
    assert whole(value) is None
    assert isinstance(asked_of(state("oooo"), {"from": value, "to": 1}), str)
    assert isinstance(asked_of(state("oooo"), {"from": 0, "to": value}), str)


@pytest.mark.parametrize("title", [3, ["a"], {"a": 1}, True])
def test_a_title_is_a_text(title: Any) -> None:
    """Or nothing; a blank one counts as nothing."""
    assert isinstance(asked_of(state("oooo"), {"from": 0, "to": 1, "title": title}), str)
    assert asked_of(state("oooo"), {"from": 0, "to": 1, "title": " \n"}) == Asked(0, 1, None)
    assert asked_of(state("oooo"), {"from": 0, "to": 1, "title": "done"}) == Asked(0, 1, "done")


values = st.one_of(st.integers(), st.floats(), st.text(max_size=4), st.booleans(), st.none(), st.lists(st.integers()))


@given(shape=st.text("ofc", max_size=6), first=values, last=values, title=values)
def test_asking_is_total_and_legal_means_all_open(shape: str, first: Any, last: Any, title: Any) -> None:
    """Whatever the model sends: an order over open turns that are over, or a sentence."""
    found = asked_of(state(shape), {"from": first, "to": last, "title": title})
    if isinstance(found, str):
        assert found.endswith(".")
    else:
        assert 0 <= found.first <= found.last < len(shape) - 1
        assert set(shape[found.first : found.last + 1]) == {"o"}
        assert set(range(found.first, found.last + 1)) <= set(foldable(state(shape), len(shape) - 1))


def test_every_turn_named_as_foldable_is() -> None:
    """The sentence and the check agree."""
    for number in foldable(state("ofocoo"), 5):
        assert refuse_fold(state("ofocoo"), number, number) is None
    assert list(ranges([0, 1, 2, 5, 7, 8])) == ["0-2", "5", "7-8"]


@pytest.mark.parametrize("given_", [None, "{}", [], 3])
def test_an_input_that_is_no_object_is_refused(given_: Any) -> None:
    """Arguments that could not be read come as their text."""
    assert isinstance(asked_of(state("oooo"), given_), str)


def test_the_tools_are_the_three() -> None:
    """With a description and an object schema each."""
    assert [tool.name for tool in OURS] == ["fold_unit", "zoom", "search"]
    assert all(tool.description and tool.schema["type"] == "object" for tool in OURS)
