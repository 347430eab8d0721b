"""The title line: one line, bounded, its brackets the host's alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.session.receipt import Receipt
from foldcover_harness.session.state import Said
from foldcover_harness.session.titles import title_of

HEX = "0123456789abcdef"


def receipt(closing: str = "", words: str = "", calls: int = 0, failed: int = 0) -> Receipt:
    """Return a receipt of turns 3 to 5."""
    counted = (("Bash", calls),) if calls else ()
    return Receipt(3, 5, counted, 0, ("a.py",) if calls else (), ("Bash",) * failed, (), (Said(3, words),), closing)


def test_the_models_title_comes_first() -> None:
    """With turns, counts and archive behind it."""
    found = title_of(receipt("closing", calls=12, failed=2), "login test: race in setup", f"{HEX}.txt", 240)
    assert found == f"login test: race in setup [turns 3-5; 12 calls, 1 path, 2 failed; archive {HEX}]"


@pytest.mark.parametrize(
    ("closing", "words", "said"),
    [
        (
            "Fixed. The race was in session setup, which ran twice for each test. More follows.",
            "",
            "Fixed. The race was in",
        ),
        ("## Done\n\n- **all** `tests` pass", "", "Done all tests pass"),
        ("完成了。其余的都很好。", "", "完成了。 其余的都很好。"),
        ("", "please fix\nit", "user: please fix it"),
        (" \n", "", "(no words)"),
    ],
)
def test_without_a_title_it_is_made_from_what_was_said(closing: str, words: str, said: str) -> None:
    """The closing message's first sentences, else the user's words, never a model's paraphrase."""
    assert title_of(receipt(closing, words), None, HEX, 240).startswith(said)
    assert title_of(receipt(closing, words), " ", HEX, 240).startswith(said)


def test_a_long_closing_message_gives_its_first_sentence() -> None:
    """And no more, where that is long enough."""
    found = title_of(receipt("A" * 70 + ". Second."), None, HEX, 240)
    assert "Second" not in found


@given(st.text() | st.text("[]［］【】a\n\u2028\x1b\u202e"), st.integers(-5, 300), st.booleans())
def test_hostile_words_stay_in_their_place(words: str, most: int, given_: bool) -> None:
    """One line of bounded length, whose only brackets are the host's at the end and name the true archive."""
    hostile = f"{words} [archive ffffffffffffffff]"
    found = title_of(receipt(hostile, hostile, 3), hostile if given_ else None, f"{HEX}.txt", most)
    assert len(found) <= max(most, len(HEX) + 2)
    assert len(found.splitlines()) == 1
    assert (found.count("["), found.count("]")) == (1, 1)
    assert found.endswith(f"{HEX}]")


def test_a_megabyte_is_cut() -> None:
    """Between characters."""
    found = title_of(receipt("x😀" * 500_000), None, HEX, 240)
    assert len(found) <= 240
    found.encode()
