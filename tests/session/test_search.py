"""Search finds what stands in the archives, with an index, without one, and with a broken one."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foldcover_harness.session import needles, search, search_documents
from foldcover_harness.session.search import Entry, Found, Search

# fmt: off
WORDS = ("да", "猫", "数据库迁移", "e\u0301te\u0301", "été", "👩\u200d💻", 'say "hi"',
         "a.b*c", "[x]+", "C:\\new", "Straße", "ΟΔΟΣ")
# fmt: on
PIECES = st.sampled_from([*WORDS, "\n", " ", "x", "ab", "abc", "abcabd", "ß", "İ", "K"])


@pytest.fixture
def tiny() -> Iterator[pytest.MonkeyPatch]:
    """Blocks and documents of a few bytes, and everything indexed: so that every seam is met."""
    with pytest.MonkeyPatch.context() as patch:
        shrink(patch)
        yield patch


def shrink(patch: pytest.MonkeyPatch) -> None:
    """Make every size small."""
    patch.setattr(needles, "BLOCK", 16)
    patch.setattr(search_documents, "DOCUMENT", 24)
    patch.setattr(search, "LEAST", 1)


def fill(folder: Path, texts: list[bytes]) -> list[Entry]:
    """Write the texts as archives."""
    (folder / "archives").mkdir(exist_ok=True, parents=True)
    entries: list[Entry] = []
    for number, text in enumerate(texts):
        (folder / "archives" / f"{number}.txt").write_bytes(text)
        entries.append(Entry(number, f"№{number}", f"{number}.txt"))
    return entries


def lines(found: Found) -> list[tuple[int | None, int]]:
    """Unit and line of each hit."""
    return [(hit.unit, hit.line) for hit in found.hits]


def naive(texts: list[bytes], query: str, ignore_case: bool = False) -> list[tuple[int | None, int]]:
    """The lines in which the query begins, by comparing at every place of every text."""
    found: list[tuple[int | None, int]] = []
    once = json.dumps(query, ensure_ascii=False)[1:-1]
    twice = json.dumps(once, ensure_ascii=False)[1:-1]
    spelled = json.dumps(json.dumps(query)[1:-1])[1:-1]
    for number in reversed(range(len(texts))):
        text = texts[number].decode()
        at = line = 0
        for line, row in enumerate(text.split("\n"), 1):
            rest = text[at:]
            ends = len(row) + 1
            for form in (query, once, twice, spelled):
                if ignore_case:
                    hit = 0 <= rest.casefold().find(form.casefold()) < len((row + "\n").casefold())
                else:
                    hit = 0 <= rest.find(form) < ends
                if hit and at < len(text):
                    found.append((number, line))
                    break
            at += ends
    return found


@settings(max_examples=150, deadline=None)
@given(
    texts=st.lists(st.lists(PIECES, max_size=30).map("".join), min_size=1, max_size=5),
    query=st.lists(PIECES, min_size=1, max_size=3).map("".join),
    ignore_case=st.booleans(),
)
def test_finds_exactly_the_lines_of_a_naive_scan(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], query: str, ignore_case: bool
) -> None:
    """With blocks and documents of a few bytes, indexed and scanned, in any script, cases kept and ignored."""
    folder = tmp_path_factory.mktemp("session")
    raw = [text.encode() for text in texts]
    entries = fill(folder, raw)
    expected = naive(raw, query, ignore_case)
    with pytest.MonkeyPatch.context() as patch:
        scanned = Search(folder).find(query, entries, most=1_000, ignore_case=ignore_case)
        shrink(patch)
        with Search(folder) as indexing:
            indexed = indexing.find(query, entries, most=1_000, ignore_case=ignore_case)
    assert lines(scanned) == expected
    assert indexed == scanned


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=120), query=st.text(st.characters(), min_size=1, max_size=4))
def test_total_on_any_bytes_and_any_query(tmp_path_factory: pytest.TempPathFactory, data: bytes, query: str) -> None:
    """Bytes that are no UTF-8 and queries with lone surrogates: index and scan agree, and a query finds itself."""
    folder = tmp_path_factory.mktemp("session")
    entries = fill(folder, [data, query.encode("utf-8", "surrogatepass") + data])
    for ignore_case in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            scanned = Search(folder).find(query, entries, ignore_case=ignore_case)
            shrink(patch)
            with Search(folder) as indexing:
                assert indexing.find(query, entries, ignore_case=ignore_case) == scanned
        assert any(hit.unit == 1 for hit in scanned.hits)


def test_finds_text_inside_json_and_inside_arguments(tmp_path: Path) -> None:
    """A quote, a newline and a backslash are found escaped once and twice; é also where it is spelled in digits."""
    query = 'he said "é"\nC:\\new'
    arguments = json.dumps({"cmd": query}, ensure_ascii=False)
    spelled = json.dumps({"cmd": query})
    rows = [query, *(json.dumps({"text": text}, ensure_ascii=False) for text in (query, arguments, spelled))]
    entries = fill(tmp_path, [("first\n" + "\n".join(rows)).encode()])
    assert lines(Search(tmp_path).find(query, entries)) == [(0, 2), (0, 4), (0, 5), (0, 6)]


def test_titles_come_first_and_the_newest_unit_first(tmp_path: Path) -> None:
    """Title hits have line 0 and the title as their text; a bounded answer says that there is more."""
    entries = fill(tmp_path, [b"parser\nx\nparser", b"parser", b"none"])
    entries[0] = Entry(0, "the parser", "0.txt")
    found = Search(tmp_path).find("parser", entries)
    assert lines(found) == [(0, 0), (1, 1), (0, 1), (0, 3)]
    assert found.hits[0].text == "the parser"
    assert found.hits[1].path == tmp_path / "archives" / "1.txt"
    assert not found.more
    assert lines(Search(tmp_path).find("parser", entries, each=1)) == [(0, 0), (1, 1), (0, 1)]
    few = Search(tmp_path).find("parser", entries, most=3)
    assert few.hits == found.hits[:3]
    assert few.more


def test_case_matters_unless_it_is_ignored(tmp_path: Path) -> None:
    """Ignoring case compares full case folding, in titles too. An empty query finds nothing."""
    entries = [Entry(None, "Große STRASSE", "0.txt")]
    fill(tmp_path, ["a straße\nK".encode()])
    assert lines(Search(tmp_path).find("STRASSE", entries)) == [(None, 0)]
    assert lines(Search(tmp_path).find("STRASSE", entries, ignore_case=True)) == [(None, 0), (None, 1)]
    assert lines(Search(tmp_path).find("k", entries, ignore_case=True)) == [(None, 2)]
    assert Search(tmp_path).find("", entries) == Found(())


def test_a_missing_archive_is_named(tmp_path: Path) -> None:
    """Deleted archives, names that lead out of the folder, and links are reported, and the rest is searched."""
    entries = fill(tmp_path, [b"needle", b"needle", b"needle"])
    (tmp_path / "outside.txt").write_bytes(b"needle")
    (tmp_path / "archives" / "link.txt").symlink_to(tmp_path / "outside.txt")
    (tmp_path / "archives" / "1.txt").unlink()
    entries += [Entry(3, "", "../outside.txt"), Entry(4, "", "link.txt"), Entry(5, "", "nul\0")]
    found = Search(tmp_path).find("needle", entries)
    assert lines(found) == [(2, 1), (0, 1)]
    assert found.missing == ("../outside.txt", "1.txt", "link.txt", "nul\0")


def test_the_index_is_private_and_used(tmp_path: Path, tiny: pytest.MonkeyPatch) -> None:
    """The index's file is 0600, and a search reads only the parts that it names."""
    entries = fill(tmp_path, [b"needle one " * 9, b"other text " * 9])
    with Search(tmp_path) as finding:
        finding.update(entries)
        assert stat.S_IMODE((tmp_path / "search.sqlite").stat().st_mode) == 0o600
        opened: list[str] = []
        true_open = os.open

        def noting(path: str | Path, *rest: int) -> int:
            opened.append(Path(path).name)
            return true_open(path, *rest)

        tiny.setattr(os, "open", noting)
        assert lines(finding.find("needle", entries)) == [(0, 1)]
        assert opened == ["0.txt"]


@pytest.mark.parametrize("damage", ["deleted", "garbage", "empty", "cut", "tables", "forged"])
def test_a_broken_index_costs_nothing_but_time(tmp_path: Path, tiny: pytest.MonkeyPatch, damage: str) -> None:
    """Whatever happens to the index between two searches, the answer is the same and the index is made anew."""
    entries = fill(tmp_path, [b"needle %d\n" % number * 20 for number in range(20)])
    path = tmp_path / "search.sqlite"
    with Search(tmp_path) as finding:
        expected = finding.find("needle 7", entries)
        assert len(expected.hits) == 20
        whole = path.read_bytes()
        if damage == "deleted":
            path.unlink()
        elif damage == "garbage":
            path.write_bytes(b"no database " * 500)
        elif damage == "empty":
            path.write_bytes(b"")
        elif damage == "cut":
            path.write_bytes(whole[: len(whole) // 2])
        else:
            with sqlite3.connect(path) as db:
                db.execute("drop table piece" if damage == "tables" else "delete from piece where document = 3")
            db.close()
        for _ in range(2):
            assert finding.find("needle 7", entries) == expected
    assert path.exists()
    with Search(tmp_path) as again:
        assert again.find("needle 7", entries) == expected
        assert again.index.fresh({"7.txt": search_documents.stamp_of((tmp_path / "archives" / "7.txt").stat())})


def test_a_flipped_byte_anywhere_changes_no_answer(tmp_path: Path, tiny: pytest.MonkeyPatch) -> None:
    """Every 97th byte of the index, flipped alone: found all the same."""
    entries = fill(tmp_path, [b"needle %d\n" % number * 5 for number in range(6)])
    path = tmp_path / "search.sqlite"
    with Search(tmp_path) as finding:
        finding.update(entries)
    whole = path.read_bytes()
    expected = [(3, line) for line in range(1, 6)]
    flips = 0
    for at in range(0, len(whole), 97):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        with Search(tmp_path) as finding:
            assert lines(finding.find("needle 3", entries)) == expected, at
        flips += 1
    assert flips > 100


def test_an_archive_that_changed_is_read_anew(tmp_path: Path, tiny: pytest.MonkeyPatch) -> None:
    """Neither a lost nor a new text is missed, although the index knew the file."""
    entries = fill(tmp_path, [b"old needle", b"something else"])
    with Search(tmp_path) as finding:
        assert lines(finding.find("old needle", entries)) == [(0, 1)]
        (tmp_path / "archives" / "0.txt").write_bytes(b"x\nnew needle, and longer")
        assert finding.find("old needle", entries).hits == ()
        assert lines(finding.find("new needle", entries)) == [(0, 2)]


def test_new_archives_are_found_at_once(tmp_path: Path, tiny: pytest.MonkeyPatch) -> None:
    """An archive that came after the index is scanned or indexed, whichever is due."""
    fill(tmp_path, [b"first needle"])
    with Search(tmp_path) as finding:
        finding.update([Entry(0, "", "0.txt")])
        tiny.setattr(search, "LEAST", 1_000)
        entries = fill(tmp_path, [b"first needle", b"second needle"])
        assert lines(finding.find("second needle", entries)) == [(1, 1)]
        tiny.setattr(search, "LEAST", 1)
        assert lines(finding.find("second needle", entries)) == [(1, 1)]


def test_two_searches_share_an_index(tmp_path: Path, tiny: pytest.MonkeyPatch) -> None:
    """Both find everything while each adds to it; one that is kept waiting scans."""
    entries = fill(tmp_path, [b"needle %d." % number for number in range(8)])
    tiny.setattr("foldcover_harness.session.search_index.PATIENCE", 0.01)
    with Search(tmp_path) as one, Search(tmp_path) as two:
        for number in range(1, 9):
            for finding in (one, two):
                assert lines(finding.find(f"needle {number - 1}.", entries[:number])) == [(number - 1, 1)]
        lock = sqlite3.connect(tmp_path / "search.sqlite", isolation_level=None)
        lock.execute("begin exclusive")
        entries = fill(tmp_path, [b"needle %d." % number for number in range(9)])
        assert lines(one.find("needle 8.", entries)) == [(8, 1)]
        assert lines(two.find("needle 0.", entries)) == [(0, 1)]
        lock.rollback()
        lock.close()
        assert (tmp_path / "search.sqlite").exists()


def test_a_reader_without_the_right_to_write_searches(tmp_path: Path, tiny: pytest.MonkeyPatch) -> None:
    """With an index and without one; it makes none and changes none."""
    entries = fill(tmp_path, [b"needle", b"other one"])

    def refused(path: object, mode: int) -> bool:
        return mode != os.W_OK

    with Search(tmp_path) as writing:
        writing.update(entries)
    before = (tmp_path / "search.sqlite").read_bytes()
    tiny.setattr(os, "access", refused)
    entries = fill(tmp_path, [b"needle", b"other one", b"needle too"])
    with Search(tmp_path) as reading:
        assert lines(reading.find("needle", entries)) == [(2, 1), (0, 1)]
    assert (tmp_path / "search.sqlite").read_bytes() == before


def test_a_long_line_is_one_hit_with_its_surroundings(tmp_path: Path) -> None:
    """A line of 3 MB: one hit, a bounded text around what was found, and the next line's number is right."""
    text = "ж" * 1_500_000 + "needle" + "\u4e00" * 300_000 + "needle\nneedle"
    entries = fill(tmp_path, [text.encode()])
    found = Search(tmp_path).find("needle", entries)
    assert lines(found) == [(0, 1), (0, 2)]
    assert "жneedle一" in found.hits[0].text
    assert all(len(hit.text) <= search.SHOWN for hit in found.hits)
    assert found.hits[1].text == "needle"
