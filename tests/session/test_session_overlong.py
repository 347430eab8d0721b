"""A turn that outgrows the window by itself: its middle is compacted before a request, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from foldcover_harness.session import Session, archive
from foldcover_harness.session.checking import examine, original
from foldcover_harness.session.place import JOURNAL
from foldcover_harness.session.wires.wire import Message

from .scripted import WIRE_NAMES, Quick, created, problems, reads, result, says, standing_of, text, turn, user

every_wire = pytest.mark.parametrize("wire", WIRE_NAMES)
WINDOW = 4_000
MOST = 0.92 * WINDOW


class Summarizer:
    """A model that writes summaries, and what it was given."""

    def __init__(self) -> None:
        self.given: list[Sequence[Message]] = []

    def __call__(self, messages: Sequence[Message]) -> str:
        """A short summary."""
        self.given.append(messages)
        return f"summary number {len(self.given)}"


def steps(session: Session, first: int, last: int, size: int = 600) -> list[int]:
    """Steps of a turn, each two calls and their results; the tokens of each request that is sent."""
    wire, tokens = session.state.wire.name, list[int]()
    for number in range(first, last):
        session.request()
        tokens.append(session.load().tokens)
        assert problems(session) == []
        session.assistant(says(wire, f"step {number}", reads(f"a{number}"), reads(f"b{number}")))
        for name in "ab":
            session.tool_result(result(wire, f"{name}{number}", f"found {number} " + "x" * size))
    return tokens


@every_wire
def test_a_long_turn_stays_below_the_window(tmp_path: Path, wire: str) -> None:
    """Every request is valid and below the limit; standing part, cover and the user's message stay as they were."""
    summarize = Summarizer()
    with created(tmp_path, wire, summarize=summarize, window=WINDOW) as session:
        turn(session, "an earlier task", [reads("z")])
        session.user(user("the long task"))
        session.fold(0, 0)
        before, cover = standing_of(session.request()), session.cover()
        tokens = steps(session, 0, 40)
        assert max(tokens) < MOST
        assert len(summarize.given) > 2
        assert standing_of(session.request()) == before
        assert session.cover() == cover
        sent = text(session.request())
        assert sent.count("the long task") == 1
        assert sent.index(f"summary number {len(summarize.given)}") < sent.index("the long task")
        assert "found 39 " in sent
        assert "found 5 " not in sent
        assert "summary number 1" in json.dumps(summarize.given[1])
        session.assistant(says(wire, "All done."))
        report = session.end_turn()
        assert report.compacted
        assert len([line for line in report.said if "was compacted" in line]) == len(summarize.given)
        assert not session.end_turn().compacted
        shown = json.dumps(session.request())
    assert examine(tmp_path, JOURNAL)[:2] == ((), ())
    with Session.open(tmp_path, read_only=True) as again:
        assert json.dumps(again.request()) == shown


def test_what_left_is_in_archives_and_found(tmp_path: Path) -> None:
    """Each message of the log stands in the tail or in exactly one archive; search finds those of every compaction."""
    with created(tmp_path, summarize=Summarizer(), window=WINDOW) as session:
        session.user(user("the long task"))
        steps(session, 0, 20)
        session.request()
        archived = [
            json.dumps(message)
            for name in session.state.compactions[0].archives
            for message in archive.read(tmp_path / "archives" / name)[1]
        ]
        tail = [json.dumps(entry.message) for entry in session.state.turns[0].entries or ()]
        log = [json.dumps(message) for message in original(tmp_path, JOURNAL)]
        assert sorted(archived + tail) == sorted(log)
        assert [*tail[:1], *archived, *tail[1:]] == log
        assert session.search("found 0 x").hits
        assert session.search("found 9 x").hits


def test_a_turn_that_was_shortened_can_be_folded(tmp_path: Path) -> None:
    """Its receipt says where the rest is; the export has everything; a fold of it is no nested one."""
    with created(tmp_path, summarize=Summarizer(), window=WINDOW) as session:
        session.user(user("the long task"))
        steps(session, 0, 20)
        session.assistant(says("anthropic", "All done."))
        session.end_turn()
        session.user(user("next"))
        session.fold(0, 0)
        receipt = archive.read(tmp_path / "archives" / session.state.units[0].archive)[0]
        names = session.state.compactions[0].archives
        assert [
            name
            for name in names
            if f"compacted earlier, and not counted here: the messages in archives/{name}" in receipt
        ] == [*names]
        assert "the long task" in receipt
        assert problems(session) == []
        assert "found 19 " not in text(session.request())
    assert examine(tmp_path, JOURNAL)[:2] == ((), ())


def test_what_cannot_help_is_not_tried(tmp_path: Path) -> None:
    """One result as large as the window: it is said, and no model is asked."""
    summarize = Summarizer()
    with created(tmp_path, summarize=summarize, window=WINDOW) as session:
        session.user(user("the long task"))
        steps(session, 0, 1)
        session.assistant(says("anthropic", "now the large one", reads("big")))
        session.tool_result(result("anthropic", "big", "y" * 40_000))
        session.request()
        assert summarize.given == []
        session.assistant(says("anthropic", "Too large."))
        session.request()
        assert len(summarize.given) == 1
        assert "Too large." in text(session.request())
        report = session.end_turn()
        assert report.compacted
        assert "it is without all that a summary could replace" in report.said[0]


def test_a_model_that_fails_is_asked_again_when_the_log_has_grown(tmp_path: Path) -> None:
    """Not at each request for the same log; what it raised is said once, and nothing is lost."""
    asked: list[int] = []

    def away(messages: Sequence[Message]) -> str:
        asked.append(len(messages))
        raise TimeoutError("the model is away")

    with created(tmp_path, summarize=away, window=WINDOW) as session:
        session.user(user("the long task"))
        steps(session, 0, 10)
        before = len(asked)
        for _ in range(3):
            session.request()
        assert len(asked) == before + 1
        session.assistant(says("anthropic", "Done."))
        said = session.end_turn().said
        assert [line for line in said if "the model is away" in line] == [*said]
        assert len(said) == 1
        assert len(session.state.turns[0].entries or ()) == 32


def test_a_reader_compacts_nothing(tmp_path: Path) -> None:
    """A session that is open for reading shows what is there."""
    with created(tmp_path, window=WINDOW) as session:
        session.user(user("the long task"))
        steps(session, 0, 10)
    size = (tmp_path / JOURNAL).stat().st_size
    with Session.open(tmp_path, summarize=Summarizer(), disk=Quick(), read_only=True) as session:
        assert "found 0 " in text(session.request())
    assert (tmp_path / JOURNAL).stat().st_size == size
