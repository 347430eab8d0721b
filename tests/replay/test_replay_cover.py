"""The texts of a cover: one line, bounded, without anything that could move a cursor, and honest."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.replay.cover import (
    COLUMNS,
    clip,
    final_cover,
    first_sentence,
    merged_line,
    plain,
    title,
    user_words,
    width,
)
from foldcover_harness.transcripts.model import Turn


def test_a_title_holds_words_conclusion_and_counts() -> None:
    """What the user asked, what came out, how much was done."""
    turn = Turn(0, "why is CI red?", "The port was taken. More later.", 7)
    assert title(turn) == "why is CI red? -> The port was taken. (7 tool calls)"


def test_a_title_without_a_conclusion_or_calls() -> None:
    """Nothing is put in their place; a turn without words says so."""
    assert title(Turn(0, "ok", "", 1)) == "ok (1 tool call)"
    assert title(Turn(0, "ok")) == "ok"
    assert title(Turn(0, "", "Done, all of it.")) == "(no words) -> Done, all of it."


def test_a_merged_line_counts_and_quotes_both_ends() -> None:
    """It invents nothing."""
    turns = [Turn(0, "one", "", 2), Turn(1, "two", "", 0), Turn(2, "three", "", 3), Turn(3, "four", "", 1)]
    assert merged_line(turns) == "4 units, 6 tool calls: one ... four"


@given(st.text(), st.text(), st.integers(0, 10**6), st.integers(40, 120))
def test_every_line_is_one_bounded_printable_line(words: str, closing: str, calls: int, columns: int) -> None:
    """Whatever the texts hold."""
    turn = Turn(0, words, closing, calls)
    for line in (title(turn, columns), merged_line([turn, turn], columns)):
        assert line
        assert width(line) <= columns
        assert not {unicodedata.category(each) for each in line.replace("\u200d", "")} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
        assert line.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred\x1b[0m b", "ared b"),
        ("\x1b]0;title\x07x", "x"),
        ("a\r\nb\tc\x00d", "a b c d"),
        ("left \u202eright", "left right"),
        ("cut \ud83d emoji", "cut \ufffd emoji"),
        ("[bold]x[/bold]", "[bold]x[/bold]"),
        ("\u2028x", "x"),
    ],
)
def test_nothing_that_steers_a_terminal_is_left(text: str, shown: str) -> None:
    """Escapes, control and direction characters go; what looks like markup stays what it is."""
    assert plain(text) == shown


def test_a_text_is_cut_between_characters() -> None:
    """Wide ones count twice; a joined emoji leaves no joiner behind; a short text is not touched."""
    assert clip("\u6f22" * 10, 9) == "\u6f22" * 3 + "..."
    assert clip("ab\U0001f468\u200d\U0001f469\u200d\U0001f467cdefg", 7) == "ab\U0001f468..."
    assert clip("short", 5) == "short"
    assert clip("longer", 3) == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<bash-input>ls -l</bash-input>", "! ls -l"),
        ("what does <command-name> mean", "what does <command-name> mean"),
    ],
)
def test_a_command_is_shown_as_typed(text: str, shown: str) -> None:
    """Not as the client stores it."""
    assert user_words(text) == shown


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Fixed the race. It was in setup.", "Fixed the race."),
        ("Done. All 12 tests pass. Anything else?", "Done. All 12 tests pass."),
        ("**Two** `things`: 1. this 2. that", "Two things: 1. this 2. that"),
        ("no end", "no end"),
        ("", ""),
    ],
)
def test_the_first_sentence_that_says_something(text: str, sentence: str) -> None:
    """A single word takes the next sentence along; a number's dot ends none."""
    assert first_sentence(text) == sentence


def test_the_final_cover_is_the_cores() -> None:
    """The post's example, nine units at eight lines of 60 tokens."""
    turns = [Turn(number, f"turn {number}") for number in range(10)]
    shown = final_cover(turns, 9, 480)
    assert [line.address for line in shown] == ["[0-3]", "[4-5]", "[6-7]", "[8]"]
    assert shown[0].text() == "4 units, 0 tool calls: turn 0 ... turn 3"
    assert shown[3].text() == "turn 8"
    assert final_cover(turns, 0, 480) == ()
    assert all(width(line.text()) <= COLUMNS for line in shown)
