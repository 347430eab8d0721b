"""What the terminal keeps of an answer."""

from __future__ import annotations

from foldcover_harness.agent.terminal import Terminal


def test_the_words_are_those_of_the_last_answer() -> None:
    """Also where that one has none; what came again from nothing counts once."""
    screen = Terminal(silent=True)
    for piece in ("Let me ", "look."):
        screen.piece("text", piece)
    screen.answered(None)
    assert screen.text == "Let me look."
    screen.answered(None)
    assert screen.text == ""
    screen.piece("text", "Half of")
    screen.piece("again", "it broke off")
    screen.piece("text", "Whole.")
    screen.answered(None)
    assert screen.text == "Whole."
