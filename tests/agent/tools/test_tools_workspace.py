"""The folders that may be touched: a path means what it leads to."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from foldcover_harness.agent.tools import Workspace, always

from .bench import Bench

OTHERS = {
    "read": {},
    "grep": {"pattern": "secret"},
    "edit": {"old": "secret", "new": "public"},
    "write": {"content": "public"},
}


def paths(tmp_path: Path, root: Path) -> list[str]:
    """Ways out of the folder, to a file and to a new name."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret\n")
    (root / "to_file").symlink_to(outside / "secret")
    (root / "to_folder").symlink_to(outside)
    (root / "far").symlink_to("to_folder")
    (root / "d").mkdir()
    ways = ("../outside", "to_folder", "far", str(outside), "d/../../outside", f"{root}/../outside", f"//{outside}")
    return ["to_file", *(f"{way}/secret" for way in ways), *(f"{way}/new" for way in ways), "/etc/passwd", "~/x", "/"]


@pytest.mark.parametrize("name", OTHERS)
def test_there_is_no_way_out(bench: Bench, tmp_path: Path, name: str) -> None:
    """Not by `..`, an absolute path, a link to a file or to a folder, a chain of links; nothing outside is touched."""
    for path in paths(tmp_path, bench.root):
        assert "outside of the workspace" in bench.fails(name, path=path, **OTHERS[name]), path
    assert [(each.name, each.read_bytes()) for each in (tmp_path / "outside").iterdir()] == [("secret", b"secret\n")]


def test_a_grep_of_the_folder_follows_no_link(bench: Bench, tmp_path: Path) -> None:
    """What links lead to is not searched."""
    paths(tmp_path, bench.root)
    assert bench.call("grep", pattern="secret") == "nothing was found"


def test_links_within_the_folder_are_followed(bench: Bench) -> None:
    """A file is changed where it is, and the link stays one."""
    bench.put("d/a.txt", b"one\n")
    (bench.root / "link").symlink_to("d/a.txt")
    assert bench.call("read", path="link") == "1\tone"
    bench.call("edit", path="link", old="one", new="two")
    bench.call("write", path=str(bench.root / "d" / ".." / "new"), content="x")
    assert (bench.root / "link").is_symlink()
    assert bench.files() == {"d/a.txt": b"two\n", "new": b"x"}


def test_allowed_folders_are_read_and_changed_and_readable_ones_read(tmp_path: Path) -> None:
    """By absolute paths, and to read also by a path from there where the working folder has no such."""
    allowed, readable = Bench(tmp_path / "allowed"), Bench(tmp_path / "kept")
    allowed.put("a.txt", b"one\n")
    readable.put("archives/b.txt", b"two\n")
    bench = Bench(tmp_path / "work", [allowed.root], [readable.root])
    bench.call("edit", path=str(allowed.root / "a.txt"), old="one", new="ONE")
    assert allowed.files() == {"a.txt": b"ONE\n"}
    there = readable.root / "archives" / "b.txt"
    assert bench.call("read", path=str(there)) == bench.call("read", path="archives/b.txt") == "1\ttwo"
    assert bench.call("grep", pattern="t.o", path="archives") == f"{there}:1: two"
    (readable.root / "away").symlink_to(tmp_path)
    assert "no such file" in bench.fails("read", path="away/allowed/../other")
    tmp_path.joinpath("other").write_bytes(b"secret\n")
    assert "no such file" in bench.fails("read", path="away/other")
    for name in ("edit", "write"):
        assert "read but not changed" in bench.fails(name, **{"path": str(there), **OTHERS[name]})
    assert readable.files() == {"archives/b.txt": b"two\n"}


def test_the_innermost_folder_says_what_is_allowed(tmp_path: Path) -> None:
    """A folder that may only be read lies within the working folder, and an allowed one within that."""
    root = tmp_path / "work"
    for folder in ("kept/free", "kept/archives"):
        (root / folder).mkdir(parents=True)
        (root / folder / "a.txt").write_bytes(b"secret\n")
    bench = Bench(root, [root / "kept" / "free"], [root / "kept"])
    for name in ("edit", "write"):
        assert "is in kept, which may be read" in bench.fails(name, path="kept/archives/a.txt", **OTHERS[name])
    assert "is in kept, which may be read" in bench.fails("write", path="kept/new/a.txt", content="x")
    assert bench.call("read", path="kept/archives/a.txt") == "1\tsecret"
    bench.call("edit", path="kept/free/a.txt", **OTHERS["edit"])
    bench.call("write", path="b.txt", content="x")


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_plain_file_is_refused_at_once(bench: Bench, tmp_path: Path, name: str) -> None:
    """Pipes, sockets, devices: nothing is waited for."""
    os.mkfifo(bench.root / "pipe")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(bench.root / "door"))
        for path in ("pipe", "door"):
            assert "no plain file" in bench.fails(name, path=path, **OTHERS[name])
    devices = Bench(tmp_path / "other", [Path("/dev")])
    for path in ("/dev/zero", "/dev/stdin", "/dev/tty"):
        assert devices.run(name, {"path": path, **OTHERS[name]}).failed


@pytest.mark.parametrize("name", OTHERS)
def test_paths_that_lead_nowhere(bench: Bench, name: str) -> None:
    """A loop of links, a name that is too long, a file as a folder: a line that names it."""
    (bench.root / "loop").symlink_to("pool")
    (bench.root / "pool").symlink_to("loop")
    bench.put("file", b"one\n")
    for path in ("loop", "pool/x", "n" * 300, "file/x", "d/" * 3_000):
        assert path[:50] in bench.fails(name, path=path, **OTHERS[name])


def test_a_folder_is_no_file(bench: Bench) -> None:
    """To read, edit and write; to grep it is."""
    (bench.root / "d").mkdir()
    for name in ("read", "edit", "write"):
        assert "is a folder" in bench.fails(name, path="d", **OTHERS[name])
    assert "folder" in bench.fails("write", path="new/", content="x")
    assert bench.call("grep", path="d", pattern="x") == "nothing was found"


def test_a_file_that_may_not_be_opened(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's reason, and the file's name."""
    bench.put("a.txt", b"secret\n")
    real = os.open

    def denied(path: str | Path, flags: int, mode: int = 0o777) -> int:
        if Path(path).name == "a.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", denied)
    for name in ("read", "grep", "edit"):
        assert bench.run(name, {"path": "a.txt", **OTHERS[name]}).text == f"{name}: a.txt: Permission denied"


def test_a_name_is_shown_in_one_line(bench: Bench) -> None:
    """Whatever it holds, with nothing hidden in it."""
    name = "a\nb\x1b[31m\u202e"
    assert bench.call("write", path=name, content="x") == "made a\u240ab\u241b[31m<U+202E>: 1 line, 1 byte"
    assert bench.call("read", path=name) == "1\tx"


def test_a_root_that_is_no_folder(tmp_path: Path) -> None:
    """Is the host's mistake: an OSError."""
    (tmp_path / "file").write_bytes(b"")
    for root in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(OSError, match=root.name):
            Workspace(root, confirm=always)
