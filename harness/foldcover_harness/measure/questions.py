"""Questions that each ask for one concrete detail of one unit.

Rule: a question is a sentence of a unit that holds a detail (a name, a number, something quoted) and enough other words
to be asked without it, and that no other unit holds. It is taken out of its unit, wherever it stands there, before any
line is written. A source of a unit gives one, or up to MOST where it has many: one of FOUR at most. Which ones is
decided by the seed and the unit's own words.

It is asked in three ways: `keep` as it stands, `mask` without its telling literals, `soft` with them split into words.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Literal, NamedTuple

from foldcover_harness.measure.history import Piece, Unit
from foldcover_harness.session.stopwords import STOPWORDS
from foldcover_harness.session.terms import Source
from foldcover_harness.session.words import items, key_of, literal, parts

Way = Literal["keep", "mask", "soft"]
WAYS: Final[tuple[Way, ...]] = ("keep", "mask", "soft")
ASKED: Final[tuple[Source, ...]] = ("user", "closing", "text", "output")
"""The sources of questions. Those from tool outputs are a class of their own."""
SHORTEST, LONGEST = 30, 300
"""Characters of a sentence."""
LEAST_WORDS: Final = 5
"""Different words that a question has besides its literals and common words."""
MOST, FOUR, TRIED = 3, 4, 30
"""Questions of one source of a unit; sentences for each beyond the first; sentences that are looked at for them."""
MOST_READ: Final = 60_000
"""Characters of one source of a unit that sentences are taken from."""
_ENDS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|[\r\n\x0b\x0c\u2028\u2029]+")
_EDGES = re.compile(r"^(?:[\s#>*\-+|]|\d{1,6}(?:[.)→:]|\t))*\s*|[\s|*`]*$")
_DETAIL = re.compile(r"\d|[`\"“”]|\w[._/\\-]\w|[a-z][A-Z]|(?<=[^.!?] )[A-Z]")


class Question(NamedTuple):
    """A question: the unit that it asks for, where its sentence stood, the sentence, its three wordings."""

    unit: int
    source: Source
    sentence: str
    keep: str
    mask: str
    soft: str

    def asked(self, way: Way) -> str:
        """The wording."""
        return {"keep": self.keep, "mask": self.mask, "soft": self.soft}[way]


def ask(units: Sequence[Unit], seed: int) -> tuple[list[Question], list[Unit]]:
    """The questions, and the units without the sentences that they were made of."""
    texts = [unit.text for unit in units]
    questions: list[Question] = []
    left: list[Unit] = []
    for number, unit in enumerate(units):
        others = texts[:number] + texts[number + 1 :]
        chosen = [
            _question(number, source, sentence) for source in ASKED for sentence in _drawn(unit, source, seed, others)
        ]
        questions += chosen
        left.append(without(unit, [question.sentence for question in chosen]))
    return questions, left


def _drawn(unit: Unit, source: Source, seed: int, others: Sequence[str]) -> Iterator[str]:
    """The sentences of a source that are asked for; none stands in the texts of the `others`."""
    found = [each for each in dict.fromkeys(sentences(unit, source)) if _fit(each)]
    words = hashlib.sha256(unit.said(*ASKED).encode("utf-8", "replace")).hexdigest()
    random.Random(f"{seed} {source} {words}").shuffle(found)
    most = min(MOST, max(1, len(found) // FOUR))
    yield from islice((each for each in found[:TRIED] if not any(each in text for text in others)), most)


def sentences(unit: Unit, source: Source) -> Iterator[str]:
    """The sentences of a source, as they stand in the text, without the marks around them."""
    for piece in _ENDS.split(unit.said(source)[:MOST_READ]):
        sentence = _EDGES.sub("", piece)
        if SHORTEST <= len(sentence) <= LONGEST:
            yield sentence


def without(unit: Unit, taken: Sequence[str]) -> Unit:
    """The unit without some sentences, wherever they stand in it, also within the JSON of a call."""
    # A longer sentence may hold a shorter one.
    gone = sorted({form for each in taken for form in _forms(each)}, key=lambda form: (-len(form), form))
    pieces: list[Piece] = []
    for source, text in unit.pieces:
        for form in gone:
            text = text.replace(form, " ")
        pieces.append((source, text))
    return unit._replace(pieces=tuple(pieces))


def _forms(sentence: str) -> tuple[str, ...]:
    return sentence, json.dumps(sentence)[1:-1], json.dumps(sentence, ensure_ascii=False)[1:-1]


def _fit(sentence: str) -> bool:
    """Whether there is a detail to ask for, and enough to ask with when it is masked."""
    return _DETAIL.search(sentence) is not None and len(_keys(masked(sentence))) >= LEAST_WORDS


def _keys(text: str) -> set[str]:
    return {key_of(item) for item in items(text) if item.casefold() not in STOPWORDS}


def _question(unit: int, source: Source, sentence: str) -> Question:
    return Question(unit, source, sentence, sentence, masked(sentence), softened(sentence))


def masked(sentence: str) -> str:
    """The sentence without every word that holds a literal."""
    return " ".join(word for word in sentence.split() if not any(map(literal, items(word))))


def softened(sentence: str) -> str:
    """The sentence with the words of its literals in their place."""
    return " ".join(" ".join(_soft(word)) for word in sentence.split())


def _soft(word: str) -> Iterator[str]:
    found = list(items(word))
    if not any(map(literal, found)):
        yield word
        return
    split = {part for item in found if literal(item) for part in parts(item)}
    for item in found:
        if literal(item):
            yield from parts(item)
        elif item not in split:
            yield item
