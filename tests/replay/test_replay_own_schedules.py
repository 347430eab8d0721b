"""Schedules of the user's own: the same figures as ours where they do the same, one clear line where they fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.replay.schedules import Own, Piece, Setting, price
from foldcover_harness.replay.sources import SAMPLE
from foldcover_harness.replay.tape import record
from foldcover_harness.replay.tokens import BYTES4, CALIBRATED
from foldcover_harness.transcripts.claude_code import read

COMMAND = [sys.executable, "-c", "from foldcover_harness.cli import main; main()", "replay"]


def nothing(prompt: list[Piece], window: int) -> list[Piece]:
    """Send all."""
    return prompt


def slide(prompt: list[Piece], window: int) -> list[Piece]:
    """Drop the oldest messages until the prompt, with a standing part of 15,000 tokens, is not nearly full."""
    while sum(piece.tokens for piece in prompt) + 15_000 >= 0.92 * window:
        rest = next((n for n, piece in enumerate(prompt) if piece.message != prompt[0].message), None)
        if rest is None:
            break
        prompt = prompt[rest:]
    return prompt


def compact(prompt: list[Piece], window: int) -> list[Piece]:
    """As compaction does, but that the summary is written apart, so that it shares nothing."""
    size = sum(piece.tokens for piece in prompt) + 15_000
    if size < 0.92 * window:
        return prompt
    last = [piece for piece in prompt if piece.message == prompt[-1].message]
    return [Piece("summary", 2_000, reads=size), *last]


def own(function: Any) -> dict[str, Own]:
    """Return it under a name."""
    return {"mine": Own("mine", function)}


@pytest.mark.parametrize(("function", "name"), [(nothing, "none"), (slide, "sliding")])
def test_the_same_rule_comes_to_the_same_bill(function: Any, name: str) -> None:
    """On the sample, in both estimators where request weights play no part."""
    with SAMPLE.open("rb") as stream:
        conversation = read(stream)
    for estimator in (BYTES4, CALIBRATED) if function is nothing else (BYTES4,):
        tape = record(conversation, estimator)
        for setting in (Setting(), Setting(window=50_000)):
            assert price(tape, "mine", setting, own(function)) == price(tape, name, setting)


def test_what_a_model_wrote_is_paid_once() -> None:
    """As a request of its own, that shares nothing; and what it wrote is counted."""
    with SAMPLE.open("rb") as stream:
        tape = record(read(stream), BYTES4)
    mine, ours = price(tape, "mine", Setting(), own(compact)), price(tape, "compaction", Setting())
    assert list(mine.prompts) == list(ours.prompts)
    assert (mine.compactions, mine.written, mine.read) == (ours.compactions, ours.written, ours.read)
    assert mine.shared < ours.shared


def test_units_and_kinds_are_shown() -> None:
    """Every piece of the sample, in its unit, oldest first."""
    seen: list[Piece] = []

    def look(prompt: list[Piece], window: int) -> list[Piece]:
        seen[:] = prompt
        return prompt

    with SAMPLE.open("rb") as stream:
        tape = record(read(stream), BYTES4)
    price(tape, "mine", Setting(), own(look))
    assert {piece.kind for piece in seen} <= {"user", "text", "thinking", "call", "result", "shell"}
    assert [piece.unit for piece in seen] == sorted(piece.unit for piece in seen)
    assert seen[-1].unit == tape.closed
    assert sum(piece.kind == "user" and piece.unit == 3 for piece in seen) >= 1


def replay(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Replay the sample, with a folder of modules as the working one."""
    return subprocess.run(
        [*COMMAND, str(SAMPLE), *arguments],
        cwd=folder,
        env={**os.environ, "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_function_from_a_module_stands_in_every_table(tmp_path: Path) -> None:
    """After those that were chosen; what it prints goes to stderr."""
    (tmp_path / "mine.py").write_text(
        "from foldcover_harness.replay.schedules import Piece\n"
        "def few(prompt, window):\n"
        "    print('hello')\n"
        "    return prompt[-3:]\n"
    )
    done = replay(tmp_path, "--json", "--sweep", "--schedules", "rule", "--schedule", "mine:few")
    found = json.loads(done.stdout)
    assert list(found["total"]["schedules"]) == ["rule", "mine:few"]
    assert found["total"]["schedules"]["mine:few"]["median_prompt"] < 40_000
    assert all(set(row["ratio_to_compaction"]) == {"rule", "mine:few"} for row in found["sweep"])
    assert "hello" in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "AttributeError"),
        ("f = 3", "not a function but int"),
        ("raise SystemExit(0)", "SystemExit"),
        ("def f(prompt): return prompt", "at request 0: TypeError"),
        ("def f(prompt, window): return None", "it returned NoneType, not a list of pieces"),
        ("def f(prompt, window): return [(1, 2)]", "tuple in the list it returned, not a piece"),
        ("def f(prompt, window): return [prompt[0]._replace(tokens=-1)]", "not below 0"),
        ("def f(prompt, window): return [prompt[0]._replace(tokens=1.5)]", "whole numbers"),
        ("def f(prompt, window): raise ValueError('two\\nlines')", "ValueError: two lines"),
    ],
)
def test_what_is_wrong_is_one_line(text: str, words: str, tmp_path: Path) -> None:
    """That names the schedule, and the file and the request where it failed; exit code 2."""
    (tmp_path / "mine.py").write_text(text)
    done = replay(tmp_path, "--schedule", "mine:f")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: --schedule[^\n]+\n", done.stderr)
    assert words in done.stderr
    if "request" in words:
        assert "tidetable.jsonl" in done.stderr


@pytest.mark.parametrize("name", ["mine", ":f", "mine:", "no.such:f"])
def test_a_name_that_leads_nowhere_is_one_line(name: str, tmp_path: Path) -> None:
    """Exit code 2."""
    done = replay(tmp_path, "--schedule", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"foldcover: --schedule[^\n]+\n", done.stderr)
