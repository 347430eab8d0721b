"""Questions: really taken out, the same for the same seed, asked in three wordings."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from foldcover_harness.measure.history import Unit
from foldcover_harness.measure.questions import ASKED, ask, masked, softened, without
from foldcover_harness.session.words import items, literal

from .made import fact, unit, units

SENTENCE = "The old lighthouse keeper counts every `passing_ship` before midnight quietly."


def test_the_sentence_is_taken_out_wherever_it_stands() -> None:
    """From its own source, from others, and from the JSON of a call."""
    sentence = 'The "old" lighthouse keeper counts passing_ship signals before midnight.'
    told = Unit(0, "", (("user", f"Look. {sentence} Now."), ("input", json.dumps({"text": sentence}))))
    told = told._replace(pieces=(*told.pieces, ("output", f"> {sentence}"), ("closing", sentence)))
    questions, (left,) = ask([told], 0)
    assert {question.sentence for question in questions} == {sentence}
    assert "lighthouse" not in left.text
    assert "Look." in left.text


def test_every_question_is_gone_from_its_unit_and_stood_in_no_other() -> None:
    """For all questions of a history."""
    history = units(20)
    questions, left = ask(history, 3)
    assert {question.unit for question in questions} == set(range(20))
    for question in questions:
        assert question.sentence in history[question.unit].text
        assert all(question.sentence not in each.text for each in left)
        assert [question.sentence in each.text for each in history].count(True) == 1


def test_a_sentence_of_two_units_is_no_question() -> None:
    """Nobody could say which of the two it asks for."""
    both = [Unit(0, "", (("user", f"{SENTENCE} One."),)), Unit(0, "", (("closing", f"{SENTENCE} Two."),))]
    questions, left = ask(both, 0)
    assert questions == []
    assert left == both


def test_questions_go_by_the_seed_and_by_nothing_else() -> None:
    """The same again, and others for another seed."""
    long = "\n".join(
        f"Number {at} of the ledgers of harbour {at * 7} says that ships number{at} sail." for at in range(40)
    )
    history = [Unit(0, "", (("closing", long),))]
    first, again, other = (ask(history, seed)[0] for seed in (1, 1, 2))
    assert first == again
    assert {question.sentence for question in first} != {question.sentence for question in other}


def test_other_units_do_not_change_which_sentences_are_asked() -> None:
    """A question depends on its own unit."""
    alone, _ = ask([unit(3)], 5)
    among, _ = ask(units(8), 5)
    assert [each.sentence for each in alone] == [each.sentence for each in among if each.unit == 3]


def test_the_wordings() -> None:
    """Masked has no literal; softened has its words in its place, and the others stay."""
    sentence = "keep parser_state.py and the Merge of a1b2c3d4e5 please"
    assert masked(sentence) == "keep and the Merge of please"
    assert softened(sentence).split() == ["keep", "parser", "state", "and", "the", "Merge", "of", "please"]


@given(st.text(max_size=200))
def test_the_wordings_of_any_text(text: str) -> None:
    """Total; nothing of a masked text is a literal."""
    assert not any(literal(item) for word in masked(text).split() for item in items(word))
    softened(text)


@given(st.lists(st.tuples(st.sampled_from(ASKED), st.text(max_size=300)), max_size=4), st.integers(0, 3))
def test_any_text_can_be_asked(pieces: list[tuple[str, str]], seed: int) -> None:
    """Hostile text is only text: whatever is asked is gone."""
    told = Unit(0, "", tuple((source, f"{text} {SENTENCE} {text}") for source, text in pieces))  # type: ignore[misc]
    questions, (left,) = ask([told], seed)
    for question in questions:
        assert question.sentence not in left.text


def test_a_unit_without_sentences_is_left_alone() -> None:
    """Nothing to ask, nothing taken."""
    told = Unit(0, "", (("user", "yes"),))
    assert ask([told], 0) == ([], [told])
    assert ask([], 0) == ([], [])


def test_a_longer_sentence_is_taken_before_the_shorter_one_in_it() -> None:
    """So that neither is left in part."""
    assert without(Unit(0, "", (("user", f"Also {fact(1)}"),)), [fact(1), f"Also {fact(1)}"]).text.strip() == ""
