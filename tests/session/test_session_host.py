"""What the host says in a user's place, and what it keeps for itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from foldcover_harness.session import Session, SessionError
from foldcover_harness.session.archive import read
from foldcover_harness.session.wires.wire import Message

from .scripted import WIRE_NAMES, created, problems, reads, says, text, turn, user

every_wire = pytest.mark.parametrize("wire", WIRE_NAMES)


@every_wire
def test_the_hosts_words_open_a_turn_and_are_never_the_users(tmp_path: Path, wire: str) -> None:
    """They go out as a user's message; card and receipt say whose they are."""
    with created(tmp_path, wire, card_calls=1) as session:
        turn(session, "look into the flaky test", [reads("a")])
        session.host("rules of the errand")
        session.assistant(says(wire, "Understood."))
        assert "rules of the errand" in text(session.request())
        assert problems(session) == []
        card = session.card()
        assert card is not None
        assert "turn 1 · " in card
        assert "opened by the host" in card
        session.user(user("go on"))
        title = session.fold(0, 1)
        receipt, messages = read(tmp_path / "archives" / session.state.units[0].archive)
        assert "user, turn 0:\n| look into the flaky test\nhost, turn 1:\n| rules of the errand" in receipt
        assert len(messages) == 6
        assert title.startswith("Understood.")


@every_wire
def test_a_turn_of_the_host_may_cut_a_turn_in_progress(tmp_path: Path, wire: str) -> None:
    """Behind the results of calls, so that the model reads both; the turn before it is over."""
    with created(tmp_path, wire) as session:
        session.user(user("find out why"))
        session.assistant(says(wire, "", reads("a")))
        session.tool_result(session.wire.result("a", "done"))
        before = session.request()
        session.host("a report arrived")
        assert problems(session) == []
        key = "input" if wire == "responses" else "messages"
        assert len(session.request()[key]) >= len(before[key])
        session.fold(0, 0, "found out")
        assert problems(session) == []
        assert "a report arrived" in text(session.request())


def test_a_compaction_quotes_the_host_as_the_host(tmp_path: Path) -> None:
    """The rules of a strategy survive the emergency, and are not shown as an order of the user."""

    def summarize(messages: Sequence[Message]) -> str:
        return "a summary"

    with created(tmp_path, window=2_000, summarize=summarize) as session:
        session.host("rules: read only")
        session.assistant(says("anthropic", "x" * 9_000))
        assert session.end_turn().compacted
        assert "turn 0, the host:\n| rules: read only" in text(session.request()).replace("\\n", "\n")


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    """The last value under a name counts, also after a reopening; it never goes into a prompt."""
    value = {"stack": ["errand"]}
    with created(tmp_path) as session:
        turn(session, "hello")
        before = session.request()
        session.keep("strategies", value)
        session.keep("strategies", {**value, "report": "half done"})
        session.keep("other", 1)
        value["stack"].append("changed by the caller")
        assert session.request() == before
        with pytest.raises(SessionError, match="cannot be kept as JSON"):
            session.keep("strategies", {1: 2})
    with Session.open(tmp_path, read_only=True) as session:
        assert session.kept("strategies") == {"stack": ["errand"], "report": "half done"}
        assert session.kept("none") is None
        assert session.doctor().troubles == ()
        assert "stack" not in json.dumps(session.request())


def test_the_hosts_words_must_be_text_that_can_be_kept(tmp_path: Path) -> None:
    """An empty message is refused, as one of the user's is."""
    with created(tmp_path) as session:
        with pytest.raises(SessionError):
            session.host("")
        assert session.state.turns == []
