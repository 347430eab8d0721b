"""An archive gives back what it was given, can be read and grepped, and says what is wrong with it."""

import hashlib
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldcover_harness.session import archive
from foldcover_harness.session.archive import SEPARATOR, ArchiveClash, ArchiveDamaged
from foldcover_harness.session.disk import Disk, temporary_name
from foldcover_harness.session.exact import NotJson, json_line, json_value

from .faults import Died, FaultyDisk, lose_power, runs

MESSAGES: list[Any] = [
    {"role": "user", "content": "Grüße, טקסט, 日本語, 👍🏽"},
    [{"type": "x", "b": 1, "a": 2}, {"n": [1, 1.0, -0.0, 10**40, 5e-324, 1e22, True, None]}],
    {"lone": "a\ud800b\udfff", "controls": "\0\x1b\x7f\x9b\u2028\r\n\t\\u0041\\"},
]
TEXTS = st.text(st.characters(), max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def same(one: object, other: object) -> bool:
    """Equal to the last bit: types, the order of keys, the sign of zero."""
    return repr(one) == repr(other)


def joined(text: str) -> bool:
    """Whether a high and a low surrogate stand side by side, which JSON cannot tell from one character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") != text


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_every_json_value_comes_back(value: object) -> None:
    """One line, valid UTF-8, the same value but for surrogates side by side; the same bytes when written again."""
    line = json_line(value)
    assert line.count(b"\n") == 1
    line.decode()
    if not joined(repr_text(value)):
        assert same(json_value(line), value)
    assert json_line(json_value(line)) == line


def repr_text(value: object) -> str:
    """All texts of a value, one after the other with something between."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "-".join(f"{key}-{repr_text(each)}" for key, each in value.items())  # pyright: ignore
    return "-".join(map(repr_text, value)) if isinstance(value, list) else ""  # pyright: ignore


def test_a_split_pair_of_surrogates_is_one_character() -> None:
    """Joined in the same way before and after it was read, so that an archive's name does not depend on that."""
    line = json_line({"a": "\ud83d\udc4d\ud83d"})
    assert line == '{"a":"👍\\ud83d"}\n'.encode()
    assert json_line(json_value(line)) == line


@pytest.mark.parametrize(
    "receipt", ["", "\n", "one", "two\nlines\n", "a\r\nb", "\r", "a\0\\x\ud800\x1b[2J\u2028", "\\"]
)
def test_receipt_and_messages_come_back(tmp_path: Path, receipt: str) -> None:
    """Exactly; the file is UTF-8 text without what a terminal obeys, private, named by its content."""
    made = archive.write(Disk(), tmp_path / "archives", receipt, MESSAGES)
    path = tmp_path / "archives" / made.name
    assert same(archive.read(path), (receipt, MESSAGES))
    assert archive.verify(path, made.sha256) is None
    data = path.read_bytes()
    assert made == (f"{made.sha256[:16]}.txt", hashlib.sha256(data).hexdigest(), len(data))
    assert not set(data.decode()) & {"\0", "\x1b", "\x7f", "\x9b", "\u2028"}
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)


@settings(max_examples=100, deadline=None)
@given(TEXTS | st.lists(st.sampled_from(["a", "\n", SEPARATOR.decode(), "foldcover archive 1", "{}"])).map("".join))
def test_no_receipt_is_taken_for_messages(tmp_path_factory: pytest.TempPathFactory, receipt: str) -> None:
    """Whatever stands in it, the separator included: with a whole first line and without one."""
    path = tmp_path_factory.mktemp("archives") / "file"
    path.write_bytes(archive.content(receipt, MESSAGES[:2]))
    assert archive.read(path) == (receipt, MESSAGES[:2])
    path.write_bytes(b"x" + path.read_bytes())
    with pytest.raises(ArchiveDamaged, match="line 1 is not") as error:
        archive.read(path)
    assert error.value.messages == MESSAGES[:2]


@pytest.mark.parametrize("word", ["Grüße", "טקסט", "日本語", "👍🏽", "the receipt"])
def test_grep_finds_text_in_any_script(tmp_path: Path, word: str) -> None:
    """As text, not as a binary file, although a message holds zeros and lone surrogates."""
    made = archive.write(Disk(), tmp_path, "the receipt\0", MESSAGES)
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    command = ["grep", "-c", "-I", word, str(tmp_path / made.name)]
    assert subprocess.run(command, capture_output=True, text=True, env=environment, check=False).stdout == "1\n"


def test_the_same_twice_is_one_file_and_another_of_that_name_an_error(tmp_path: Path) -> None:
    """The second write changes nothing; what stands in the way is named and left."""
    first = archive.write(Disk(), tmp_path, "r", MESSAGES)
    before = (tmp_path / first.name).stat()
    assert archive.write(Disk(), tmp_path, "r", MESSAGES) == first
    assert (tmp_path / first.name).stat() == before
    (tmp_path / first.name).write_bytes(b"other")
    with pytest.raises(ArchiveClash, match=first.name):
        archive.write(Disk(), tmp_path, "r", MESSAGES)
    assert (tmp_path / first.name).read_bytes() == b"other"
    assert os.listdir(tmp_path) == [first.name]


def test_an_archive_that_an_earlier_process_wrote_is_there_for_certain(tmp_path: Path) -> None:
    """It was killed before it flushed the name: the write that finds the file does it."""
    disk = FaultyDisk(tmp_path)
    data = archive.content("r", MESSAGES)
    file = disk.create(tmp_path / "whole")
    disk.write(file, data)
    disk.flush(file)
    disk.close(file)
    path = tmp_path / f"{hashlib.sha256(data).hexdigest()[:16]}.txt"
    disk.rename(tmp_path / "whole", path)
    archive.write(disk, tmp_path, "r", MESSAGES)
    lose_power(disk)
    assert path.read_bytes() == data


def test_what_a_kill_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    """By the next writer, when it opens the session."""
    temporary_name(tmp_path / ("0" * 16 + ".txt")).write_bytes(b"half")
    others = {".hidden.tmp", "notes.txt", ".0123.txt.tmp"}
    for name in others:
        (tmp_path / name).touch()
    archive.clean(Disk(), tmp_path)
    assert set(os.listdir(tmp_path)) == others
    archive.clean(Disk(), tmp_path / "none")


def test_what_would_not_come_back_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """No file, no folder."""
    for message in ({"a": float("nan")}, {1: 2}, [{"a": b""}]):
        with pytest.raises(NotJson):
            archive.write(Disk(), tmp_path / "archives", "r", [*MESSAGES, message])  # type: ignore[list-item]
    assert os.listdir(tmp_path) == []


def test_every_cut_is_noticed_and_the_rest_given(tmp_path: Path) -> None:
    """At every byte: verify says so, and read gives the messages before the cut."""
    data = archive.content("one\ntwo", MESSAGES)
    digest = hashlib.sha256(data).hexdigest()
    path = tmp_path / "file"
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        said = archive.verify(path, digest)
        assert said is not None
        assert said.startswith("damaged: ")
        with pytest.raises(ArchiveDamaged) as error:
            archive.read(path)
        whole = max(data[:cut].partition(SEPARATOR + b"\n")[2].count(b"\n"), 0)
        assert same(error.value.messages, MESSAGES[:whole])
        assert str(error.value).startswith(str(path))


@pytest.mark.parametrize(
    ("old", "new", "said", "messages"),
    [
        (b'"role":"user"', b'"role":"user', "line 4, message 1: ", 0),
        (b'[{"type"', b'7,{"type"', "line 5, message 2: ", 1),
        (b'{"lone"', b'{"l\xffne"', "line 6, message 3: ", 2),
        (b"5e-324", b"1e9999", "line 5, message 2: 1e9999 is too large", 1),
        (b"messages: 3", b"messages: 4", "3 messages, not the 4 of line 1", 3),
        (b"lines: 1", b"lines: 2", "line 4 is not the line between", 3),
        (b"archive 1", b"archive 2", "line 1 is not the first line", 3),
        (b"receipt\n", b"rec\xffipt\n", "the receipt is no UTF-8", 3),
        (b"receipt\n", b"RECEIPT\n", "other content: its sha256 is ", 3),
    ],
)
def test_damage_is_named(tmp_path: Path, old: bytes, new: bytes, said: str, messages: int) -> None:
    """The line, the message, what is wrong; all before it can be read."""
    data = archive.content("the receipt", MESSAGES)
    assert old in data
    path = tmp_path / "file"
    path.write_bytes(data.replace(old, new, 1))
    assert said in (archive.verify(path, hashlib.sha256(data).hexdigest()) or "")
    receipt, found = readable(path)
    assert receipt[:7].lower() == "the rec"
    assert same(found, MESSAGES[:messages])


def readable(path: Path) -> tuple[str, list[Any]]:
    """What can be read of an archive."""
    try:
        return archive.read(path)
    except ArchiveDamaged as error:
        return error.receipt, error.messages


def test_a_missing_and_an_unreadable_archive_are_told_apart(tmp_path: Path) -> None:
    """A folder stands for what cannot be read."""
    assert archive.verify(tmp_path / "none", "0") == "missing"
    assert archive.verify(tmp_path, "0") == "unreadable: Is a directory"


def test_write_at_every_fault(tmp_path: Path) -> None:
    """No archive of that name or a whole one; there for certain once it was returned; the next write mends the rest."""
    made = archive.write(Disk(), tmp_path / "model", "receipt", MESSAGES)

    def prepare(folder: Path) -> None:
        (folder / "archives").mkdir()
        temporary_name(folder / "archives" / made.name).write_bytes(b"left by a kill")

    def work(disk: Disk, folder: Path) -> None:
        archive.write(disk, folder / "archives", "receipt", MESSAGES)

    def prepare_nothing(folder: Path) -> None:
        assert folder.is_dir()

    for prepared in (prepare, prepare_nothing):
        root = tmp_path / prepared.__name__
        root.mkdir()
        for run in runs(root, prepared, work):
            path = run.folder / "archives" / made.name
            assert archive.verify(path, made.sha256) in (None, "missing"), run
            assert path.exists() or not run.returned, run
            assert run.raised is None or isinstance(run.raised, (OSError, Died)), run
            work(Disk(), run.folder)
            assert archive.verify(path, made.sha256) is None, run
            assert os.listdir(path.parent) == [made.name], run
