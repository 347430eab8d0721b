"""Numbers that the user types after a slash command."""

from __future__ import annotations

from pathlib import Path

from tests.models.server import Server

from .driving import Desk


def test_what_is_no_number_is_told_what_would_be_right(tmp_path: Path) -> None:
    """However long; spaces between do not matter."""
    long = "9" * 5_000
    with Server("chat", ["Hello.", "Again."]) as server:
        desk = Desk(tmp_path, server)
        lines = [
            "one",
            f"/fold 0 {long}",
            f"/zoom {long} 0",
            "/fold 0",
            "/zoom 0 0 0",
            "two",
            "/fold  0   0  greetings",
        ]
        done = desk.agent(given="".join(f"{line}\n" for line in lines))
    usage = ["/fold takes the numbers of two turns, and a title if you like", "/zoom takes the numbers of two units"]
    assert done.code == 0
    assert done.lines[1:5] == usage * 2
    assert done.lines[5].startswith("folded: greetings [turn 0;")
