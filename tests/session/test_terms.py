"""The terms of a unit: what is counted, what it weighs, and that no text is too strange or too long."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foldcover_harness.session import terms as terms_module
from foldcover_harness.session.terms import MOST_TERMS, Source, summed, terms_of
from foldcover_harness.session.words import LONGEST, as_literal, items, key_of, parts, stem

SOURCES = st.sampled_from(list(terms_module.WEIGHTS))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/foo/parser_state.py:123:45: broken", ["see", "parser_state.py", "parser", "state", "broken"]),
        ("a.c:12:int main", ["a.c", "int", "main"]),
        ("12:found it", ["found"]),
        ("commit 3f2a9c1d0b", ["commit", "3f2a9c1"]),
        ("at 6f1c2d3e-0000-4a5b-8c9d-001122334455.", ["6f1c2d3"]),
        ("https://docs.rs/serde/latest/json.html", ["docs.rs", "docs", "json.html", "json", "html"]),
        ("https://user:secret@host.io/a", ["host.io", "host"]),
        ("raises HTTPServerError", ["raises", "HTTPServerError", "HTTP", "Server", "Error"]),
        ("issue #4521 in v1.2.3", ["issue", "#4521", "v1.2.3"]),
        ("client/server and /usr/lib/thing", ["client", "server", "and", "thing"]),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07green", ["red", "green"]),
        ("0.25 123 2024-01-02 12:30:45 0xff", []),
        ("C:\\Users\\someone\\file.txt", ["file.txt", "file", "txt"]),
        ("--dry-run", ["dry", "run"]),
        ("数据库迁移失败", ["数据", "据库", "库迁", "迁移", "移失", "失败"]),
        ("数据库 を データベース", ["数据库", "データベース"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("ภาษาไทย", ["ภาษาไทย"]),
        ("e\u0301te\u0301 Привет 한국어", ["e\u0301te\u0301", "Привет", "한국어"]),
        ("x" * 100 + " " + "A9" * 60, []),
    ],
)
def test_items(text: str, expected: list[str]) -> None:
    """Names without directories and line numbers, hashes cut to seven, hosts, identifiers, words of any script."""
    assert list(items(text)) == expected


def test_items_of_json_see_escapes() -> None:
    """In a tool's input a backslash and an n are a newline, not the beginning of a word."""
    assert list(items('{"text":"first\\nnext\\tlast"}', escaped=True)) == ["text", "first", "next", "last"]


@pytest.mark.parametrize(
    "group",
    [("merge", "merges", "merged", "merging"), ("copy", "copies", "copied"), ("class", "classes"), ("bug", "bugs"),
     ("plan", "plans", "planned", "planning"), ("box", "boxes")],
)  # fmt: skip
def test_stems_group(group: tuple[str, ...]) -> None:
    """The forms of one English word have one stem."""
    assert len({stem(word) for word in group}) == 1


@pytest.mark.parametrize("word", ["string", "need", "status", "this", "process", "красный", "été", "speed"])
def test_stems_leave_alone(word: str) -> None:
    """What only looks like an ending stays, and so do words of other languages."""
    assert stem(word) == word


def test_weights_add_over_sources_by_the_logarithm_of_counts() -> None:
    """User 4, closing 4, other text 2, tool inputs 0.5, tool outputs 0.02; each times log(1 + count)."""
    pieces: list[tuple[Source, str]] = [
        ("user", "parser parser"),
        ("closing", "parser"),
        ("text", "parser"),
        ("input", "parser"),
        ("output", "parser parser parser"),
    ]
    expected = 4 * math.log(3) + (4 + 2 + 0.5) * math.log(2) + 0.02 * math.log(4)
    assert dict(terms_of(pieces)) == pytest.approx({"parser": expected}, abs=0.001)


def test_words_are_shown_in_their_commonest_form() -> None:
    """The stem only groups."""
    assert [item for item, _ in terms_of([("user", "merged merging merged merge")])] == ["merged"]


def test_function_words_are_no_terms() -> None:
    """In several languages, and in any case."""
    assert terms_of([("user", "The and WITH und nicht что это pour avec para")]) == []


def test_the_number_of_terms_is_bounded_and_the_heaviest_stay() -> None:
    """What the user said stays, what a tool printed goes."""
    printed = " ".join(
        "w" + "abcdefghij"[n // 100] + "klmnopqrst"[n // 10 % 10] + "uvwxyzabcd"[n % 10] for n in range(999)
    )
    found = terms_of([("output", printed), ("user", "telling")])
    assert len(found) == MOST_TERMS
    assert found[0][0] == "telling"
    assert terms_of([("user", "telling")], most=0) == []


def test_huge_outputs_cost_little() -> None:
    """Twenty results of 2 MB are read at both ends only: no more work than twenty of some thousand characters."""
    short = ("word " * 1_600)[:8_000]
    huge = "begin " + "x_y.z " * 400_000 + " finish"
    start = time.process_time()
    few: list[tuple[Source, str]] = [("output", short)] * 20
    terms_of(few)
    little = time.process_time() - start
    start = time.process_time()
    many: list[tuple[Source, str]] = [("output", huge)] * 20
    found = dict(terms_of(many))
    assert time.process_time() - start < 20 * little + 0.5
    assert {"begin", "finish"} <= found.keys()


@pytest.mark.parametrize("unit", ["a", "a.", "\x1b]", "数", "a_B", "/", "1:", "\\u", "a\u0301", "\ud800", " ", "@x://"])
def test_time_is_linear_in_hostile_text(unit: str) -> None:
    """Four times the text takes about four times the time, not sixteen."""
    text = unit * (200_000 // len(unit))

    def cost(read: str) -> float:
        start = time.process_time()
        for _ in items(read, escaped=True):
            pass
        return time.process_time() - start

    cost(text)
    assert cost(text * 4) < 10 * cost(text) + 0.2


@given(st.lists(st.tuples(SOURCES, st.text(st.characters()))))
def test_total_deterministic_and_found_again(pieces: list[tuple[Source, str]]) -> None:
    """Any text gives bounded terms, the same each time; every item is one item for who reads it again."""
    found = terms_of(pieces)
    assert found == terms_of(pieces)
    assert len(found) <= MOST_TERMS
    for item, weight in found:
        assert weight > 0 or not pieces
        assert 1 < len(item) <= LONGEST
        assert not any(character.isspace() or character == "\x1b" for character in item)
    assert len({key_of(item) for item, _ in found}) == len(found)


@given(st.text())
@example("²¹À")
def test_parts_of_a_literal_are_words(name: str) -> None:
    """What a literal pays for are words, never literals with parts of their own."""
    literal = as_literal(name)
    for part in parts(literal) if literal else ():
        assert part.isalpha()


def test_a_block_sums_its_units() -> None:
    """Weights of one stem are added, the heavier form is shown, and the number is bounded."""
    total = summed([[("merged", 2.0), ("parser", 1.0)], [("merge", 3.0), ("x.py", 1.5)]], 2)
    assert total == [("merge", 5.0), ("x.py", 1.5)]
