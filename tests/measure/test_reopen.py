"""`foldcover measure reopen`: counts over folders of sessions."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from foldcover_harness.measure.command import measure
from foldcover_harness.session.session import Session


def call(number: int, name: str, given: str) -> dict[str, object]:
    """An answer that calls a tool."""
    function = {"name": name, "arguments": given}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
    }


def session(folder: Path, again: bool) -> None:
    """Three turns that each call a tool, the first folded before the second; `again`: the second calls it again and the
    third reads the archive.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with Session.create(folder, wire="chat") as made:
        for number in range(3):
            made.user({"role": "user", "content": f"Part {number}."})
            if number == 1:
                made.fold(0, 0)
            given = '{"path": "a"}' if again or not number else f'{{"path": "{number}"}}'
            if again and number == 2:
                archive = next((folder / "archives").iterdir()).name
                given = json.dumps({"path": f"archives/{archive}"})
            made.assistant(call(number, "read", given))
            made.tool_result({"role": "tool", "tool_call_id": f"c{number}", "content": "x"})
            made.assistant({"role": "assistant", "content": f"Done {number}."})
            made.end_turn()


def run(*arguments: str | Path) -> Result:
    """Run the command."""
    return CliRunner().invoke(measure, ["reopen", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a quiet session and, deeper, one that needed what it had folded."""
    session(tmp_path / "all" / "quiet", again=False)
    session(tmp_path / "all" / "deep" / "er" / "again", again=True)
    return tmp_path / "all"


def test_all_sessions_below_a_folder_are_counted(folder: Path) -> None:
    """A line each, and the total with its rates."""
    done = run(folder)
    assert (done.exit_code, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout.splitlines()[-4].split() == ["total", "of", "2", "6", "2", "1", "1", "1"]
    assert "0.500 read-backs, 0.500 repeated calls" in done.stdout
    assert "50 % of folds (95 %: 9-91)" in done.stdout


def test_json(folder: Path) -> None:
    """The sessions in the order of their names, and the total."""
    found = json.loads(run("--json", folder).stdout)
    assert [Path(each["folder"]).name for each in found["sessions"]] == ["again", "quiet"]
    again, quiet = found["sessions"]
    assert (again["read_backs"], again["repeated"], again["reopened"], again["folds"]) == (1, 1, 1, 1)
    assert (quiet["read_backs"], quiet["repeated"], quiet["reopened"], quiet["turns"]) == (0, 0, 0, 3)
    assert found["total"]["reopened_share"]["rate"] == 0.5
    assert found["total"]["repeated_a_fold"] == 0.5


def test_a_session_is_counted_once(folder: Path) -> None:
    """However often it is named."""
    found = json.loads(run("--json", folder, folder / "quiet", folder / "deep" / "..").stdout)
    assert len(found["sessions"]) == 2


def test_a_damaged_session_is_named_and_stops_no_other(folder: Path) -> None:
    """Exit code 1."""
    broken = folder / "broken"
    broken.mkdir()
    (broken / "journal.jsonl").write_text("junk\n")
    done = run(folder)
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert str(broken) in done.stderr
    assert "total of 2" in done.stdout


def test_a_session_in_use_is_read(folder: Path) -> None:
    """Its agent holds the lock; nothing is changed."""
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with Session.open(folder / "quiet"):
        assert run(folder).exit_code == 0
    assert {path: path.read_bytes() for path in before} == before


def test_no_session_is_an_error(tmp_path: Path) -> None:
    """One line, not a table of nothing."""
    done = run(tmp_path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no session in" in done.stderr


def test_a_session_without_a_fold_has_no_rate(tmp_path: Path) -> None:
    """Rather than a rate of 0."""
    with Session.create(tmp_path / "new", wire="chat"):
        pass
    found = json.loads(run("--json", tmp_path).stdout)
    assert found["total"]["folds"] == 0
    assert found["total"]["reopened_share"]["rate"] is found["total"]["repeated_a_fold"] is None
    assert "%" not in run(tmp_path).stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_named(folder: Path) -> None:
    """And the others are counted."""
    (folder / "deep").chmod(0)
    try:
        done = run(folder)
    finally:
        (folder / "deep").chmod(0o700)
    assert "deep: permission denied" in done.stderr
    assert "total of 1" in done.stdout


@pytest.mark.parametrize("arguments", [[], ["absent"]])
def test_wrong_usage(arguments: list[str]) -> None:
    """Exit code 2."""
    assert run(*arguments).exit_code == 2
