"""Where a session of the agent lies, and from where it goes on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.models.server import Server

from foldcover_harness.agent import folders
from foldcover_harness.session import SessionError

from .driving import Desk, Ran


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
