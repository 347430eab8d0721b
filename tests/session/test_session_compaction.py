"""Compaction, the emergency: only when nearly full, only the tail, archived first, and never in a loop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.session import Session, archive
from foldcover_harness.session.checking import examine, original
from foldcover_harness.session.place import JOURNAL
from foldcover_harness.session.wires.wire import Message

from .scripted import (
    WIRE_NAMES,
    Quick,
    created,
    folds,
    parts,
    problems,
    reads,
    result,
    says,
    standing_of,
    text,
    turn,
    user,
)

every_wire = pytest.mark.parametrize("wire", WIRE_NAMES)
SIZE: dict[str, Any] = {"window": 2_000}


class Summarizer:
    """A model that writes summaries, and what it was given."""

    def __init__(self) -> None:
        self.given: list[Sequence[Message]] = []

    def __call__(self, messages: Sequence[Message]) -> str:
        """A short summary."""
        self.given.append(messages)
        return f"summary number {len(self.given)}"


@every_wire
def test_it_comes_when_nearly_full_and_touches_the_tail_only(tmp_path: Path, wire: str) -> None:
    """Standing part and cover stay, byte for byte; the summary stands where the tail stood; all is archived."""
    summarize = Summarizer()
    with created(tmp_path, wire, summarize=summarize, **SIZE) as session:
        turn(session, "first", [reads("a")])
        turn(session, "second", [folds("f", 0, 0)])
        cover = session.cover()
        report = turn(session, "y" * 3_000)
        assert (report.compacted, report.said, summarize.given) == (False, (), [])
        before = session.request()
        report = turn(session, "z" * 3_500, [reads("b")])
        assert report.compacted
        assert len(summarize.given) == 1
        after = session.request()
        assert standing_of(after) == standing_of(before)
        assert session.cover() == cover
        head = 2 if wire == "anthropic" else 1
        same = len(parts({**before, "messages": before["messages"][:head]})) if "messages" in before else 1
        assert parts(after)[:same] == parts(before)[:same]
        sent = text(after)
        assert "summary number 1" in sent
        assert "result of b" not in sent
        assert problems(session) == []
        assert report.load.tokens < 0.92 * 2_000
        (done,) = session.state.compactions
        kept = archive.read(tmp_path / "archives" / done.archive)[1]
        gone = list(original(tmp_path, JOURNAL))[4:]
        assert json.dumps(kept) == json.dumps(gone)
        assert f"archives/{done.archive}" in sent
        refused = "was compacted: a summary stands for it"
        session.user(user("fold it?"))
        answer = says(wire, "", folds("g", 2, 2))
        session.assistant(answer)
        message = session.handle(session.calls(answer)[0])
        assert refused in json.dumps(message)
        session.tool_result(message)
        assert problems(session) == []
    assert examine(tmp_path, JOURNAL).troubles == ()
    with Session.open(tmp_path, read_only=True) as again:
        assert json.dumps(again.request()) == json.dumps(session.request())


def test_the_second_summary_reads_the_first(tmp_path: Path) -> None:
    """Once a turn at most; a later summary takes the earlier one's place; both archives stay."""
    summarize = Summarizer()
    with created(tmp_path, summarize=summarize, **SIZE) as session:
        assert turn(session, "a" * 8_000).compacted
        assert turn(session, "b" * 8_000).compacted
        assert "summary number 1" in json.dumps(summarize.given[1])
        assert len(summarize.given) == 2
        assert "summary number 1" not in text(session.request())
        assert len(list((tmp_path / "archives").iterdir())) == 2
        report = turn(session, "short")
        assert not report.compacted
    assert examine(tmp_path, JOURNAL).troubles == ()
    assert examine(tmp_path, JOURNAL).notes == ()


def raises(messages: Sequence[Message]) -> str:
    """No summary."""
    raise TimeoutError("the model is away")


def blank(messages: Sequence[Message]) -> str:
    """An empty one."""
    return " \n"


def nothing(messages: Sequence[Message]) -> Any:
    """No text."""


def longer(messages: Sequence[Message]) -> str:
    """More than there was."""
    return json.dumps(messages) * 2


@pytest.mark.parametrize(
    ("summarize", "why"),
    [
        (raises, "summarize raised TimeoutError: the model is away"),
        (blank, "summarize returned nothing"),
        (nothing, "summarize returned nothing"),
        (longer, "no shorter than the tail"),
        (None, "there is no summarize"),
    ],
)
def test_without_a_summary_nothing_changes(tmp_path: Path, summarize: Any, why: str) -> None:
    """It is said once, not in every turn; the messages stay; it is tried again at the end of each turn."""
    with created(tmp_path, summarize=summarize, **SIZE) as session:
        said = [line for number in range(5) for line in turn(session, f"{number}" * 8_000).said]
        assert len(said) == 1
        assert why in said[0]
        assert len([each for each in session.state.turns if each.open]) == 5
        assert not (tmp_path / "archives").exists()
        assert problems(session) == []
    with Session.open(tmp_path, summarize=Summarizer(), disk=Quick()) as session:
        report = turn(session, "now")
        assert report.compacted
        assert len(report.said) == 1


@pytest.mark.parametrize("limit", [{"bytes": 29_000}, {"images": 3}], ids=["bytes", "images"])
def test_bytes_and_images_are_triggers(tmp_path: Path, limit: dict[str, Any]) -> None:
    """Far below the window of tokens; and a standing part that is too large in bytes is said, not shortened."""
    summarize = Summarizer()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 9_500}}
    with created(tmp_path / "a", summarize=summarize, **limit) as session:
        for number in range(3):
            session.user({"role": "user", "content": [{"type": "text", "text": f"shot {number}"}]})
            session.assistant(says("anthropic", "", reads(f"c{number}")))
            block = {"type": "tool_result", "tool_use_id": f"c{number}", "content": [image]}
            session.tool_result({"role": "user", "content": [block]})
            session.assistant(says("anthropic", "ok"))
            report = session.end_turn()
            assert report.compacted is (number == 2)
            assert report.load.tokens < 0.1 * session.settings.window
    standing = {"model": "m", "system": "s" * 40_000}
    with Session.create(tmp_path / "b", standing=standing, summarize=summarize, disk=Quick(), bytes=29_000) as session:
        said = [line for number in range(4) for line in turn(session, f"task {number}").said]
        assert len(said) == 1
        assert len(summarize.given) == 1


def test_the_estimate_is_corrected_by_the_usage(tmp_path: Path) -> None:
    """A provider that counts twice as much brings the emergency earlier; opened again it still does."""
    with created(tmp_path, summarize=Summarizer(), window=10_000) as session:
        assert not turn(session, "x" * 24_000).compacted
        assert session.usage(session.load().tokens // 2)
        assert not turn(session, "y" * 8_000).compacted
    with Session.open(tmp_path, summarize=Summarizer(), disk=Quick()) as session:
        assert session.state.factor == pytest.approx(0.5, abs=0.01)
        assert not turn(session, "z" * 8_000).compacted
        assert session.usage(session.settings.window)
        assert turn(session, "short").compacted


def test_messages_of_an_open_turn_go_on_after_it(tmp_path: Path) -> None:
    """A compaction ends the turn: words of the model need a user message before them, results of old calls too."""
    with created(tmp_path, summarize=Summarizer(), **SIZE) as session:
        assert turn(session, "x" * 8_000).compacted
        session.user(user("go on"))
        session.assistant(says("anthropic", "", reads("b")))
        session.tool_result(result("anthropic", "b", "fine"))
        assert problems(session) == []
        assert text(session.request()).index("summary number 1") < text(session.request()).index("go on")


def test_the_words_beside_a_summary_are_bounded(tmp_path: Path) -> None:
    """However many messages were compacted: the latest stand there, cut where they are long."""
    with created(tmp_path, summarize=Summarizer(), **SIZE) as session:
        for number in range(60):
            turn(session, f"order {number}: " + "word " * 150)
        assert session.load().tokens < 0.92 * 2_000
        sent = text(session.request())
        latest = max(said.turn for said in session.state.compactions[0].users)
        assert f"order {latest}:" in sent
        assert "order 0:" not in sent
        assert "without the first" in sent


@every_wire
def test_what_was_asked_for_is_folded_first(tmp_path: Path, wire: str) -> None:
    """A fold that waits for the end of the turn comes before a compaction within it: it may be enough, and is not lost
    if it is not.
    """
    summarize = Summarizer()
    with created(tmp_path / "enough", wire, summarize=summarize, **SIZE) as session:
        turn(session, "z" * 5_000)
        session.user(user("go on"))
        for id_, calls in (("a", [folds("f", 0, 0, "the first")]), ("b", [reads("r")])):
            answer = says(wire, id_, *calls)
            session.assistant(answer)
            for call in session.calls(answer):
                ours = session.owns(call)
                session.tool_result(session.handle(call) if ours else result(wire, call.id, "y" * 2_500))
            assert problems(session) == []
        assert (len(session.state.units), summarize.given) == (1, [])
        session.assistant(says(wire, "done"))
        assert [title.partition(" [")[0] for title in session.end_turn().folded] == ["the first"]
    with created(tmp_path / "not enough", wire, summarize=summarize, **SIZE) as session:
        turn(session, "first")
        session.user(user("go on"))
        for number in range(4):
            answer = says(wire, "", *([folds("f", 0, 0, "the first")] if number == 0 else [reads(f"r{number}")]))
            session.assistant(answer)
            for call in session.calls(answer):
                ours = session.owns(call)
                session.tool_result(session.handle(call) if ours else result(wire, call.id, "y" * 3_000))
            assert problems(session) == []
        assert len(session.state.units) == 1 <= len(summarize.given)
        session.assistant(says(wire, "done"))
        report = session.end_turn()
        assert report.compacted
        assert [title.partition(" [")[0] for title in report.folded] == ["the first"]
    for folder in ("enough", "not enough"):
        assert examine(tmp_path / folder, JOURNAL).troubles == ()
