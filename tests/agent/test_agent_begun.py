"""With which models a session is begun and gone on with: what is wrong begins none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.models.server import Server

from foldcover_harness.session.wires import WIRES

from .driving import NAMES, Desk, Ran

every_wire = pytest.mark.parametrize("wire", tuple(WIRES))


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


ELSEWHERE = "http://127.0.0.1:1/v1"
"""Nobody is there."""


def test_another_model_is_asked_where_the_session_was_begun(tmp_path: Path) -> None:
    """Be it named now or by a variable of the user's; its bare name is of the same kind."""
    with Server("chat", ["One.", "Two.", "Three.", "Four."]) as server:
        desk = Desk(tmp_path, server)
        assert desk.agent("first").code == 0
        desk.environment["OPENAI_BASE_URL"] = ELSEWHERE
        assert desk.resumed("--model", "openai:n", "second") == Ran(0, "Two.\n", "")
        assert desk.resumed("--model", "n:free", "third") == Ran(0, "Three.\n", "")
        desk.environment["FOLDCOVER_MODEL"] = "anthropic:o"  # for new sessions
        assert desk.resumed("fourth") == Ran(0, "Four.\n", "")
    assert [body["model"] for body in server.bodies] == ["m", "n", "n:free", "m"]


def test_a_model_of_another_kind_is_not_asked_there(tmp_path: Path) -> None:
    """Its own variables count."""
    with Server("chat", ["One."]) as server:
        desk = Desk(tmp_path, server)
        assert desk.agent("first").code == 0
        desk.environment["OPENAI_BASE_URL"] = "none"
        wrong = desk.resumed("--model", "responses:n", "second").wrong
    assert wrong.startswith("responses:n: 'none' is no address of a server")
    assert len(server.requests) == 1


@every_wire
def test_the_address_of_a_variable_is_kept(tmp_path: Path, wire: str) -> None:
    """A session goes on there when the variable is gone, or another; an address that is given goes before."""
    variable = "ANTHROPIC_BASE_URL" if wire == "anthropic" else "OPENAI_BASE_URL"
    with Server(wire, ["One.", "Two.", "Three."]) as server, Server(wire, ["Here."]) as other:
        desk = Desk(tmp_path, server)
        desk.environment[variable] = server.url
        begun = desk.begun("agent", "--model", NAMES[wire], "--dir", desk.folder, "first").done()
        assert begun == Ran(0, "One.\n", "")
        desk.environment[variable] = ELSEWHERE
        assert desk.resumed("second") == Ran(0, "Two.\n", "")
        del desk.environment[variable]
        assert desk.resumed("third") == Ran(0, "Three.\n", "")
        assert desk.resumed("--base-url", other.url, "fourth") == Ran(0, "Here.\n", "")
    assert server.problems == []


@every_wire
def test_a_password_is_not_kept(tmp_path: Path, wire: str) -> None:
    """Nowhere on the disk. It is asked for again, or comes out of the variable that has it for this address."""
    variable = "ANTHROPIC_BASE_URL" if wire == "anthropic" else "OPENAI_BASE_URL"
    with Server(wire, ["One.", "Two.", "Three."]) as server:
        desk = Desk(tmp_path, server)
        address = server.url.replace("//", "//me:se%40cret@")
        first = desk.begun("agent", "--model", NAMES[wire], "--base-url", address, "--dir", desk.folder, "hi").done()
        assert first == Ran(0, "One.\n", "")
        assert not [path for path in desk.folder.rglob("*") if path.is_file() and b"cret" in path.read_bytes()]
        wrong = desk.resumed("again").wrong
        assert wrong == f"{server.url} had a user or a password, which is not kept: give it again with --base-url"
        assert desk.resumed("--base-url", address, "again") == Ran(0, "Two.\n", "")
        desk.environment[variable] = f"{address}/"
        assert desk.resumed("once more") == Ran(0, "Three.\n", "")
    assert len({request.headers["authorization"] for request in server.requests}) == 1


@pytest.mark.parametrize("wrong", [("--base-url", ""), ("--base-url", "http://"), ("--timeout", "nan")])
def test_what_is_none_begins_no_session(tmp_path: Path, wrong: tuple[str, str]) -> None:
    """Nor does a session go on with it."""
    with Server("chat", ["One."]) as server:
        desk = Desk(tmp_path, server)
        assert desk.agent(*wrong, "hi").wrong.endswith(
            ("is no number of seconds to wait for an answer", "https://HOST/...")
        )
        assert not desk.folder.exists()
        assert desk.agent("hi").code == 0
        assert desk.resumed(*wrong, "on").wrong
    assert len(server.requests) == 1


def test_a_local_model_has_no_address(tmp_path: Path) -> None:
    """It is not ignored."""
    desk = Desk(tmp_path)
    done = desk.begun("agent", "--model", "local", "--base-url", ELSEWHERE, "--dir", desk.folder, "hi").done()
    assert done.wrong == "local runs here, and --base-url is the address of a server: leave one of them out"
    assert not desk.folder.exists()
