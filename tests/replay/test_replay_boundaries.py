"""Where units close: by turns, by words, by labels, by a command; and how far these are from labels."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.replay import boundaries
from foldcover_harness.replay.boundaries import Agreement, agreement, every_turn, lexical, units
from foldcover_harness.replay.labels import LabelError, Row, read
from foldcover_harness.replay.sources import SAMPLE
from foldcover_harness.transcripts.model import Turn

COMMAND = [sys.executable, "-c", "from foldcover_harness.cli import main; main()", "replay"]


def replay(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Replay the sample, which has 17 turns, with an empty home."""
    return subprocess.run(
        [*COMMAND, str(SAMPLE), *map(str, arguments)],
        env={**os.environ, "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def one(*arguments: str | Path) -> dict[str, Any]:
    """Return the figures of the sample."""
    done = replay("--json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["transcripts"][0]
    return found


TURNS = [
    Turn(0, "why does the login test fail on the server", "The login session was not closed.", 3, 4),
    Turn(5, "fix the login session then, and the login test", "Fixed: the login session is closed.", 2, 8),
    Turn(9, "ok do it", "", 1),
    Turn(12, "now the build: cmake cannot find the compiler", "The compiler path in cmake was stale.", 4, 15),
    Turn(16, "make cmake print the compiler path", "cmake prints the compiler path.", 1, 19),
]


def test_a_turn_closes_when_the_next_comes() -> None:
    """All but the last."""
    assert every_turn(TURNS).closes == {0, 1, 2, 3}
    assert every_turn([]).closes == every_turn(TURNS[:1]).closes == set()


def test_the_words_tell_where_the_topic_shifts() -> None:
    """From the login to the build, and nowhere else; too short a message begins nothing."""
    assert lexical(TURNS).closes == {2}
    assert lexical(TURNS[:1]).closes == lexical([]).closes == set()


def test_turns_without_words_are_one_unit() -> None:
    """There is nothing to tell them apart by."""
    assert lexical([Turn(0, "ok"), Turn(1, "ok"), Turn(2, "go")]).closes == set()


def test_a_unit_is_its_turns_as_one() -> None:
    """The first one's place and words, the last conclusion that there is, all calls; the turns stay as they were."""
    first, second = units(TURNS, frozenset({2}))
    assert (first.at, first.words, first.calls) == (0, TURNS[0].words, 6)
    assert (first.closing, first.conclusion) == ("Fixed: the login session is closed.", 8)
    assert (second.at, second.calls, second.conclusion) == (12, 5, 19)
    assert TURNS[0].calls == 3


def test_agreement_by_hand() -> None:
    """Found 1 and 4, labelled 1 and 6: distances 0, 2 and 0, 2."""
    found = agreement(frozenset({1, 4}), frozenset({1, 6}))
    assert (found.precision, found.recall, found.mean_distance) == (0.5, 0.5, 1.0)
    nothing = agreement(frozenset(), frozenset({1}))
    assert (nothing.precision, nothing.recall, nothing.mean_distance) == (None, 0.0, None)
    assert found.plus(nothing) == Agreement(2, 3, 1, 4, 4)


def test_lexical_units_reach_every_figure() -> None:
    """Fewer units than turns; schedules that do not fold stay as they were."""
    plain, words = one(), one("--boundaries", "lexical")
    assert plain["cover"]["units"] == 16
    assert 0 < words["cover"]["units"] < 16
    assert words["turns"] == plain["turns"]
    assert words["schedules"]["compaction"] == plain["schedules"]["compaction"]
    assert words["schedules"]["close"]["prefix_rewrites"] == words["cover"]["units"]
    assert words["read"]["work_in_progress"]["tokens"] > plain["read"]["work_in_progress"]["tokens"]
    assert "a unit closes where the topic shifts" in replay("--boundaries", "lexical").stdout


@pytest.mark.parametrize("form", ["json", "csv"])
def test_labels_close_the_units(form: str, tmp_path: Path) -> None:
    """After turns 3, 7 and 16, which is the last and stays open; turn and lexical boundaries are compared with them."""
    file = tmp_path / "labels"
    rows = [("tidetable.jsonl", 3), ("samples/tidetable.jsonl", 7), ("tidetable.jsonl", 16)]
    if form == "json":
        file.write_text("".join(json.dumps({"transcript": name, "turn": turn}) + "\n" for name, turn in rows))
    else:
        file.write_text("transcript,turn\n" + "".join(f"{name},{turn}\n" for name, turn in rows))
    found = one("--boundaries", "labels", "--labels", file)
    assert found["cover"]["units"] == 2
    turn = found["boundaries"]["turn"]
    assert (turn["labelled"], turn["found"], turn["precision"], turn["recall"]) == (2, 16, 2 / 16, 1.0)
    assert set(found["boundaries"]) == {"turn", "lexical"}
    # Compared too where they are not used; and told in words.
    assert one("--labels", file)["boundaries"] == found["boundaries"]
    assert "turn boundaries against 2 labelled: precision 12%, recall 100%" in replay("--labels", file).stdout
    assert one()["boundaries"] is None


def test_a_transcript_without_labels_says_so(tmp_path: Path) -> None:
    """It closes at every turn; labels of no transcript are told too."""
    file = tmp_path / "labels.csv"
    file.write_text("transcript,turn\nother.jsonl,3\n")
    done = replay("--boundaries", "labels", "--labels", file)
    assert done.returncode == 0
    assert "1 label of no transcript here (the first: line 2, other.jsonl)" in done.stderr
    assert "no labels for this transcript: a unit closes at every turn" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1"),
        ("transcript,turn\n", "no labels"),
        ("turn,transcript\n3,x\n", "line 1"),
        ("transcript,turn\nx,3\nx,-1\n", "line 3"),
        ("transcript,turn\nx,3\n\nx,three\n", "line 4"),
        ("transcript,turn\nx,3,4\n", "line 2: 3 cells"),
        ('{"transcript": "x", "turn": 1}\n{"transcript": "x"}\n', "line 2"),
        ('{"transcript": "x", "turn": 1}\n{"transcript"\n', "line 2"),
        ('{"transcript": "", "turn": 1}\n', "line 1"),
    ],
)
def test_wrong_labels_are_one_line(text: str, words: str, tmp_path: Path) -> None:
    """That names the file and the line."""
    file = tmp_path / "labels"
    file.write_text(text)
    with pytest.raises(LabelError, match=re.escape(str(file))) as error:
        read(file)
    assert words in str(error.value)
    done = replay("--labels", file)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: --labels: [^\n]+\n", done.stderr)


def test_a_label_of_no_turn_refuses_the_transcript(tmp_path: Path) -> None:
    """The line is named, the exit code is 1."""
    file = tmp_path / "labels.csv"
    file.write_text("transcript,turn\ntidetable.jsonl,17\n")
    done = replay("--labels", file)
    assert done.returncode == 1
    assert f"{file} line 2: no turn 17, the transcript has 17" in done.stderr
    assert read(file).rows == ((2, Row("tidetable.jsonl", 17)),)


def script(tmp_path: Path, text: str) -> str:
    """Return a command line that runs a Python program."""
    file = tmp_path / "judge.py"
    file.write_text(text)
    return shlex.join([sys.executable, str(file)])


def test_a_command_judges_each_gap(tmp_path: Path) -> None:
    """It gets two turns, answers new or same."""
    judge = script(
        tmp_path,
        "import json, sys\n"
        "found = json.load(sys.stdin)\n"
        "assert set(found) == {'before', 'after'}\n"
        "assert set(found['after']) == {'words', 'closing', 'tool_calls'}\n"
        "print('new' if found['after']['tool_calls'] > 6 else 'same')\n",
    )
    found = one("--boundaries", "model", "--boundary-command", judge)
    calls = [
        line.split(" tool call")[0].rsplit("(", 1)[-1]
        for line in replay("--cover", "all").stdout.splitlines()
        if "  [" in line
    ]
    busy = sum(int(number) > 6 for number in calls[1:] if number.isdigit())
    assert abs(found["cover"]["units"] - busy) <= 1
    assert found["notes"] == []


@pytest.mark.parametrize(
    "program", ["raise SystemExit(3)", "print('perhaps')", "print('same'); raise SystemExit(1)", ""]
)
def test_a_command_that_fails_keeps_the_boundaries(program: str, tmp_path: Path) -> None:
    """And is counted."""
    found = one("--boundaries", "model", "--boundary-command", script(tmp_path, program))
    assert found["cover"]["units"] == 16
    assert found["notes"] == ["the boundary command failed at 16 of 16 gaps: kept as boundaries"]


def test_a_command_that_never_answers_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The boundary is kept and counted."""
    monkeypatch.setattr(boundaries, "LIMIT", 0.01)
    judge = boundaries.asked(script(tmp_path, "import os\nos.read(os.pipe()[0], 1)\n"))
    assert judge(TURNS[:2]) == boundaries.Found(frozenset({0}), 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--boundaries", "labels"),
        ("--boundaries", "model"),
        ("--boundary-command", "true"),
        ("--boundaries", "model", "--boundary-command", ""),
        ("--boundaries", "model", "--boundary-command", "'"),
        ("--boundaries", "model", "--boundary-command", "/no/such/program"),
        ("--labels", "missing.csv"),
    ],
)
def test_what_does_not_belong_together_is_one_line(arguments: tuple[str, ...]) -> None:
    """Exit code 2, before anything is read."""
    done = replay(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: [^\n]+\n", done.stderr)
