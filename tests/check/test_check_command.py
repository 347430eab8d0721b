"""`foldcover check` as a program: what goes where, exit codes, JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "a"}]}
BAD = {"messages": [{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "gone", "content": "a"}]}


def check(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    foldcover = str(Path(sys.executable).with_name("foldcover"))
    command = [foldcover, "check", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good file and a bad one."""
    (tmp_path / "good.json").write_text(json.dumps(GOOD))
    (tmp_path / "bad.json").write_text(json.dumps(BAD))
    return tmp_path


def test_nothing_found_is_code_0(folder: Path) -> None:
    """It says so, on stdout, and nothing else anywhere."""
    done = check(folder / "good.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nothing found" in done.stdout
    assert done.stdout.endswith("1 file read, nothing found\n")


def test_something_found_is_code_1(folder: Path) -> None:
    """A line for each kind, with its place; every line fits."""
    done = check(folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert "results without a call" in done.stdout
    assert "message 1 gone" in done.stdout
    assert "OpenAI Chat Completions: the next request, for message 1" in done.stdout
    assert done.stdout.endswith("2 files read, something found in 1\n")
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_file_that_cannot_be_read_is_code_1(folder: Path) -> None:
    """The reason goes to stderr; the others are examined."""
    (folder / "notes.txt").write_text("hello")
    done = check(folder / "good.json", folder / "notes.txt", folder / "missing")
    assert done.returncode == 1
    assert "notes.txt: not a transcript: no JSON object in it" in done.stderr
    assert "missing: no such file" in done.stderr
    assert "1 file read, nothing found, 2 could not be read" in done.stdout


def test_usage_is_code_2() -> None:
    """No path is usage."""
    done = check()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Missing argument" in done.stderr


def test_json_has_stable_keys(folder: Path) -> None:
    """Places are lines, or indices, under their own names."""
    done = check("--json", folder)
    value = json.loads(done.stdout)
    assert (value["version"], value["clean"], value["refused"]) == (1, False, [])
    bad = value["transcripts"][0]
    assert {key: bad[key] for key in ("client", "layout", "turns", "requests", "calls", "results")} == {
        "client": "openai-chat",
        "layout": "object",
        "turns": 1,
        "requests": 0,
        "calls": 0,
        "results": 1,
    }
    assert bad["findings"][0] == {
        "kind": "orphan-result",
        "count": 1,
        "line": None,
        "index": 1,
        "what": "gone",
        "other": None,
    }
    assert bad["refusals"][0] == {
        "provider": "anthropic",
        "own_wire": False,
        "why": "unexpected tool_use_id found in tool_result blocks",
        "count": 1,
        "line": None,
        "index": 1,
        "request": None,
        "request_at": {"line": None, "index": None},
    }


def test_help_fits_eighty_columns() -> None:
    """With examples and exit codes."""
    done = check("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Examples:" in done.stdout
    assert "Exit codes: 0 nothing found" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_check_of_nothing_is_no_pass(tmp_path: Path) -> None:
    """An empty folder: exit code 1, and one line that says so."""
    done = check(tmp_path)
    assert done.returncode == 1
    assert done.stderr == "foldcover: nothing could be checked\n"
