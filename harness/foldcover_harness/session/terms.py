"""The terms of a unit: what its index line may be made of, with weights.

Rule: the items of every piece (words.py) are counted by source, and an item weighs the sum over the sources of weight
x log(1 + count): what the user and the closing message say counts most, tool outputs next to nothing. The terms are
the heaviest, bounded in number; they are kept with the fold and never change. Reading is bounded too, so a tool
result of megabytes costs no more than one of some thousand characters. Deterministic, total on any text.

Constants from a pilot on 686 units of 59 transcripts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from foldcover_harness.session.stopwords import STOPWORDS
from foldcover_harness.session.words import as_literal, items, key_of
from foldcover_harness.transcripts.model import Kind

Source = Literal["user", "closing", "text", "input", "output"]
Terms = Sequence[tuple[str, float]]

WEIGHTS: Final[dict[Source, float]] = {"user": 4.0, "closing": 4.0, "text": 2.0, "input": 0.5, "output": 0.02}
SOURCES: Final[dict[Kind, Source]] = {
    Kind.USER: "user",
    Kind.TEXT: "text",
    Kind.CALL: "input",
    Kind.RESULT: "output",
    Kind.SHELL: "output",
}
"""The source of a piece by its kind; thinking has none. The last text of a unit is its "closing"."""
MOST_OF_PIECE: Final = {"user": 40_000, "closing": 40_000, "text": 40_000, "input": 20_000, "output": 8_000}
"""Characters of one piece that are read: half from its beginning, half from its end."""
MOST_OF_UNIT: Final = {"user": 400_000, "closing": 400_000, "text": 400_000, "input": 200_000, "output": 200_000}
"""Characters that are read of all the pieces of one source."""
MOST_TERMS: Final = 80
LITERAL: Final = 1.25
"""How much more a literal counts where the terms are bounded: rarity, which is not known yet, favours it."""


def terms_of(pieces: Iterable[tuple[Source, str]], most: int = MOST_TERMS) -> list[tuple[str, float]]:
    """The `most` heaviest items of a unit, heaviest first, each in its commonest form."""
    counts: dict[str, Counter[Source]] = {}
    forms: dict[str, Counter[str]] = {}
    left = dict(MOST_OF_UNIT)
    for source, text in pieces:
        read = _ends(text, min(MOST_OF_PIECE[source], left[source]))
        left[source] -= len(read)
        for item, count in Counter(items(read, escaped=source == "input")).items():
            if item.casefold() not in STOPWORDS:
                key = key_of(item)
                counts.setdefault(key, Counter())[source] += count
                forms.setdefault(key, Counter())[item] += count
    return _heaviest(
        ((_commonest(forms[key]), _weight(by_source)) for key, by_source in counts.items()),
        most,
    )


def summed(many: Iterable[Terms], most: int) -> list[tuple[str, float]]:
    """The terms of a block from those of its parts: weights added, each item in the form that weighs most."""
    weights: dict[str, float] = {}
    shown: dict[str, tuple[float, str]] = {}
    for terms in many:
        for item, weight in terms:
            key = key_of(item)
            weights[key] = weights.get(key, 0.0) + weight
            shown[key] = max(shown.get(key, (weight, item)), (weight, item))
    return _heaviest(((shown[key][1], weight) for key, weight in weights.items()), most)


def _ends(text: str, most: int) -> str:
    """The text, or its beginning and its end where it is longer than `most`."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} {text[len(text) - half :]}" if half else ""


def _weight(counts: Counter[Source]) -> float:
    return sum(WEIGHTS[source] * math.log1p(counts[source]) for source in WEIGHTS)


def _commonest(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], len(form), form))


def _heaviest(terms: Iterable[tuple[str, float]], most: int) -> list[tuple[str, float]]:
    """The `most` that count most; a literal a little more than its weight says."""

    def order(term: tuple[str, float]) -> tuple[float, str]:
        item, weight = term
        return (-weight * (LITERAL if as_literal(item) else 1.0), item)

    return [(item, round(weight, 3)) for item, weight in sorted(terms, key=order)[: max(most, 0)]]
