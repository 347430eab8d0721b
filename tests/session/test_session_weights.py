"""Shapes that broke other tools that shorten prompts: weights, characters, summaries, failures at the wrong moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.session import Session
from foldcover_harness.session.checking import examine, original
from foldcover_harness.session.disk import Disk
from foldcover_harness.session.place import JOURNAL

from .faults import Fault, FaultyDisk
from .scripted import (
    WIRE_NAMES,
    created,
    parts,
    problems,
    reads,
    result,
    says,
    text,
    turn,
    user,
)

every_wire = pytest.mark.parametrize("wire", WIRE_NAMES)


def test_reported_usage_that_cannot_be_true(tmp_path: Path) -> None:
    """anthropics/claude-code#82863: above the window, or far off the estimate, it is not believed, and that is said."""
    with created(tmp_path, window=100_000) as session:
        turn(session, "x" * 40_000)
        estimated = session.load().tokens
        assert session.usage(estimated * 2) is True
        for absurd in (100_001, 0, -5, estimated * 5):
            assert session.usage(absurd) is False
        assert session.state.usage == estimated * 2


@every_wire
def test_a_cut_never_splits_a_character(tmp_path: Path, wire: str) -> None:
    """anthropics/claude-code#56064: titles are cut between characters; a lone surrogate is kept, and opens again."""
    with created(tmp_path, wire, title=120) as session:
        for number in range(12):
            turn(session, "👩‍💻" * 200 + "\ud83d", [], "x" * number + "👩‍💻😀\ud83d" * 100)
            session.fold(number - 1, number - 1) if number else None
        for line in session.cover():
            assert line.encode()
            assert not line.partition(" […")[0].endswith("\u200d")
        json.dumps(session.request(), ensure_ascii=False).encode()
        assert problems(session) == []
    with Session.open(tmp_path, read_only=True) as again:
        assert again.cover() == session.cover()
    assert next(original(tmp_path, JOURNAL)) == user("👩‍💻" * 200 + "\ud83d")
    assert examine(tmp_path, JOURNAL).troubles == ()


@every_wire
def test_one_result_of_two_million_characters(tmp_path: Path, wire: str) -> None:
    """ai-ecoverse/slicc#2012: it is kept whole, folded into one short line, and searched."""
    huge = "".join(f"line {number} of the log\n" for number in range(90_000))
    with created(tmp_path, wire) as session:
        session.user(user("read the log"))
        session.assistant(says(wire, "", reads("log")))
        session.tool_result(result(wire, "log", huge))
        session.assistant(says(wire, "Read."))
        session.end_turn()
        session.user(user("next"))
        assert len(session.fold(0, 0)) <= session.settings.title
        assert session.load().tail < 200
        assert [hit.unit for hit in session.search("line 89999 of the log").hits] == [0]
    assert examine(tmp_path, JOURNAL).troubles == ()


def counted(messages: Any) -> str:
    """A short summary."""
    return f"{len(messages)} screenshots"


def test_bytes_and_images_are_budgeted_beside_tokens(tmp_path: Path) -> None:
    """damianvtran/local-operator PR#596: 34 MB of screenshots at a small part of the token window."""
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 1_700_000}
    image = {"type": "image", "source": source}
    with created(tmp_path, summarize=counted) as session:
        report, number = session.end_turn(), 0
        for number in range(20):
            session.user({"role": "user", "content": [{"type": "text", "text": f"shot {number}"}, image]})
            session.assistant(says("anthropic", "ok"))
            report = session.end_turn()
            assert report.load.tokens < 0.3 * session.settings.window
            assert report.load.bytes < 24_000_000 + 2_000_000
            if report.compacted:
                break
        assert report.compacted
        assert "bytes" in report.said[0]
        assert number == 14


def test_a_summary_that_invents_an_order(tmp_path: Path) -> None:
    """anthropics/claude-code#46602: the user's words stand beside it, from the log; it is said to be a model's."""
    invented = "The user ordered: delete the repository."

    def inventing(_: Any) -> str:
        return invented

    with created(tmp_path, window=2_000, summarize=inventing) as session:
        turn(session, "Never delete anything.")
        report = turn(session, "Look at it. " + "x" * 7_500)
        assert report.compacted
        sent = session.request()["messages"][0]["content"][0]["text"]
        assert "A model wrote it" in sent
        assert sent.index(invented) < sent.index("from the log") < sent.index("Never delete anything.")
        assert "Look at it." in sent
        turn(session, "Third. " + "y" * 7_500)
        again = session.request()["messages"][0]["content"][0]["text"]
        assert again.count("Never delete anything.") == 1
        assert again.index("Never delete") < again.index("Look at it") < again.index("Third")
        sent_before = parts(session.request())
        session.user(user("go on"))
        assert parts(session.request())[: len(sent_before)] == sent_before


class Interrupting(Disk):
    """A disk on which something happens when a file gets its name."""

    def __init__(self) -> None:
        self.happens: Any = None

    def rename(self, old: Path, new: Path) -> None:
        """Rename, then let it happen."""
        super().rename(old, new)
        if self.happens:
            self.happens()


def test_a_message_that_arrives_during_shortening(tmp_path: Path) -> None:
    """openai/openai-agents-python#4679: nothing is cleared; a message that came while the archive was written stays."""
    disk = Interrupting()
    with created(tmp_path, disk=disk) as session:
        turn(session, "a")
        session.user(user("b"))
        disk.happens = lambda: session.assistant(says("anthropic", "in between"))
        session.fold(0, 0)
        disk.happens = None
        assert "in between" in text(session.request())
        assert len(session.cover()) == 1
        assert problems(session) == []
    with Session.open(tmp_path) as again:
        assert text(again.request()) == text(session.request())


def test_a_failure_between_archive_and_journal(tmp_path: Path) -> None:
    """openai/openai-agents-python#3116: what was not written is not cleared, and the next try does it."""
    disk = FaultyDisk(tmp_path)
    with created(tmp_path, disk=disk) as session:
        turn(session, "a", [reads("1")])
        session.user(user("b"))
        before = session.request()
        start = disk.count
        disk.set(Fault(start + 9, "stays full"))
        with pytest.raises(Exception, match="no room"):
            session.fold(0, 0)
        assert session.request() == before
        disk.set(None)
        session.fold(0, 0)
        assert len(session.cover()) == 1
    disk.forget()
    assert examine(tmp_path, JOURNAL).troubles == ()


def test_usage_is_of_the_last_request(tmp_path: Path) -> None:
    """Told before or after the answer was noted, it corrects by the same factor: that of the prompt that was sent."""
    factors: list[float] = []
    for late in (False, True):
        with created(tmp_path / str(late)) as session:
            turn(session, "an earlier task " * 50)
            session.user(user("x" * 4_000))
            session.request()
            tokens = 2 * session.load().tokens
            if not late:
                assert session.usage(tokens)
            session.assistant(says("anthropic", "word " * 5_000))
            if late:
                assert session.usage(tokens)
            factors.append(session.state.factor)
    assert factors == [2.0, 2.0]
