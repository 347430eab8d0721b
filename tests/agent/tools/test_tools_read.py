"""read: numbered lines, a bound, and how to get what was left out."""

from __future__ import annotations

import os
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldcover_harness.agent.tools import read

from .bench import Bench


def parts(bench: Bench, path: str, limit: int) -> list[str]:
    """The lines of a file, read part by part as each part says."""
    lines: list[str] = []
    more = True
    while more:
        shown = bench.call("read", path=path, offset=len(lines) + 1, limit=limit).split("\n")
        more = shown[-1] == f"[there is more: ask with offset={len(lines) + len(shown)}]"
        for row in shown[: -1 if more else None]:
            number, _, text = row.partition("\t")
            assert int(number) == len(lines) + 1
            lines.append(text)
    return lines


def test_lines_have_numbers(bench: Bench) -> None:
    """With or without a newline at the end; CR LF is a line end, and no part of the line; a byte order mark is none."""
    bench.put("a.txt", b"one\n\n  three\t3")
    assert bench.call("read", path="a.txt") == "1\tone\n2\t\n3\t  three\t3"
    bench.put("b.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert bench.call("read", path=str(bench.root / "b.txt")) == "1\tone\n2\ttwo"
    bench.put("c.txt", b"\n")
    assert bench.call("read", path="c.txt") == "1\t"
    bench.put("empty", b"")
    assert bench.call("read", path="empty") == "(empty is empty)"


def test_a_part_of_a_file(bench: Bench) -> None:
    """From a line on, so many lines, and whether there are more."""
    bench.put("a.txt", b"one\ntwo\nthree\n")
    assert bench.call("read", path="a.txt", offset=2) == "2\ttwo\n3\tthree"
    assert bench.call("read", path="a.txt", limit=1) == "1\tone\n[there is more: ask with offset=2]"
    assert bench.call("read", path="a.txt", offset=3, limit=1) == "3\tthree"


@pytest.mark.parametrize(("data", "lines"), [(b"", 0), (b"\n", 1), (b"a", 1), (b"a\nb", 2), (b"a\nb\n", 2)])
def test_a_line_that_is_not_there(bench: Bench, data: bytes, lines: int) -> None:
    """The answer says how many there are."""
    bench.put("a.txt", data)
    has = "1 line" if lines == 1 else f"{lines} lines"
    for offset in (max(lines + 1, 2), lines + 100, 10**12):
        assert f"has {has}; there is no line" in bench.fails("read", path="a.txt", offset=offset)


def test_no_such_file_and_binary_files(bench: Bench) -> None:
    """A line that says which."""
    bench.put("a.bin", b"text\0more")
    assert bench.fails("read", path="a.bin") == "read: a.bin is a binary file"
    assert bench.fails("read", path="no/such") == "read: no/such: there is no such file"


def test_what_is_not_utf8_is_replaced_and_told(bench: Bench) -> None:
    """The line's number; a replacement character that stands in the file is no fault."""
    bench.put("a.txt", b"good\n\xff bad\n\xef\xbf\xbd\n")
    assert bench.call("read", path="a.txt") == (
        "1\tgood\n2\t\ufffd bad\n3\t\ufffd\n[line 2 is not UTF-8: a \ufffd stands for what is not]"
    )


def test_a_late_nul_is_shown_as_its_picture(bench: Bench) -> None:
    """What a message cannot hold does not get into it."""
    bench.put("a.txt", b"x\n" * 10_000 + b"a\0b\n")
    assert bench.call("read", path="a.txt", offset=10_001) == "10001\ta\u2400b"


def test_a_long_line_is_cut_and_its_size_told(bench: Bench) -> None:
    """However long; the lines behind it have their numbers."""
    for size in (read.LONGEST + 1, 1 << 16, (1 << 16) + 1, 5_000_000):
        bench.put("a.txt", b"x" * size + b"\nend\n")
        first, second, note = bench.call("read", path="a.txt").split("\n")
        assert first == "1\t" + "x" * read.LONGEST + "…"
        assert second == "2\tend"
        assert note.startswith(f"[line 1 is cut: it has {size + 1:,} bytes; grep")
    bench.put("a.txt", b"x" * read.LONGEST)
    assert bench.call("read", path="a.txt") == "1\t" + "x" * read.LONGEST


def test_many_long_lines_are_bounded_with_their_notes(bench: Bench) -> None:
    """And the way to the next line stands at the end."""
    bench.put("a.txt", (b"\xff" * 3_000 + b"\n") * 500)
    text = bench.call("read", path="a.txt")
    assert text.split("\n")[-1].startswith("[there is more: ask with offset=")
    assert "more such lines]" in text
    assert len(text) < read.MOST_CHARACTERS + 4_000


def test_a_long_file_comes_in_parts(bench: Bench) -> None:
    """Part after part, all of it."""
    lines = [f"line {number}" for number in range(1, 5_001)]
    bench.put("a.txt", "\n".join(lines).encode())
    assert parts(bench, "a.txt", 10**9) == lines


def test_a_huge_file_is_not_read_to_its_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its beginning is shown at once; what lies too far is refused with another way to get it."""
    with (bench.root / "huge").open("wb") as stream:
        stream.write(b"head\n" * 10_000)
        os.truncate(stream.fileno(), 1 << 34)
    assert bench.call("read", path="huge", limit=1).startswith("1\thead\n")
    monkeypatch.setattr(read, "FARTHEST", 1 << 20)
    far, long = (bench.run("read", {"path": "huge", "offset": offset}) for offset in (20_000, 10_001))
    assert (far.failed, long.failed) == (True, True)
    assert "beyond its first 1,048,576 bytes; use bash, with sed" in far.text
    assert "a line of more than 1,048,576 bytes" in long.text


def test_a_stop_ends_a_long_way(bench: Bench) -> None:
    """Both on the way to a line and within one."""
    stop = Event()
    stop.set()
    bench.put("a.txt", b"x\n" * 200_000)
    assert bench.run("read", {"path": "a.txt", "offset": 200_000}, stop) == ("read: stopped", True)
    bench.put("a.txt", b"x" * 200_000)
    assert bench.run("read", {"path": "a.txt"}, stop) == ("read: stopped", True)


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r\0\ufeff"), max_size=5)), data=st.data()
)
def test_the_parts_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], data: st.DataObject
) -> None:
    """Whatever the lines and the size of the parts."""
    bench = Bench(tmp_path_factory.mktemp("read"))
    bench.put("a.txt", "".join(f"{line}\n" for line in lines).encode() or b"\n")
    assert parts(bench, "a.txt", data.draw(st.integers(1, 5))) == (lines or [""])
