"""A journal gives back what it was given, refuses what would not come back, and says where it is damaged."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from foldcover_harness.session.disk import Disk
from foldcover_harness.session.exact import NotJson
from foldcover_harness.session.journal import Journal, JournalDamaged, JournalError

HEADER: dict[str, Any] = {"wire": "chat", "standing": {"model": "m"}, "settings": {}}
EVENTS: list[dict[str, Any]] = [
    {"e": "message", "role": "user", "message": {"role": "user", "content": "Grüße\nטקסט 👍"}},
    {"e": "usage", "tokens": 12},
    {"e": "message", "role": "assistant", "message": [{"type": "x", "text": "y" * 60}]},
]


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    """A journal with the events above, closed."""
    path = tmp_path / "journal.jsonl"
    with Journal.create(Disk(), path, HEADER) as journal:
        for event in EVENTS:
            journal.append(event)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    """Its events, as a reader sees them."""
    return list(Journal.open(Disk(), path, read_only=True).events())


def test_it_comes_back_as_it_was(path: Path) -> None:
    """Header and events, any number of times, by a writer too, and private to its owner."""
    with Journal.open(Disk(), path) as journal:
        assert journal.header == {"foldcover": "journal", "version": 1, **HEADER}
        assert list(journal.events()) == EVENTS
        journal.append({"e": "usage", "tokens": 13})
        assert [*journal.events()] == [*journal.events()] == [*EVENTS, {"e": "usage", "tokens": 13}]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_events_are_read_one_by_one(path: Path) -> None:
    """The first event of a journal is there before a damaged second is met."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"{}\n", *lines[3:]]))
    events = Journal.open(Disk(), path, read_only=True).events()
    assert next(events) == EVENTS[0]
    with pytest.raises(JournalDamaged, match=r"journal\.jsonl, line 3: not an event"):
        next(events)


def test_a_second_create_is_refused(path: Path) -> None:
    """What is there stays."""
    before = path.read_bytes()
    with pytest.raises(JournalError, match="is there already"):
        Journal.create(Disk(), path, HEADER)
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", [2, 0, True, 1.0, "1", None])
def test_an_unknown_version_is_refused_and_nothing_touched(path: Path, version: object) -> None:
    """Not even an unfinished event at its end is cut off."""
    first, rest = path.read_bytes().split(b"\n", 1)
    data = (
        first.replace(b'"version":1', b'"version":' + repr(version).encode().lower().replace(b"'", b'"')) + b"\n" + rest
    )
    data = data.replace(b":none", b":null") + b'{"e":"mess'
    path.write_bytes(data)
    for read_only in (True, False):
        with pytest.raises(JournalError, match="this foldcover knows version 1"):
            Journal.open(Disk(), path, read_only)
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"{}\n", b"[]\n", b"x\n", b'{"foldcover":"journal","version":1}', b"\0" * 64]
)
def test_no_journal_is_said_to_be_none(tmp_path: Path, data: bytes) -> None:
    """Line 1, nothing touched; no file at all is the system's own error."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(data)
    with pytest.raises(JournalDamaged, match="line 1: not the first line of a journal"):
        Journal.open(Disk(), path)
    assert path.read_bytes() == data
    with pytest.raises(FileNotFoundError):
        Journal.open(Disk(), tmp_path / "none")


def test_every_cut_of_the_last_event_is_mended_by_a_writer_only(path: Path) -> None:
    """As cut bytes and as zeros; a reader sees the same and changes nothing; the next append works."""
    whole = path.read_bytes()
    start = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in range(start + 1, len(whole)):
        for torn in (
            whole[:cut],
            whole[:cut] + bytes(len(whole) - cut),
            whole[:start] + bytes(cut - start) + whole[cut:],
        ):
            path.write_bytes(torn)
            assert read(path) == EVENTS[:2]
            assert path.read_bytes() == torn
            with Journal.open(Disk(), path) as journal:
                assert journal.torn == len(torn) - start
                assert path.read_bytes() == whole[:start]
                if cut % 40 == 0:
                    journal.append(EVENTS[2])
                    assert read(path) == EVENTS


@pytest.mark.parametrize(
    "tail",
    [
        b'{"e":"usage","tokens":1}\0\0{"e":"usa',
        b'\0\0\0{"e":"usage"}{"e":"x"',
        b'{"e":"a","\0":1}\n{"e":"mess',
        b"{'e': 'somebody edited this'",
        b"more",
    ],
)
def test_an_end_that_is_more_than_one_event_is_left_alone(path: Path, tail: bytes) -> None:
    """An error that names a line; nothing is cut off."""
    data = path.read_bytes() + tail
    path.write_bytes(data)
    for read_only in (True, False):
        with pytest.raises(JournalDamaged, match=r"line 5: (the end is more than|no event of ours)"):
            Journal.open(Disk(), path, read_only)
    assert path.read_bytes() == data


def test_an_event_inside_an_unfinished_event_is_no_second_one(path: Path) -> None:
    """A message may hold what looks like an event, as text and as an object."""
    inner = {"e": "usage", "more": [{"e": "x"}, {"e": "y"}]}
    with Journal.open(Disk(), path) as journal:
        journal.append({"e": "message", "message": {"input": inner, "text": '}{"e":"x"}'}})
    path.write_bytes(path.read_bytes()[:-3])
    assert read(path) == EVENTS


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"not JSON\n", "not JSON"),
        (b'{"e":"usage","tokens":NaN}\n', "NaN is no JSON number"),
        (b'{"e":"usage","tokens":1e400}\n', "1e400 is too large"),
        (b'{"e":"us\xffage"}\n', "not JSON"),
        (b'{"e":1}\n', "not an event"),
        (b"[" * 100_000 + b"\n", "not JSON"),
        (b'{"e":"a"\0\0\0\0}\n', "zeros"),
        (b"\n", "not JSON"),
    ],
)
def test_a_damaged_line_in_the_middle_is_named(path: Path, line: bytes, what: str) -> None:
    """File, line and what; the events before it are there."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], line, *lines[2:]]))
    with Journal.open(Disk(), path) as journal, pytest.raises(JournalDamaged, match=what) as error:
        list(journal.events())
    assert str(error.value).startswith(f"{path}, line 3: ")


class Odd:
    """No JSON."""


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), -float("inf"), b"bytes", {1: 2}, {None: 1}, {True: 1}, {"a"}, Odd(), 10**5000, 1j],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_json_is_refused_before_anything_is_written(path: Path, value: object) -> None:
    """However deep it stands; the journal goes on."""
    before = path.read_bytes()
    with Journal.open(Disk(), path) as journal:
        for event in ({"e": "x", "value": value}, {"e": "x", "value": [{"a": (value,)}]}):
            with pytest.raises(NotJson):
                journal.append(event)
        nameless: list[dict[str, object]] = [{}, {"value": 1}, {"value": 1, "e": "x"}, {"e": 1}]
        for each in nameless:
            with pytest.raises(NotJson, match="begins with its name"):
                journal.append(each)
        assert path.read_bytes() == before
        journal.append({"e": "x"})
    assert read(path) == [*EVENTS, {"e": "x"}]


def test_too_deep_is_refused_and_deep_comes_back(path: Path) -> None:
    """What could not be read again is not written; a value that holds itself is too deep."""
    deep: list[Any] = []
    for _ in range(254):
        deep = [deep]
    endless: list[Any] = []
    endless.append(endless)
    with Journal.open(Disk(), path) as journal:
        journal.append({"e": "x", "value": deep})
        for value in ([[deep]], endless):
            with pytest.raises(NotJson, match="nested more than"):
                journal.append({"e": "x", "value": value})
    assert read(path)[-1]["value"] == deep


@pytest.mark.parametrize("how", ["appended", "replaced", "removed", "cut"])
def test_a_file_that_somebody_else_changed_is_not_written_to(path: Path, how: str) -> None:
    """Refused, and what the other one did is untouched."""
    with Journal.open(Disk(), path) as journal:
        data = path.read_bytes()
        match how:
            case "appended":
                path.write_bytes(data + b'{"e":"theirs"}\n')
            case "replaced":
                Disk().put(path, data)
            case "removed":
                path.unlink()
            case _:
                os.truncate(path, 100)
        after = path.read_bytes() if path.exists() else None
        for _ in range(2):
            with pytest.raises(JournalError, match="somebody else"):
                journal.append({"e": "mine"})
        assert (path.read_bytes() if path.exists() else None) == after


def test_a_reader_and_a_closed_one_take_nothing(path: Path) -> None:
    """Said so; events can be read all the same."""
    reader = Journal.open(Disk(), path, read_only=True)
    with pytest.raises(JournalError, match="for reading only"):
        reader.append({"e": "x"})
    with Journal.open(Disk(), path) as journal:
        pass
    journal.close()
    with pytest.raises(JournalError, match="it was closed"):
        journal.append({"e": "x"})
    assert list(journal.events()) == list(reader.events()) == EVENTS
