"""Where a session of the agent lies, and from where it goes on."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.models.server import Server

from foldcover_harness.agent import folders
from foldcover_harness.session import SessionError
from foldcover_harness.session.lines import printable

from .driving import PROGRAM, WAIT, Desk, Ran


def test_no_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container with a user whom nobody knows: the line says what to do, and XDG_STATE_HOME suffices."""

    def nobody(*_: object) -> None:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", nobody)
    with pytest.raises(SessionError, match="no home folder; set XDG_STATE_HOME, or name a folder with --dir"):
        folders.sessions(Path("/a/b"))
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    assert folders.sessions(Path("/a/b")).is_relative_to("/state/foldcover")


def test_a_working_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was deleted by somebody else, while a shell still stands in it."""
    root = tmp_path / "work"
    root.mkdir()
    monkeypatch.chdir(root)
    assert folders.here() == Path(os.path.realpath(root))
    root.rmdir()
    with pytest.raises(SessionError, match="the working folder is gone"):
        folders.here()


def test_a_folder_with_something_else(tmp_path: Path) -> None:
    """A session does not spread in a folder of the user's; an empty one is taken."""
    with Server("chat", ["Hello."]) as server:
        desk = Desk(tmp_path, server)
        desk.folder = desk.root
        notes = desk.file("notes.txt", "mine")
        wrong = desk.agent("hi").wrong
        assert wrong == f"{desk.folder} is not empty and holds no session; name a new folder"
        assert [*desk.root.iterdir()] == [notes]
        desk.folder = tmp_path / "empty"
        desk.folder.mkdir()
        assert desk.agent("hi") == Ran(0, "Hello.\n", "")
    desk.sound()


@pytest.mark.parametrize("name", [b"elsewhere", b"w\xff"])
def test_a_session_goes_on_in_its_working_folder_alone(tmp_path: Path, name: bytes) -> None:
    """Its prompt names that one for ever; the line names both, and the session is as it was."""
    with Server("chat", ["One.", "Two."]) as server:
        desk = Desk(tmp_path, server)
        begun, desk.root = desk.root, Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
        desk.root.mkdir()
        assert desk.agent("first") == Ran(0, "One.\n", "")
        desk.root, other = begun, desk.root
        journal = (desk.folder / "journal.jsonl").read_bytes()
        there = printable(str(other))
        assert (
            desk.resumed("on").wrong == f"{desk.folder} was begun in {there}, and this is {begun}: go on with it there"
        )
        assert (desk.folder / "journal.jsonl").read_bytes() == journal
        desk.root = other
        assert desk.resumed("on") == Ran(0, "Two.\n", "")
    desk.sound()


def test_a_session_that_does_not_say_its_working_folder(tmp_path: Path) -> None:
    """As those of before: it goes on anywhere."""
    with Server("chat", ["One.", "Two."]) as server:
        desk = Desk(tmp_path, server)
        assert desk.agent("first").code == 0
        journal = desk.folder / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        assert json.loads(lines[1])["value"]["root"] == str(desk.root)
        lines[1] = b'{"e":"keep","name":"agent","value":{"model":"openai:m","base_url":"%s"}}\n' % server.url.encode()
        journal.write_bytes(b"".join(lines))
        desk.root = tmp_path
        assert desk.resumed("on") == Ran(0, "Two.\n", "")


def test_the_command_says_that_its_folder_is_gone(tmp_path: Path) -> None:
    """One line; nothing is begun."""
    desk = Desk(tmp_path)
    gone = tmp_path / "gone"
    shell = ["bash", "-c", f'mkdir {gone} && cd {gone} && rmdir {gone} && exec "$@"', "bash", *PROGRAM, "agent"]
    done = subprocess.run(
        [*shell, "--model", "openai:m", "hi"],
        env=desk.environment,
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "foldcover: the working folder is gone\n"
