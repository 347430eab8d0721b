"""What the doctor finds, each kind on a small file that the test makes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.check.examine import KINDS, Examined, examine
from foldcover_harness.check.report import Checked


def user(own: str, parent: str | None, content: object) -> dict[str, Any]:
    """Return a line of the user's."""
    return {"type": "user", "uuid": own, "parentUuid": parent, "message": {"role": "user", "content": content}}


def answer(own: str, parent: str | None, *blocks: dict[str, Any]) -> dict[str, Any]:
    """Return a line of the model's."""
    message = {"id": f"m{own}", "role": "assistant", "content": list(blocks)}
    return {"type": "assistant", "uuid": own, "parentUuid": parent, "message": message}


def call(own: str) -> dict[str, Any]:
    """Return a tool call."""
    return {"type": "tool_use", "id": own, "name": "Read", "input": {}}


def result(own: str, content: str = "r") -> list[dict[str, Any]]:
    """Return the result of a call as content."""
    return [{"type": "tool_result", "tool_use_id": own, "content": content}]


def text(words: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": words}


def write(path: Path, *lines: dict[str, Any] | bytes) -> Path:
    """Write a file of lines."""
    path.write_bytes(b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines))
    return path


def found(one: Examined) -> dict[str, tuple[int, int | None, str]]:
    """Return how often, where and what, by kind."""
    return {each.kind: (each.times, each.place, each.what) for each in one.findings}


GOOD = [
    user("1", None, "hi"),
    answer("2", "1", text("so"), call("t1")),
    user("3", "2", result("t1", "")),
    answer("4", "3", text("done")),
]


def test_nothing_is_found_in_a_good_file(tmp_path: Path) -> None:
    """An empty result is none; nor is a session that ends with an answer."""
    one = examine(write(tmp_path / "a.jsonl", *GOOD))
    assert (one.findings, one.refusals) == ([], [])
    assert (one.client, one.turns, one.requests, one.calls, one.results) == ("claude-code", 1, 2, 1, 1)


@pytest.mark.parametrize(
    ("lines", "kind", "expected"),
    [
        ([*GOOD, answer("5", "4", text("x"), call("t2"))], "unanswered-call", (1, 5, "t2")),
        ([*GOOD, user("5", "4", result("gone"))], "orphan-result", (1, 5, "gone")),
        (
            [GOOD[0], user("2", "1", result("t1")), answer("3", "2", call("t1")), answer("4", "3", text("x"))],
            "early-result",
            (1, 2, "t1"),
        ),
        ([*GOOD[:3], user("9", "3", result("t1"))], "repeated-result", (1, 4, "t1")),
        ([*GOOD, answer("5", "4", call("t1")), user("6", "5", result("t1"))], "repeated-call-id", (1, 5, "t1")),
        ([*GOOD, user("4", "4", "again")], "repeated-id", (1, 5, "4")),
        ([*GOOD, user("5", "never", "on")], "broken-chain", (1, 5, "never")),
        ([*GOOD, user("5", "4", "")], "empty", (1, 5, "message")),
        ([*GOOD, answer("5", "4", text("  "))], "empty", (1, 5, "answer")),
        ([answer("1", None, text("x")), user("2", "1", "hi")], "first-role", (1, 1, "assistant")),
        ([*GOOD, answer("5", "4", text("x"))], "answers-in-a-row", (1, 5, "")),
        ([GOOD[0]], "no-request", (1, None, "")),
        ([*GOOD, {"type": "novelty"}, {"type": "novelty"}], "unknown", (2, 5, "line type 'novelty'")),
        ([*GOOD, {**user("5", "4", "x"), "isMeta": "yes"}], "unknown", (1, 5, "isMeta of another type")),
        ([*GOOD[:2], json.dumps(GOOD[2]).encode() + json.dumps(GOOD[3]).encode() + b"\n"], "glued", (1, 3, "")),
        ([*GOOD, b'{"type":"user","message":{"content":"cu'], "cut", (1, 5, "")),
        ([*GOOD, b"rubbish\n", *GOOD[4:]], "not-json", (1, 5, "")),
        ([*GOOD, rb'{"type":"user","message":{"content":"a\ud83d b"}}' + b"\n"], "lone-surrogate", (1, 5, "")),
        ([*GOOD, rb'{"type":"user","message":{"content":"\p"}}' + b"\n"], "bad-escape", (1, 5, "")),
        ([*GOOD, b'{"type":"user","message":{"content":"a\x01"}}\n'], "control-character", (1, 5, "")),
        ([*GOOD, b'{"type":"user","message":{"content":"caf\xe9"}}\n'], "bad-utf-8", (1, 5, "")),
    ],
)
def test_each_kind_is_told_with_how_often_and_where(
    tmp_path: Path, lines: list[dict[str, Any] | bytes], kind: str, expected: tuple[int, int | None, str]
) -> None:
    """And what it is about; every kind has words."""
    assert kind in KINDS
    assert found(examine(write(tmp_path / "a.jsonl", *lines)))[kind] == expected


def test_a_mended_surrogate_pair_is_no_lone_one(tmp_path: Path) -> None:
    """Nor is an escaped backslash before what looks like one."""
    lines = rb'{"type":"user","uuid":"9","message":{"content":"\ud83d\ude42 \\ud83d \q"}}' + b"\n"
    one = examine(write(tmp_path / "a.jsonl", *GOOD, lines))
    assert set(found(one)) == {"bad-escape"}


def test_the_first_of_a_kind_is_told_and_all_are_counted(tmp_path: Path) -> None:
    """In the order of the file, whatever finds them."""
    lines = [*GOOD, answer("5", "4", call("a"), call("b")), user("6", "5", "so?"), answer("7", "6", call("c"))]
    assert found(examine(write(tmp_path / "a.jsonl", *lines)))["unanswered-call"] == (3, 5, "a")


def test_branches_that_were_left_are_not_judged_as_sent(tmp_path: Path) -> None:
    """A call without a result on one refuses no request; it is told all the same."""
    lines = [*GOOD, user("5", "4", "x"), answer("6", "5", call("t2")), user("7", "4", "y"), answer("8", "7", text("z"))]
    one = examine(write(tmp_path / "a.jsonl", *lines))
    assert set(found(one)) == {"unanswered-call"}
    assert not one.refusals


def test_pairs_by_action_where_call_ids_are_not_unique(tmp_path: Path) -> None:
    """The ids are told; no call is missed."""
    events = [{"kind": "MessageEvent", "source": "user", "id": "u", "llm_message": {"role": "user", "content": "hi"}}]
    for number in range(2):
        events += [
            {
                "kind": "ActionEvent",
                "source": "agent",
                "id": f"a{number}",
                "llm_response_id": f"r{number}",
                "tool_name": "x",
                "tool_call_id": "functions.x:0",
                "action": {},
            },
            {
                "kind": "ObservationEvent",
                "source": "environment",
                "id": f"o{number}",
                "action_id": f"a{number}",
                "tool_call_id": "functions.x:0",
                "observation": {"content": "r"},
            },
        ]
    path = tmp_path / "events.json"
    path.write_text(json.dumps(events))
    one = examine(path)
    assert found(one) == {"repeated-call-id": (1, 3, "functions.x:0")}
    assert {(each.provider, each.why) for each in one.refusals} == {
        ("anthropic", "tool_use ids must be unique"),
        ("responses", "a second call with the call_id"),
        ("responses", "a second output for the call"),
    }


def test_ids_that_an_earlier_file_has_are_told_with_it(tmp_path: Path) -> None:
    """One finding for each pair of files; numbers are no names."""
    checked = Checked()
    one = [user("aaaaaaaa-1", None, "hi"), answer("aaaaaaaa-2", "aaaaaaaa-1", call("t1"))]
    for name, lines in (("a", one), ("b", GOOD), ("c", [*one, user("7", None, result("t1"))])):
        checked.take(examine(write(tmp_path / name, *lines)))
    crossed = [[each for each in file.findings if each.kind == "crossed-id"] for file in checked.examined]
    assert [[(each.times, each.place, each.what, each.other) for each in file] for file in crossed] == [
        [],
        [(1, 2, "t1", tmp_path / "a")],
        [(3, 1, "aaaaaaaa-1", tmp_path / "a")],
    ]
