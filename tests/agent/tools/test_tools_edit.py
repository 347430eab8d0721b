"""edit and write: exactly what was asked for, or nothing. What else is in a file keeps its bytes and its line ends."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldcover_harness.agent.tools import edit, files
from foldcover_harness.session.disk import Disk

from .bench import Bench


def test_an_edit_changes_one_place(bench: Bench) -> None:
    """And says where; several lines at once too, and their removal."""
    bench.put("a.txt", b"one\ntwo\nthree\n")
    assert bench.call("edit", path="a.txt", old="two\nth", new="2\n3\n4") == "replaced 1 place in a.txt (line 2)"
    assert bench.files() == {"a.txt": b"one\n2\n3\n4ree\n"}
    bench.call("edit", path="a.txt", old="2\n3\n", new="")
    assert bench.files() == {"a.txt": b"one\n4ree\n"}


def test_the_old_text_must_be_there_once(bench: Bench) -> None:
    """None, several, overlapping ones: counted and named, nothing written."""
    bench.put("a.txt", b"a = 1\nb = 1\nbanana\n")
    assert "`old` does not occur in a.txt" in bench.fails("edit", path="a.txt", old="c = 1", new="x")
    assert "line 2 has it with other white space" in bench.fails("edit", path="a.txt", old="b  =\n1", new="x")
    assert "occurs 2 times in a.txt (lines 1, 2)" in bench.fails("edit", path="a.txt", old=" = 1", new="x")
    assert "occurs 2 times in a.txt (places that overlap)" in bench.fails("edit", path="a.txt", old="ana", new="x")
    assert "are the same" in bench.fails("edit", path="a.txt", old="b", new="b")
    assert "length >= 1" in bench.fails("edit", path="a.txt", old="", new="b")


def test_all_places(bench: Bench) -> None:
    """Counted; at least one."""
    bench.put("a.txt", b"one\n" * 30)
    assert bench.call("edit", path="a.txt", old="one", new="1", all=True) == (
        "replaced 30 places in a.txt (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)"
    )
    assert bench.files() == {"a.txt": b"1\n" * 30}
    assert "does not occur" in bench.fails("edit", path="a.txt", old="one", new="1", all=True)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\nc\r\n", "\nb\n", "\n", b"a\r\nc\r\n"),
        (b"a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n"),
        (b"a\r\nb\nc\nd\n", "a\nb", "x\ny", b"x\r\ny\nc\nd\n"),
        (b"a\r\nb\nc\nd\n", "c\nd", "x\ny", b"a\r\nb\nx\ny\n"),
        (b"a\r\nb\nc\nd\n", "b", "x\ny", b"a\r\nx\ny\nc\nd\n"),
        (b"a\rb\n", "\r", "\n", b"a\nb\n"),
    ],
)
def test_line_ends_are_the_files_own(bench: Bench, before: bytes, old: str, new: str, after: bytes) -> None:
    """A newline matches CR LF, and becomes what the file has there, or has most where the old text had none."""
    bench.put("a.txt", before)
    bench.call("edit", path="a.txt", old=old, new=new)
    assert bench.files() == {"a.txt": after}


def test_what_is_not_utf8_keeps_its_bytes(bench: Bench) -> None:
    """A byte order mark, and another encoding around the place."""
    bench.put("a.txt", b"\xef\xbb\xbf\xff\xe4 one \xe4\n")
    bench.call("edit", path="a.txt", old="one", new="two \u00e4")
    assert bench.files() == {"a.txt": b"\xef\xbb\xbf\xff\xe4 two \xc3\xa4 \xe4\n"}


@settings(max_examples=80, deadline=None)
@given(
    text=st.lists(st.sampled_from(["a", "b", "\n", "\r\n"]), max_size=20).map("".join),
    old=st.text("ab\n", min_size=1, max_size=3),
    new=st.text("bc\n", max_size=3),
)
def test_an_edit_is_a_replacement(tmp_path_factory: pytest.TempPathFactory, text: str, old: str, new: str) -> None:
    """But for line ends it is what replacing in the text gives, or nothing where it is not one place."""
    bench = Bench(tmp_path_factory.mktemp("edit"))
    bench.put("a.txt", text.encode())
    flat = text.replace("\r\n", "\n")
    once = flat.count(old) == 1 and flat.find(old, flat.find(old) + 1) < 0
    for everywhere, right in ((False, once), (True, old in flat)):
        bench.put("a.txt", text.encode())
        result = bench.run("edit", {"path": "a.txt", "old": old, "new": new, "all": everywhere})
        assert result.failed == (not right or old == new)
        after = bench.files()["a.txt"].decode()
        assert after.replace("\r\n", "\n") == (flat if result.failed else flat.replace(old, new))


def test_files_that_are_not_edited(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """None there, binary ones, ones that are too large or would be."""
    bench.put("a.bin", b"one\0")
    bench.put("large", b"one" + b" " * 100)
    bench.put("small", b"a" * 50)
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    monkeypatch.setattr(edit, "MOST_BYTES", 100)
    assert "there is no such file" in bench.fails("edit", path="none", old="one", new="two")
    for name in ("edit", "write"):
        given = {"old": "one", "new": "two"} if name == "edit" else {"content": "x"}
        assert "is a binary file" in bench.fails(name, path="a.bin", **given)
        assert "more than 100 bytes" in bench.fails(name, path="large", **given)
    assert "would have more than 100 bytes" in bench.fails("edit", path="small", old="a", new="b" * 30, all=True)


def test_an_edit_that_would_be_gigabytes_is_refused(bench: Bench) -> None:
    """Before they are made; and so are too many places at once."""
    bench.put("a.txt", b"a" * 1_000_000)
    assert "occurs 1,000,000 times in a.txt, more than" in bench.fails("edit", path="a.txt", old="a", new="b", all=True)
    bench.put("a.txt", b"a" * 100_000)
    assert "would have more than" in bench.fails("edit", path="a.txt", old="a", new="b" * 1_000, all=True)


def test_write_makes_files_with_their_folders(bench: Bench) -> None:
    """And replaces whole ones; an empty one too."""
    assert bench.call("write", path="d/e/a.txt", content="one\ntwo") == "made d/e/a.txt: 2 lines, 7 bytes"
    assert bench.call("write", path="d/e/a.txt", content="\u00e4\n") == "replaced d/e/a.txt: 1 line, 3 bytes"
    assert bench.call("write", path="b.txt", content="") == "made b.txt: 0 lines, 0 bytes"
    assert bench.files() == {"d/e/a.txt": b"\xc3\xa4\n", "b.txt": b""}


def test_write_keeps_cr_lf(bench: Bench) -> None:
    """Where all lines had it, and says so; otherwise the content is written as it came."""
    bench.put("a.txt", b"a\r\nb\r\n")
    assert "CR LF" in bench.call("write", path="a.txt", content="x\ny\n")
    assert bench.files() == {"a.txt": b"x\r\ny\r\n"}
    bench.put("b.txt", b"a\r\nb\n")
    for name, content in (("a.txt", "x\ny\r\n"), ("b.txt", "x\ny\n")):
        bench.call("write", path=name, content=content)
    assert bench.files() == {"a.txt": b"x\ny\r\n", "b.txt": b"x\ny\n"}


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o4751])
def test_the_mode_is_kept(bench: Bench, mode: int) -> None:
    """By edit and by write."""
    path = bench.put("a.txt", b"one\n")
    path.chmod(mode)
    bench.call("edit", path="a.txt", old="one", new="two")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    bench.call("write", path="a.txt", content="three")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_mode_of_the_umask(bench: Bench) -> None:
    """Like any program's."""
    old = os.umask(0o027)
    try:
        bench.call("write", path="a.txt", content="x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((bench.root / "a.txt").stat().st_mode) == 0o640


def test_a_read_only_file_is_not_replaced(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although its folder would let it be."""

    def denied(path: Path, mode: int) -> bool:
        return path.name != "a.txt" or mode != os.W_OK

    bench.put("a.txt", b"one\n").chmod(0o444)
    if os.geteuid() == 0:  # who may write everything
        monkeypatch.setattr(os, "access", denied)
    assert "Permission denied; it is as it was" in bench.fails("edit", path="a.txt", old="one", new="two")
    assert "Permission denied; it is as it was" in bench.fails("write", path="a.txt", content="two")


CALLS: list[Callable[[Bench], str]] = [
    lambda bench: bench.fails("edit", path="a.txt", old="one", new="two"),
    lambda bench: bench.fails("write", path="a.txt", content="two\n"),
    lambda bench: bench.fails("write", path="b.txt", content="two\n"),
]


@pytest.mark.parametrize("call", CALLS, ids=["edit", "write", "new"])
@pytest.mark.parametrize("operation", ["write_some", "flush", "rename"])
def test_a_full_disk_harms_no_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, operation: str, call: Callable[[Bench], str]
) -> None:
    """At whatever operation: a clear line, the file as it was, nothing left beside it."""
    bench.put("a.txt", b"one\n").chmod(0o640)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Disk, operation, full)
    assert "could not be written: No space left on device; it " in call(bench)
    assert os.listdir(bench.root) == ["a.txt"]
    assert stat.S_IMODE((bench.root / "a.txt").stat().st_mode) == 0o640


@pytest.mark.parametrize("call", CALLS, ids=["edit", "write", "new"])
def test_a_change_meanwhile_is_not_overwritten(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, call: Callable[[Bench], str]
) -> None:
    """Somebody else writes while the new text is on its way: theirs stays."""
    bench.put("a.txt", b"one\n")
    real = Disk.flush

    def meanwhile(disk: Disk, file: int) -> None:
        real(disk, file)
        for name in ("a.txt", "b.txt"):
            bench.put(name, b"one, theirs\n")

    def unseen(_: Bench) -> dict[str, bytes]:
        return {}

    monkeypatch.setattr(Disk, "flush", meanwhile)
    monkeypatch.setattr(Bench, "files", unseen)
    assert "changed by somebody else meanwhile; nothing was written" in call(bench)
    assert (bench.root / "a.txt").read_bytes() == (bench.root / "b.txt").read_bytes() == b"one, theirs\n"
    assert sorted(os.listdir(bench.root)) == ["a.txt", "b.txt"]


def test_write_does_not_overwrite_what_changed_since_it_was_read(bench: Bench) -> None:
    """Until it is read again; its own writes are no such change."""
    bench.put("a.txt", b"one\n")
    bench.call("read", path="a.txt")
    bench.call("write", path="a.txt", content="two\n")
    bench.call("edit", path="a.txt", old="two", new="three")
    bench.call("write", path="a.txt", content="four\n")
    bench.put("a.txt", b"theirs\n")
    assert "changed by somebody else since it was read" in bench.fails("write", path="a.txt", content="five\n")
    bench.call("read", path="a.txt")
    bench.call("write", path="a.txt", content="five\n")
    assert bench.files() == {"a.txt": b"five\n"}


def test_an_interrupt_leaves_the_file_and_nothing_beside_it(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It passes through."""
    bench.put("a.txt", b"one\n")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Disk, "flush", interrupt)
    with pytest.raises(KeyboardInterrupt):
        bench.run("write", {"path": "a.txt", "content": "two"})
    assert [(each.name, each.read_bytes()) for each in Path(bench.root).iterdir()] == [("a.txt", b"one\n")]
