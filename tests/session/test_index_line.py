"""The index line: bounded, deterministic, nothing twice, and rare things first."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.session.index_line import index_line, rarity_of, tokens
from foldcover_harness.session.terms import terms_of
from foldcover_harness.session.words import key_of, literal, parts

NAMES = (
    *(
        "parser",
        "parsers",
        "parser_state.py",
        "state",
        "ParserError",
        "error",
        "a1b2c3d",
        "数据库",
        "ошибка",
        "docs.rs",
    ),
    *("v1.2.3", "merge", "merged", "test_merge.py", "test", "#12", "HTTPServer", "server", "ภาษาไทย"),
)
TERMS = st.lists(st.tuples(st.sampled_from(NAMES), st.floats(0.01, 50)), max_size=20)
Units = Sequence[list[tuple[str, float]]]


@given(st.lists(TERMS, max_size=5), st.lists(TERMS, max_size=5), st.integers(0, 80))
def test_bounded_deterministic_and_nothing_twice(blocks: Units, earlier: Units, most: int) -> None:
    """Never more tokens than allowed; no item again; no word that a literal in the line has paid for."""
    line = index_line(blocks, rarity_of(earlier), most)
    assert line == index_line(blocks, rarity_of(earlier), most)
    shown = line.split(" ") if line else []
    assert sum(tokens(item) for item in shown) <= most
    assert len({key_of(item) for item in shown}) == len(shown)
    paid = {key_of(part) for item in shown if literal(item) for part in parts(item)}
    assert not paid & {key_of(item) for item in shown if not literal(item)}
    assert {key_of(item) for item in shown} <= {key_of(item) for terms in blocks for item, _ in terms}


def test_everything_is_shown_where_there_is_room() -> None:
    """The greedy choice ends only when nothing more fits or nothing more is gained."""
    assert set(index_line([[("merge", 1.0), ("server", 2.0)]], rarity_of([]), 60).split()) == {"merge", "server"}


def test_rarity_matters() -> None:
    """Of two items that weigh the same, the one that the earlier units have not is taken."""
    earlier = [[("server", 1.0)]] * 5 + [[("merge", 1.0)]]
    block = [[("merge", 1.0), ("server", 1.0)]]
    assert index_line(block, rarity_of(earlier), 1) == "merge"
    assert index_line(block, rarity_of([[("merge", 1.0)]] * 5 + [[("server", 1.0)]]), 1) == "server"


def test_rarity_falls_with_the_units_that_have_the_item() -> None:
    """By stem, never negative, and the same for all items where nothing came before."""
    rarity = rarity_of([[("merged", 1.0)], [("merge", 1.0), ("server", 1.0)], []])
    assert rarity("ошибка") > rarity("server") > rarity("merging") > 0
    assert rarity_of([])("merge") == rarity_of([])("server")


def test_a_literal_pays_for_its_words() -> None:
    """A word that was taken first gives its place back to the literal that holds it."""
    block = [[("parser", 9.0), ("parser_state.py", 6.0), ("state", 5.0)]]
    assert index_line(block, rarity_of([]), 60) == "parser_state.py"
    assert index_line(block, rarity_of([]), 1) == "parser"


def test_gain_counts_per_token() -> None:
    """A long item has to be worth its tokens."""
    block = [[("internationalization_of_everything.py", 3.0), ("merge", 2.0)]]
    assert index_line(block, rarity_of([]), tokens("internationalization_of_everything.py")) == "merge"


def test_a_line_of_a_real_unit() -> None:
    """From pieces to the line: what the user and the closing message are about, not what the tools printed."""
    unit = terms_of(
        [
            ("user", "The nightly build fails since commit 9f8e7d6c5b; look at scheduler_queue.rs"),
            ("output", "target/debug/build finished\n" * 200),
            ("closing", "Fixed: scheduler_queue.rs dropped the last job when QueueOverflowError was raised."),
        ]
    )
    line = index_line([unit], rarity_of([]), 20)
    assert {"scheduler_queue.rs", "QueueOverflowError"} <= set(line.split())
    assert "target" not in line


def test_an_own_cost_is_kept() -> None:
    """The caller's way of counting bounds the line."""
    block = [[("merge", 1.0), ("server", 1.0), ("ошибка", 1.0)]]
    assert len(index_line(block, rarity_of([]), 12, cost=len).replace(" ", "")) <= 12
    assert index_line(block, rarity_of([]), 0) == ""
    assert index_line([], rarity_of([]), 60) == ""
