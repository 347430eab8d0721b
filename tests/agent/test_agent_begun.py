"""With which models a session is begun and gone on with: what is wrong begins none."""

from __future__ import annotations

from pathlib import Path

from tests.models.server import Server

from .driving import Desk


def test_a_counsel_of_another_wire_begins_no_session(tmp_path: Path) -> None:
    """It could not be sent the session's requests. Said before there is a session."""
    with Server("chat", []) as server:
        desk = Desk(tmp_path, server)
        wrong = desk.agent("--counsel", "anthropic:strong", "hi").wrong
    assert wrong == "anthropic:strong takes the wire anthropic, and openai:m chat"
    assert not desk.folder.exists()
    assert server.requests == []


def test_a_session_goes_on_at_another_address(tmp_path: Path) -> None:
    """With the model of its beginning, where the address alone is given."""
    with Server("chat", ["Hello."]) as before:
        desk = Desk(tmp_path, before)
        assert desk.agent("hi").code == 0
    with Server("chat", ["Here."]) as server:
        assert desk.resumed("--base-url", server.url, "where are you?") == (0, "Here.\n", "")
    assert server.bodies[0]["model"] == "m"
