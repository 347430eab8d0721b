"""A session opened again: what it knows, who may write, what comes back, and how damage is named."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.session import Session, archive
from foldcover_harness.session.checking import exact, examine, original
from foldcover_harness.session.disk import temporary_name
from foldcover_harness.session.journal import JournalError
from foldcover_harness.session.lock import Locked
from foldcover_harness.session.place import JOURNAL

from .scripted import STANDING, WIRE_NAMES, Quick, created, reads, result, says, turn, user

every_wire = pytest.mark.parametrize("wire", WIRE_NAMES)


def filled(folder: Path, wire: str = "anthropic", units: int = 3) -> None:
    """A session with some units and an open turn."""
    with created(folder, wire) as session:
        for number in range(units + 1):
            turn(session, f"task {number}", [reads(f"c{number}")], f"Closed {number}.")
        session.user(user("now"))
        for number in range(units):
            session.fold(number, number)


@every_wire
def test_opened_again_it_is_the_same(tmp_path: Path, wire: str) -> None:
    """Requests, cover, card, counters, zoom, what waits, and the correction by usage."""
    with created(tmp_path, wire, card_calls=1) as session:
        turn(session, "task", [reads("c")])
        session.user(user("now"))
        assert session.usage(session.load().tokens * 2)
        assert not session.usage(10**9)
        answer = says(wire, "", reads("f")._replace(name="fold_unit", input={"from": 0, "to": 0}))
        session.assistant(answer)
        session.tool_result(session.handle(session.calls(answer)[0]))
    with Session.open(tmp_path, disk=Quick()) as again:
        assert json.dumps(again.request()) == json.dumps(session.request())
        assert again.state == session.state
        assert again.settings == session.settings
        assert again.state.factor == 2
        assert len(again.end_turn().folded) == 1
        again.user(user("more"))


def test_a_reader_reads_while_a_writer_writes(tmp_path: Path) -> None:
    """And sees what is there; it cannot write; a second writer is told who holds the folder."""
    with created(tmp_path) as session:
        turn(session, "task")
        with Session.open(tmp_path, read_only=True) as reader:
            assert json.dumps(reader.request()) == json.dumps(session.request())
            with pytest.raises(JournalError, match="reading only"):
                reader.user(user("no"))
            assert json.dumps(reader.request()) == json.dumps(session.request())
        with pytest.raises(Locked, match=f"process {os.getpid()}"):
            Session.open(tmp_path)
        with pytest.raises(Locked):
            Session.create(tmp_path)
        session.user(user("still here"))
    with Session.open(tmp_path, disk=Quick()) as again:
        assert len(again.state.turns) == 2


SECOND = """
import sys
from foldcover_harness.session import Session
from foldcover_harness.session.lock import Locked
try:
    Session.open(sys.argv[1])
except Locked as error:
    print(error)
"""


def test_a_second_process_is_told(tmp_path: Path) -> None:
    """The lock is the system's: it holds between processes."""
    with created(tmp_path) as session:
        turn(session, "task")
        command = [sys.executable, "-c", SECOND, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert f"in use by process {os.getpid()}" in done.stdout


def test_a_folder_that_holds_no_session(tmp_path: Path) -> None:
    """Clear errors, and nothing is made; a session is never made over another."""
    with pytest.raises(OSError, match="No such file"):
        Session.open(tmp_path / "nowhere")
    with pytest.raises(OSError, match="No such file"):
        Session.open(tmp_path, read_only=True)
    assert not (tmp_path / JOURNAL).exists()
    filled(tmp_path / "s")
    before = (tmp_path / "s" / JOURNAL).read_bytes()
    with pytest.raises(JournalError, match="is there already"):
        Session.create(tmp_path / "s")
    assert (tmp_path / "s" / JOURNAL).read_bytes() == before
    (tmp_path / "file").write_text("x")
    with pytest.raises(OSError, match="exists"):
        Session.create(tmp_path / "file")


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    """Folders 0700, files 0600, whatever the umask."""
    before = os.umask(0)
    try:
        filled(tmp_path / "s")
    finally:
        os.umask(before)
    for path in [tmp_path / "s", *(tmp_path / "s").rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


ODD: list[dict[str, Any]] = [
    {"z": 1, "role": "user", "a": {"y": [], "b": None}, "content": "key order"},
    {"role": "user", "content": "lone \ud83d and \udc00, pairs 😀, nul \x00, \u2028\u2029\x85\ufeff, é e\u0301"},
    {"role": "user", "content": "numbers", "big": 10**400, "float": 0.1 + 0.2, "zero": -0.0, "e": 1e300, "i": -(2**70)},
    {"role": "user", "content": [{"type": "text", "text": "x", "deep": [[[[{"": ""}]]]]}, {"type": "odd", "n": 1.0}]},
    {"role": "user", "content": 'control \x1b[31m \x7f \t \r\n and "quotes" \\ / \\u0041'},
]


@every_wire
def test_everything_comes_back_byte_for_byte(tmp_path: Path, wire: str) -> None:
    """From the journal, and from the archives alone: key order, surrogates, numbers, controls."""
    said: list[Any] = []
    with created(tmp_path, wire) as session:
        for odd in ODD:
            answer = says(wire, "answer \udfff", reads("c"))
            for role, message in (
                ("user", odd),
                ("assistant", answer),
                ("tool_result", result(wire, "c", "ok \ud800")),
            ):
                getattr(session, role)(message)
                said.append(message)
        for number in range(len(ODD) - 1):
            session.fold(number, number)
    bytes_in = [exact(message) for message in said]
    assert [exact(message) for message in original(tmp_path, JOURNAL)] == bytes_in
    kept = [archive.read(tmp_path / "archives" / unit.archive)[1] for unit in session.state.units]
    assert [exact(message) for messages in kept for message in messages] == bytes_in[: 3 * (len(ODD) - 1)]
    with Session.open(tmp_path, read_only=True) as again:
        last = again.state.turns[-1].entries or []
        assert [exact(entry.message) for entry in last] == bytes_in[-3:]


def damaged(folder: Path, name: str, old: bytes, new: bytes) -> Path:
    """The folder's file with one place changed."""
    path = folder / name
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    return path


def test_a_damaged_archive_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """Changed, cut, missing, replaced: the doctor names file and turns; the session still opens, zooms and searches."""
    filled(tmp_path / "whole")
    for wrong in ("changed", "cut", "missing", "other"):
        folder = tmp_path / wrong
        shutil.copytree(tmp_path / "whole", folder)
        with Session.open(folder, read_only=True) as session:
            first, second, _ = [f"archives/{unit.archive}" for unit in session.state.units]
        if wrong == "changed":
            damaged(folder, first, b"result of c0", b"result of c9")
        elif wrong == "cut":
            (folder / first).write_bytes((folder / first).read_bytes()[:-9])
        elif wrong == "missing":
            (folder / first).unlink()
        else:
            shutil.copy(folder / second, folder / first)
        (trouble,) = examine(folder, JOURNAL).troubles
        assert first in trouble
        assert "turns 0 to 0" in trouble
        with Session.open(folder, disk=Quick()) as session:
            assert len(session.cover()) == 3
            assert session.search("result of c1").hits
            session.user(user("go on"))
            session.fold(3, 3)
        assert len(examine(folder, JOURNAL).troubles) == 1
        assert len(list(original(folder, JOURNAL))) == 18


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b'{"e":"fold"', b'{"e":"fold', "not JSON"),
        (b'{"e":"fold","first":1,"last":1', b'{"e":"fold","first":1,"last":8', "are not all open"),
        (b'{"e":"fold","first":0', b'{"e":"fould","first":0', "unknown event"),
        (b'{"e":"fold","first":0', b'{"e":"fold","frst":0', "KeyError"),
        (b'{"e":"fold","first":0', b'{"e":"fold","first":"0"', "TypeError"),
        (b'"role":"user","message":{"role":"user","content":"task 1"', b'"role":"user","message":[', "not JSON"),
    ],
)
def test_a_damaged_journal_is_named_by_its_line(tmp_path: Path, old: bytes, new: bytes, what: str) -> None:
    """By the doctor and at open; what stands before the line can be exported; nothing is mended."""
    filled(tmp_path)
    path = damaged(tmp_path, JOURNAL, old, new)
    data = path.read_bytes()
    line = data[: data.index(new)].count(b"\n") + 1
    found = examine(tmp_path, JOURNAL).troubles
    assert f"{path}, line {line}: " in found[0]
    assert what in found[0]
    for read_only in (True, False):
        with pytest.raises(JournalError, match=f"line {line}: "):
            Session.open(tmp_path, read_only=read_only)
    readable: list[Any] = []
    messages = original(tmp_path, JOURNAL)
    try:
        readable.extend(messages)
    except JournalError as error:
        assert f"line {line}" in str(error)  # noqa: PT017
    assert len(readable) >= 4
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b'"wire":"anthropic"', b'"wire":"smoke"', "no wire 'smoke'"),
        (b'"wire":"anthropic"', b'"wire":["anthropic"]', "no wire"),
        (b'"version":1', b'"version":2', "version 2"),
        (b'"window":200000', b'"window":-1', "window"),
        (b'"window":200000', b'"windows":1', "unknown settings: windows"),
        (b'"settings":{', b'"settinks":{', "no settings"),
        (b'{"foldcover"', b'{"foldcovers"', "line 1"),
    ],
)
def test_a_header_that_cannot_be_understood(tmp_path: Path, old: bytes, new: bytes, what: str) -> None:
    """One clear error that names the journal, from open and from the doctor."""
    filled(tmp_path, units=1)
    path = damaged(tmp_path, JOURNAL, old, new)
    for read_only in (True, False):
        with pytest.raises(JournalError, match=what) as error:
            Session.open(tmp_path, read_only=read_only)
        assert str(path) in str(error.value)
    (trouble,) = examine(tmp_path, JOURNAL).troubles
    assert what in trouble


def test_an_unfinished_event_is_no_trouble(tmp_path: Path) -> None:
    """What a kill left behind the last whole line is noted by the doctor and cut off by the next writer."""
    filled(tmp_path)
    whole = (tmp_path / JOURNAL).read_bytes()
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(b'{"e":"message","role":"us')
    found = examine(tmp_path, JOURNAL)
    assert found.troubles == ()
    assert "unfinished event" in found.notes[0]
    Session.open(tmp_path, read_only=True).close()
    assert (tmp_path / JOURNAL).read_bytes() != whole
    Session.open(tmp_path).close()
    assert (tmp_path / JOURNAL).read_bytes() == whole


def test_the_search_index_may_be_deleted(tmp_path: Path) -> None:
    """It is derived; a damaged one is no trouble either."""
    filled(tmp_path)
    with Session.open(tmp_path, disk=Quick()) as session:
        before = session.search("result of c1")
        for name in [path for path in tmp_path.iterdir() if path.name.startswith("search.sqlite")]:
            name.write_bytes(b"no database")
        assert session.search("result of c1") == before
        for name in [path for path in tmp_path.iterdir() if path.name.startswith("search.sqlite")]:
            name.unlink()
        assert session.search("result of c1") == before
    assert examine(tmp_path, JOURNAL).troubles == ()
    assert STANDING["anthropic"] == session.standing


def test_nothing_is_left_where_there_is_no_session(tmp_path: Path) -> None:
    """Neither a lock nor a folder."""
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(FileNotFoundError):
            Session.open(folder)
    assert list(tmp_path.iterdir()) == []


def test_a_writer_cleans_up_behind_a_kill(tmp_path: Path) -> None:
    """An archive that was never whole is removed; a reader leaves it."""
    with created(tmp_path) as session:
        turn(session, "first")
        turn(session, "second")
        session.fold(0, 0)
    left = temporary_name(tmp_path / "archives" / ("0" * 16 + ".txt"))
    left.write_bytes(b"half")
    Session.open(tmp_path, read_only=True).close()
    assert left.exists()
    Session.open(tmp_path).close()
    assert not left.exists()
