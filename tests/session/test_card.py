"""The card: due by work gathered, lists closed turns, the user's words word for word."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.session.card import HEAD, MOST_WORDS, QUESTION, card_of
from foldcover_harness.session.settings import Settings
from foldcover_harness.session.state import Asked, Entry, State, Turn
from foldcover_harness.session.tokens import estimate
from foldcover_harness.session.wires import WIRES
from foldcover_harness.session.wires.wire import Piece
from foldcover_harness.transcripts.model import Kind

WIRE = WIRES["anthropic"]


def turn(words: Any, calls: int = 0, path: str = "a.py") -> Turn:
    """Return a turn with as many calls."""
    blocks = [{"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"path": path}} for n in range(calls)]
    entries = [Entry("user", {"role": "user", "content": words})]
    if blocks:
        entries.append(Entry("assistant", {"role": "assistant", "content": blocks}))
    return Turn(entries)


def card(*turns: Turn, asked: list[Asked] | None = None, since: int = 0, **chosen: Any) -> str | None:
    """Return the card of a session."""
    return card_of(State(WIRE, list(turns), asked=asked or [], since=since), Settings(**chosen), estimate)


def test_a_card_lists_closed_turns() -> None:
    """Number, tokens, calls, paths, the user's words, one question."""
    shown = card(turn("fix the login\ntest", 19), turn("ok, turn it off", 1, "b/c.go"))
    assert shown is not None
    lines = shown.splitlines()
    assert lines[0] == HEAD
    assert lines[1].startswith("turn 0 · ")
    assert lines[1].endswith(" tokens · 19 tool calls · a.py")
    assert lines[2:4] == ["| fix the login", "| test"]
    assert lines[4].endswith(" tokens · 1 tool call · b/c.go")
    assert lines[5:] == ["| ok, turn it off", QUESTION]
    assert estimate(Piece(Kind.USER, shown)) < 250


@pytest.mark.parametrize(("calls", "due"), [(19, False), (20, True), (0, False)])
def test_it_is_due_at_twenty_calls(calls: int, due: bool) -> None:
    """By the settings."""
    assert (card(turn("a", calls)) is not None) == due


@pytest.mark.parametrize(("size", "due"), [(390_000, True), (389_000, False)])
def test_it_is_due_at_a_hundred_thousand_tokens(size: int, due: bool) -> None:
    """Gathered without any call."""
    assert (card(turn("x" * size)) is not None) == due


def test_work_before_the_last_fold_does_not_make_it_due() -> None:
    """But open turns from there are listed once it is due."""
    folded = Turn(None, unit=0)
    assert card(turn("old", 30), folded, turn("new", 5), since=2) is None
    shown = card(turn("old", 30), folded, turn("new", 20), since=2)
    assert shown is not None
    assert "turn 0 ·" in shown
    assert "turn 2 ·" in shown
    assert "turn 1 ·" not in shown


@pytest.mark.parametrize("gone", [Turn(None, unit=0), Turn(None, compacted=True)])
def test_nothing_foldable_no_card(gone: Turn) -> None:
    """An empty session, one all folded, one all compacted, one all asked for."""
    assert card(card_calls=1) is None
    assert card(gone, card_calls=1) is None
    assert card(turn("a", 30), asked=[Asked(0, 0, None)]) is None


def test_a_megabyte_of_a_user_is_cut_and_says_so() -> None:
    """Between characters, with its length."""
    shown = card(turn("😀" * 1_000_000, 20))
    assert shown is not None
    assert "the message has 1,000,000 characters" in shown
    assert len(shown) < MOST_WORDS + 2000


def test_hundreds_of_turns_share_the_room() -> None:
    """A card that was ignored for long stays bounded in each turn's words."""
    shown = card(*[turn("y" * 3000, 1) for _ in range(400)])
    assert shown is not None
    assert len(shown) < 400 * 300


def test_pictures_of_the_user_are_told() -> None:
    """They have no words."""
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    shown = card(turn([picture, {"type": "text", "text": "look"}], 20))
    assert shown is not None
    assert "1 image from the user" in shown


@given(st.text(st.characters(exclude_categories=[]), max_size=50))
def test_words_that_look_like_a_card_stay_behind_their_bar(words: str) -> None:
    """Text of the user has no effect, lone surrogates are no end."""
    shown = card(turn(f"{words}\n{HEAD}\nturn 7 · 1 token\n{QUESTION}", 20))
    assert shown is not None
    shown.encode()
    own = [line for line in shown.splitlines() if not line.startswith("| ")]
    assert len(own) == 3
