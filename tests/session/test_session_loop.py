"""The loop of a session on every wire: card, fold, splice, title, archive, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foldcover import Block, Outcome
from foldcover_harness.session import Session, SessionError, archive
from foldcover_harness.session.checking import examine, original
from foldcover_harness.session.place import JOURNAL
from foldcover_harness.session.wires.wire import Message

from .scripted import (
    STANDING,
    WIRE_NAMES,
    Made,
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


def answered(session: Session, call: Made) -> str:
    """Have the model make one call of ours, and return the words of the answer."""
    wire = session.state.wire
    answer = says(wire.name, "", call)
    session.assistant(answer)
    message = session.handle(session.calls(answer)[0])
    session.tool_result(message)
    return "\n".join(piece.text for piece in wire.pieces(message))


def messages_of(folder: Path, session: Session, unit: int) -> list[Message]:
    """What the archive of a unit holds."""
    return archive.read(folder / "archives" / session.state.units[unit].archive)[1]


@every_wire
def test_the_loop(tmp_path: Path, wire: str) -> None:
    """The card rides when due, the model folds, the end of the turn splices, the archive has the messages."""
    with created(tmp_path, wire, card_calls=3) as session:
        turn(session, "write the parser", [reads("a"), reads("b", "src/parser.py")], "The parser is written.")
        assert session.card() is None
        turn(session, "test it", [reads("c")])
        card = session.card()
        assert card is not None
        assert "write the parser" in card
        before = list(original(tmp_path, JOURNAL))
        session.user(user("now the docs"))
        assert card in session.state.wire.said(session.state.wire.with_note({"role": "user", "content": "x"}, card))
        sent = session.request()
        assert json.dumps(card)[1:-1] in json.dumps(sent)
        assert problems(session) == []
        said = answered(session, folds("f", 0, 0, "parser: recursive descent, in src/parser.py"))
        assert "will be folded when this turn ends" in said
        assert parts(session.request())[: len(parts(sent))] == parts(sent)
        session.assistant(says(wire, "The docs are written."))
        assert session.cover() == []
        report = session.end_turn()
        (title,) = report.folded
        assert title.startswith("parser: recursive descent, in src/parser.py [turn 0; 2 calls")
        assert session.state.units[0].archive.removesuffix(".txt") in title
        assert report.outcome is Outcome.FITS
        assert session.cover() == [f"0: {title}"]
        body = session.request()
        assert json.dumps(title)[1:-1] in json.dumps(body)
        assert "result of b" not in text(body)
        assert "result of c" in text(body)
        assert problems(session) == []
        assert standing_of(body) == standing_of(sent)
        assert messages_of(tmp_path, session, 0) == before[: len(messages_of(tmp_path, session, 0))]
        assert len(messages_of(tmp_path, session, 0)) == 6
    assert list((tmp_path / "archives").iterdir()) == [tmp_path / "archives" / session.state.units[0].archive]
    assert session.doctor() == examine(tmp_path, JOURNAL)
    assert examine(tmp_path, JOURNAL).troubles == ()


@every_wire
def test_illegal_folds_are_answered_and_change_nothing(tmp_path: Path, wire: str) -> None:
    """Reversed, unknown, in progress, over an earlier fold, twice, no number at all."""
    with created(tmp_path, wire) as session:
        for number in range(5):
            turn(session, f"task {number}", [reads(f"c{number}")])
        session.fold(1, 2)
        session.user(user("fold"))
        illegal = [
            (folds("1", 4, 3), "reversed"),
            (folds("2", 4, 9), "no turn 9"),
            (folds("3", -1, 0), "no turn -1"),
            (folds("4", 4, 5), "in progress"),
            (folds("5", 0, 3), "folded already, in unit 0"),
            (folds("6", "first", None), "must be the number"),
            (Made("7", "fold_unit", {}), "must be the number"),
            (Made("8", "fold_unit", {"from": True, "to": 3}), "must be the number"),
            (Made("9", "fold_unit", {"from": 3, "to": 3, "title": 7}), "must be a text"),
        ]
        for call, why in illegal:
            cover = session.cover()
            assert why in (said := answered(session, call)), said
            assert (session.cover(), session.state.asked) == (cover, [])
            with pytest.raises(SessionError):
                session.fold(5, 5)
        assert "will be folded" in answered(session, folds("10", 3, 4))
        assert "was asked already" in answered(session, folds("11", 4, 4))
        session.assistant(says(wire, "ok"))
        assert len(session.end_turn().folded) == 2, "one by the call, one by `fold`"
        assert session.end_turn().folded == ()
        assert problems(session) == []
    assert len(list((tmp_path / "archives").iterdir())) == 2


@every_wire
def test_a_middle_range_leaves_the_earlier_turns_open(tmp_path: Path, wire: str) -> None:
    """The title stands in the cover, before the earlier turns; units count in the order of closing."""
    with created(tmp_path, wire) as session:
        for number in range(4):
            turn(session, f"task {number}", [reads(f"c{number}")], f"Closed {number}.")
        session.fold(2, 2)
        session.fold(0, 0)
        assert [line.partition(" [")[0] for line in session.cover()] == ["0: Closed 2.", "1: Closed 0."]
        sent = text(session.request())
        assert sent.index("Closed 2.") < sent.index("Closed 0.") < sent.index("task 1") < sent.index("task 3")
        assert "task 2" not in sent
        assert problems(session) == []


@every_wire
def test_several_turns_at_once_and_several_folds_in_one_turn(tmp_path: Path, wire: str) -> None:
    """Each is one unit with its own archive, in the order in which they were asked for."""
    with created(tmp_path, wire) as session:
        for number in range(6):
            turn(session, f"task {number}", [reads(f"c{number}")])
        report = turn(session, "fold", [folds("f", 3, 4, "late"), folds("g", 0, 2, "early")])
        assert [title.partition(";")[0] for title in report.folded] == ["late [turns 3-4", "early [turns 0-2"]
        assert session.zoom(Block(0, 2)) == list(report.folded)
        assert [len(messages_of(tmp_path, session, unit)) for unit in (0, 1)] == [8, 12]
        assert [turn_.unit for turn_ in session.state.turns] == [1, 1, 1, 0, 0, None, None]
        assert problems(session) == []


@every_wire
def test_zoom_and_search_by_call(tmp_path: Path, wire: str) -> None:
    """Zoom shows titles with their archives, search file and line; nonsense gets a sentence."""
    with created(tmp_path, wire) as session:
        for number in range(3):
            turn(session, f"task {number} needs kubectl{number}", [reads(f"c{number}")], f"Closed {number}.")
        session.fold(0, 0)
        session.fold(1, 1)
        session.user(user("look back"))
        zoomed = answered(session, Made("z", "zoom", {"from": 0, "to": 1}))
        assert zoomed.splitlines()[1].startswith("1: Closed 1. [turn 1")
        assert f"archives/{session.state.units[1].archive}" in zoomed
        found = answered(session, Made("s", "search", {"text": "kubectl1"}))
        where = found.partition("unit 1, ")[2].partition(": ")[0]
        path, _, line = where.rpartition(":")
        lines = (tmp_path / path).read_text().split("\n")
        assert "kubectl1" in lines[int(line) - 1]
        assert "Nothing was found" in answered(session, Made("t", "search", {"text": "kubectl2"}))
        wrong: tuple[dict[str, Any], ...] = ({"from": 0, "to": 2}, {"from": [], "to": 1}, {"from": 1, "to": 0}, {})
        calls = [Made(f"u{number}", "zoom", given) for number, given in enumerate(wrong)]
        for call in (*calls, Made("w", "search", {"text": 3})):
            assert "takes" in answered(session, call)
        assert session.zoom(Block(0, 3)) == []
        assert problems(session) == []


def test_what_was_asked_is_folded_when_the_next_turn_begins(tmp_path: Path) -> None:
    """A loop that forgot `end_turn`, or died before it, still gets its fold."""
    with created(tmp_path) as session:
        turn(session, "a", [reads("1")])
        session.user(user("b"))
        answered(session, folds("f", 0, 0))
        session.assistant(says("anthropic", "ok"))
    with Session.open(tmp_path) as session:
        assert session.cover() == []
        session.user(user("c"))
        assert len(session.cover()) == 1


def test_refused_messages_change_nothing(tmp_path: Path) -> None:
    """Wrong roles, values that are no JSON, a result before any turn: one clear line, nothing in the journal."""
    with created(tmp_path) as session:
        size = (tmp_path / JOURNAL).stat().st_size
        with pytest.raises(SessionError, match="needs a user message before it"):
            session.assistant(says("anthropic", "hello"))
        with pytest.raises(SessionError, match="not a user message"):
            session.user({"role": "assistant", "content": "x"})
        with pytest.raises(SessionError, match="JSON"):
            session.user({"role": "user", "content": "x", "at": float("nan")})
        with pytest.raises(SessionError, match="no tool of ours"):
            session.handle(session.calls(says("anthropic", "", reads("a")))[0])
        assert (tmp_path / JOURNAL).stat().st_size == size
    with pytest.raises(SessionError, match="no wire"):
        Session.create(tmp_path / "other", wire="smoke")
    with pytest.raises(SessionError, match="window"):
        Session.create(tmp_path / "other", window=0)
    with pytest.raises(SessionError, match="unknown settings: windows"):
        Session.create(tmp_path / "other", windows=1)
    with pytest.raises(SessionError, match="JSON"):
        Session.create(tmp_path / "other", standing={"model": object()})
    assert not (tmp_path / "other" / JOURNAL).exists()


def test_what_a_caller_changes_later_changes_nothing(tmp_path: Path) -> None:
    """A message or a standing part is as it was when it was handed over."""
    standing = json.loads(json.dumps(STANDING["anthropic"]))
    message = user("first")
    with Session.create(tmp_path, standing=standing) as session:
        session.user(message)
        before = json.dumps(session.request())
        message["content"] = "changed"
        standing["tools"].append({"name": "more"})
        standing["model"] = "other"
        assert json.dumps(session.request()) == before
        answer = says("anthropic", "", reads("a"))
        session.assistant(answer)
        session.tool_result(result("anthropic", "a", "fine"))
        answer["content"].clear()
        assert problems(session) == []
    with Session.open(tmp_path) as session:
        assert json.dumps(session.request()["tools"]) == json.dumps([*STANDING["anthropic"]["tools"], *session.tools()])


@every_wire
def test_the_counters(tmp_path: Path, wire: str) -> None:
    """An archive read back, a call made again after its fold, a fold that the next turn reopened."""
    with created(tmp_path, wire) as session:
        turn(session, "a", [reads("1")])
        turn(session, "b", [reads("2", "other.py")])
        turn(session, "fold", [folds("f", 0, 0)])
        turn(session, "c", [reads("3")])
        turn(session, "d", [reads("4", f"archives/{session.state.units[0].archive}"), reads("5", "other.py")])
        counted = session.counters()
        assert (counted.read_backs, counted.repeated, counted.reopened) == (1, 1, 1)
    with Session.open(tmp_path) as again:
        assert again.counters() == counted


def test_no_report_is_lost(tmp_path: Path) -> None:
    """What waits when the user speaks again is folded, and `user` hands its report back; that of `fold` comes later."""
    with created(tmp_path) as session:
        turn(session, "first")
        session.user(user("second"))
        session.assistant(says("anthropic", "", folds("f", 0, 0)))
        assert "will be folded" in json.dumps(session.handle(session.calls(says("anthropic", "", folds("f", 0, 0)))[0]))
        report = session.user(user("third"))
        assert report is not None
        assert len(report.folded) == 1
        title = session.fold(1, 1)
        assert session.user(user("fourth")) is None
        assert session.end_turn().folded == (title,)


def test_an_ignored_card_is_not_shown_again_at_once(tmp_path: Path) -> None:
    """It comes back when as much has gathered again, and lists the earlier turns too."""
    with created(tmp_path, card_calls=2) as session:
        notes: list[str | None] = []
        for number in range(7):
            turn(session, f"task {number}", [reads(f"c{number}")])
            entries = session.state.turns[-1].entries
            assert entries
            notes.append(entries[0].note)
        assert [number for number, note in enumerate(notes) if note] == [2, 4, 6]
        assert "task 0" in str(notes[4])
        assert problems(session) == []
