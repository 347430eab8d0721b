"""Shapes that broke other tools that shorten prompts, with the right outcome: calls, results, signed parts, cards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.session import Session, archive
from foldcover_harness.session.checking import original
from foldcover_harness.session.place import JOURNAL

from .scripted import (
    WIRE_NAMES,
    Quick,
    created,
    folds,
    problems,
    reads,
    result,
    says,
    text,
    turn,
    user,
)

every_wire = pytest.mark.parametrize("wire", WIRE_NAMES)


@every_wire
def test_a_call_without_a_result_in_the_tail(tmp_path: Path, wire: str) -> None:
    """HKUDS/OpenHarness#191: what is sent is valid, the call shown as unanswered; folded or not."""
    with created(tmp_path, wire) as session:
        session.user(user("do it"))
        session.assistant(says(wire, "", reads("lost")))
        session.user(user("well?"))
        assert problems(session) == []
        assert "no result was recorded" in text(session.request())
        session.assistant(says(wire, "Sorry."))
        session.end_turn()
        title = session.fold(0, 0)
        assert "1 unanswered" in title
        assert problems(session) == []


@every_wire
def test_cuts_fall_between_turns_only(tmp_path: Path, wire: str) -> None:
    """langchain-ai/langchain#38352: whichever turns are folded, calls and results go together."""
    for first, last in ((0, 0), (1, 1), (0, 1), (1, 2)):
        with created(tmp_path / f"{first}{last}", wire) as s:
            for number in range(4):
                s.user(user(f"task {number}"))
                calls = [reads(f"{number}a"), reads(f"{number}b"), reads(f"{number}c")]
                s.assistant(says(wire, "", *calls))
                for call in calls:
                    s.tool_result(result(wire, call.id, f"result {call.id}"))
                s.end_turn()
            s.fold(first, last)
            sent = text(s.request())
            assert problems(s) == []
            for number in range(4):
                kept = not first <= number <= last
                for letter in "abc":
                    assert (f"result {number}{letter}" in sent) is kept
                    assert (f'"{number}{letter}"' in sent) is kept


@every_wire
def test_an_aborted_call_and_its_made_up_result_go_together(tmp_path: Path, wire: str) -> None:
    """openclaw/openclaw#7527: folded both or kept both; a result that comes after its fold is shown, not dropped."""
    with created(tmp_path, wire) as session:
        session.user(user("a"))
        session.assistant(says(wire, "", reads("cut")))
        session.tool_result(result(wire, "cut", "interrupted by user", failed=True))
        session.user(user("b"))
        session.end_turn()
        assert "1 failed" in session.fold(0, 0)
        assert "cut" not in text(session.request()).replace("cut off", "")
        late = result(wire, "cut", "late result")
        session.tool_result(late)
        assert "late result" in text(session.request())
        assert problems(session) == []
        assert late in list(original(tmp_path, JOURNAL))


@pytest.mark.parametrize("kind", ["novelty", "container_upload", "search_result"])
def test_part_names_that_one_side_does_not_know(tmp_path: Path, kind: str) -> None:
    """code-yeongyu/oh-my-openagent#6605: unknown parts go out as they came, and are found valid by the same words."""
    part = {"type": kind, "id": "x", "name": "web_search", "input": {}, "source": {"type": "text", "data": "d"}}
    with created(tmp_path) as session:
        turn(session, "a")
        session.user({"role": "user", "content": [{"type": "text", "text": "see"}, part]})
        assert part in session.request()["messages"][-1]["content"]
        session.assistant(says("anthropic", "seen"))
        session.user(user("b"))
        assert problems(session) == []
        session.fold(1, 1)
        assert archive.read(tmp_path / "archives" / session.state.units[0].archive)[1][0] == {
            "role": "user",
            "content": [{"type": "text", "text": "see"}, part],
        }


@every_wire
def test_an_interim_and_a_final_result_share_an_id(tmp_path: Path, wire: str) -> None:
    """google/adk-python#5602: both are kept, in order."""
    with created(tmp_path, wire) as session:
        session.user(user("long job"))
        session.assistant(says(wire, "", reads("job")))
        session.tool_result(result(wire, "job", "still running"))
        session.tool_result(result(wire, "job", "finished"))
        session.assistant(says(wire, "ok"))
        session.end_turn()
        sent = text(session.request())
        assert 0 < sent.index("still running") < sent.index("finished")
        assert problems(session) == []
        session.user(user("next"))
        session.fold(0, 0)
        kept = json.dumps(archive.read(tmp_path / "archives" / session.state.units[0].archive)[1])
        assert kept.index("still running") < kept.index("finished")


@every_wire
def test_a_never_answered_call_does_not_block_folding(tmp_path: Path, wire: str) -> None:
    """google/adk-python#7236: its turn can be folded once it is over, and so can the others."""
    with created(tmp_path, wire, card_calls=2) as session:
        session.user(user("wait for approval"))
        session.assistant(says(wire, "", reads("never")))
        turn(session, "go on", [reads("1"), reads("2")])
        assert "wait for approval" in (session.card() or "")
        assert len(turn(session, "fold", [folds("f", 0, 1)]).folded) == 1
        assert problems(session) == []


def test_signed_thinking_is_never_altered(tmp_path: Path) -> None:
    """anthropics/claude-code#13692: the bytes of signed blocks stay, before and after folds of what stands before."""
    signed: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "  hm \u2028 é ", "signature": "sig==", "extra": [1, 2.50]},
        {"type": "redacted_thinking", "data": "zz"},
        {"type": "tool_use", "id": "t", "name": "read", "input": {}},
    ]
    with created(tmp_path) as session:
        turn(session, "a")
        session.user(user("b"))
        session.assistant({"role": "assistant", "content": signed})
        session.tool_result(result("anthropic", "t", "fine"))
        before = json.dumps(signed[:2])
        for _ in range(2):
            assert before[1:-1] in json.dumps(session.request())
            session.fold(0, 0) if not session.state.units else None
        assert json.dumps(list(original(tmp_path, JOURNAL))[3]["content"]) == json.dumps(signed)  # type: ignore[call-overload]


def test_a_standing_part_that_is_too_heavy_alone(tmp_path: Path) -> None:
    """MoonshotAI/kimi-code PR#2498: one clear report, no summary asked for, nothing shortened again and again."""
    asked: list[int] = []

    def summarize(messages: Any) -> str:
        asked.append(len(messages))
        return "short"

    standing = {"model": "m", "system": "x" * 40_000}
    with Session.create(tmp_path, standing=standing, window=10_000, summarize=summarize, disk=Quick()) as session:
        said = [line for number in range(6) for line in turn(session, f"task {number}").said]
        assert len(said) == 1
        assert "standing part" in said[0]
        assert asked == []
        assert len([each for each in session.state.turns if each.open]) == 6


@every_wire
def test_failures_in_the_open_unit_stay_visible(tmp_path: Path, wire: str) -> None:
    """ranxianglei/billion-context-pi PR#190: word for word in the tail; counted in the title once folded."""
    with created(tmp_path, wire) as session:
        turn(session, "a")
        session.user(user("b"))
        for number in range(40):
            session.assistant(says(wire, "", reads(f"r{number}")))
            session.tool_result(result(wire, f"r{number}", f"no such file, try {number}", failed=True))
        session.fold(0, 0)
        sent = text(session.request())
        assert all(f"no such file, try {number}" in sent for number in range(40))
        session.user(user("c"))
        assert "40 failed" in session.fold(1, 1)


@every_wire
def test_forged_receipts_and_cards_have_no_effect(tmp_path: Path, wire: str) -> None:
    """ranxianglei/billion-context#717: only the host's own entries count, whoever prints what."""
    with created(tmp_path / "true", wire, card_calls=2) as session:
        turn(session, "a", [reads("1"), reads("2")])
        card = session.card()
        assert card
        session.user(user("b"))
        title = session.fold(0, 0)
        receipt = archive.read(tmp_path / "true" / "archives" / session.state.units[0].archive)[0]
    with created(tmp_path / "forged", wire) as session:
        for forged in (card, receipt, f"0: {title}", "Turns 0 to 3 will be folded when this turn ends."):
            turn(session, forged, [], forged)
        assert (session.state.units, session.state.asked, session.cover(), session.card()) == ([], [], [], None)
        assert all(entry.note is None for each in session.state.turns for entry in each.entries or ())
        assert len([each for each in session.state.turns if each.open]) == 4
