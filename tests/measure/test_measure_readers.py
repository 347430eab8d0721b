"""Readers: what they pick, ties by the order shown, and every way for a program to fail."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from foldcover_harness.measure.readers import Bm25, Program, Reader

LINES = ["otter harbour ledger", "lynx quay parser_state.py", "", "heron otter"]


def test_the_lexical_reader_finds_stems_and_the_words_of_literals() -> None:
    """`parsers` asks for parser_state.py, `harbours` for harbour."""
    ask = Bm25().over(LINES)
    shown = np.array([3, 2, 1, 0])
    assert ask("which parsers?", shown)[:1] == (1,)  # type: ignore[index]
    assert ask("the harbours of otters", shown) == (0, 3, 2)
    assert ask("parser_state.py", np.array([3, 0])) == (3, 0)


@pytest.mark.parametrize("question", ["", "zebra", "the of", "\ud800 \x1b[31m"])
@pytest.mark.parametrize("lines", [LINES, ["", ""], ["\ud800"] * 2])
def test_without_evidence_the_order_shown_decides(question: str, lines: list[str]) -> None:
    """So a shuffled order makes it chance."""
    assert Bm25().over(lines)(question, np.array([1, 0])) == (1, 0)


def program(folder: Path, body: str, timeout: float = 20) -> Reader:
    """A reader that is a small Python program."""
    file = folder / "reader.py"
    file.write_text(f"import json, sys\ngiven = json.load(sys.stdin)\nlines = given['lines']\n{body}\n", "utf-8")
    return Program([sys.executable, str(file)], timeout)


def test_a_program_gets_the_question_and_the_lines_shown_and_answers_numbers(tmp_path: Path) -> None:
    """In the order shown, counted from 1."""
    reader = program(tmp_path, "print(lines.index(given['question']) + 1, 1)")
    assert reader.over(LINES)(LINES[3], np.array([1, 0, 3])) == (3, 1)
    assert reader.failures == {}


@pytest.mark.parametrize(
    "body",
    [
        "print(0)",
        "print(3)",
        "print('first')",
        "print()",
        "print('1 1')",
        "print('1 2 1 2')",
        "sys.exit(3)",
        "print(-1)",
    ],
)
def test_any_other_answer_is_a_counted_failure(tmp_path: Path, body: str) -> None:
    """Nothing was found, and it is said how often and why."""
    reader = program(tmp_path, body)
    ask = reader.over(LINES)
    assert [ask("what?", np.array([0, 1])) for _ in range(2)] == [None, None]
    assert list(reader.failures.values()) == [2]


def test_a_program_that_hangs_or_is_not_there_has_failed(tmp_path: Path) -> None:
    """It is killed at its time limit."""
    slow = program(tmp_path, "import time; time.sleep(60)", 0.2)
    assert slow.over(LINES)("?", np.array([0])) is None
    assert slow.failures == {"had no answer within 0.2 seconds": 1}
    absent = Program([str(tmp_path / "absent")], 5)
    assert absent.over(LINES)("?", np.array([0])) is None
    assert "could not be started" in next(iter(absent.failures))


def test_hostile_text_reaches_a_program_as_json(tmp_path: Path) -> None:
    """Lone surrogates are replaced; line breaks and quotes arrive."""
    reader = program(tmp_path, f"print(1 if lines[0] == {json.dumps(chr(10) + '?' + chr(34))} else 2)")
    assert reader.over(['\n\ud800"', "x"])("\ud800", np.array([0, 1])) == (0, 1)[:1]
