"""The lines of blocks by one recipe, each within the same bound.

Rule: a line is what the recipe's writer answers, cut to the bound by the session's own `write_line`; each is written
once. Rarity is learnt from the units before the block, and from nothing else. A line that the writer does not give is
empty, and counted.
"""

from __future__ import annotations

import shlex
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from foldcover import Block
from foldcover_harness.measure.history import Unit
from foldcover_harness.measure.questions import MOST_READ
from foldcover_harness.session.index_line import MOST_OF_BLOCK, Rarity, index_line, rareness, tokens
from foldcover_harness.session.receipt import Receipt
from foldcover_harness.session.state import Said
from foldcover_harness.session.stopwords import STOPWORDS
from foldcover_harness.session.terms import Terms, summed, terms_of
from foldcover_harness.session.titles import title_of
from foldcover_harness.session.words import items, key_of
from foldcover_harness.session.writers import MOST_CHARACTERS, Command, Inputs, R, Writer, write_line

RECIPES: Final = ("titles", "keywords", "index")
COMMAND: Final = "command:"
MODELS: Final = ("model:", "summary:")
"""A model as the writer: of an index, of a paraphrase."""


class Bound(NamedTuple):
    """What a line may weigh, in tokens (by the index line's own estimate) or in UTF-8 bytes."""

    most: int
    unit: str = "tokens"

    def weigh(self, text: str) -> int:
        """What a line weighs."""
        return tokens(text) if self.unit == "tokens" else len(text.encode("utf-8", "replace"))

    def write_index(self, terms: Sequence[Terms], rarity: Rarity) -> str:
        """The index line within the bound; in bytes an item pays for the space before it, but for the first."""
        if self.unit == "tokens":
            return index_line(terms, rarity, self.most)
        return index_line(terms, rarity, self.most + 1, lambda item: self.weigh(item) + 1)

    def write_keywords(self, terms: Sequence[Terms], rarity: Rarity) -> str:
        """The usual line of keywords: by count times rarity, the most first, between commas, as many as fit."""
        counts = summed(terms, MOST_OF_BLOCK)
        line = ""
        for item, _ in sorted(counts, key=lambda each: (-each[1] * rarity(each[0]), each[0])):
            longer = f"{line}, {item}" if line else item
            line = longer if self.weigh(longer) <= self.most else line
        return line


class Lines:
    """The lines of a history by a recipe: `lines[block]` writes the line, or gives the one that was written."""

    def __init__(
        self, units: Sequence[Unit], recipe: str, bound: Bound, timeout: float, base_url: str | None = None
    ) -> None:
        self.recipe = recipe
        self.bound = bound
        self.titles = [title(unit) for unit in units]
        self.terms: list[Terms] = [
            keywords(f"{words}\n{unit.said('user')}") if recipe == "keywords" else terms_of(unit.pieces)
            for unit, words in zip(units, self.titles, strict=True)
        ]
        self.rarities = Rarities(self.terms)
        self.writer = writer(recipe, bound, timeout, base_url)
        self.written: dict[Block, str] = {}
        self.failures: dict[Block, str] = {}

    def __getitem__(self, block: Block) -> str:
        if block not in self.written:
            self.written[block] = self._write(block)
        return self.written[block]

    def _write(self, block: Block) -> str:
        terms = tuple(self.terms[block.start : block.stop])
        given = Inputs(block, self._inputs(block), terms, self.rarities.before(block.start), self.bound.most)
        answer = write_line(self.writer, given, self.bound.weigh)
        if answer.line is None:
            self.failures[block] = answer.why
        return answer.line or ""

    def _inputs(self, block: Block) -> tuple[str, ...]:
        """What a writer sees: the titles up to R units, the lines of the two halves above that."""
        if block.size <= R or self.recipe in ("keywords", "index"):
            return tuple(self.titles[block.start : block.stop])
        half = block.size // 2
        return self[Block(block.start, half)], self[Block(block.start + half, half)]


class Rarities:
    """How rare items are among the units before a place; the same as `rarity_of` over those units."""

    def __init__(self, units: Sequence[Terms]) -> None:
        self.having: dict[str, list[int]] = {}
        for number, terms in enumerate(units):
            for key in {key_of(item) for item, _ in terms}:
                self.having.setdefault(key, []).append(number)

    def before(self, place: int) -> Rarity:
        """The rarity of items among the first `place` units."""

        def rarity(item: str) -> float:
            return rareness(bisect_left(self.having.get(key_of(item), ()), place), place)

        return rarity


def writer(recipe: str, bound: Bound, timeout: float, base_url: str | None = None) -> Writer:
    """The writer of a recipe: one of RECIPES, "command:" and a command line, "model:" or "summary:" and a model.

    ValueError where there is none.
    """
    if recipe == "titles":
        return lambda given: " ".join(given.lines)
    if recipe == "keywords":
        return lambda given: bound.write_keywords(given.terms, given.rarity) or None
    if recipe == "index":
        return lambda given: bound.write_index(given.terms, given.rarity) or None
    if recipe.startswith(COMMAND):
        return Command(argv(recipe), timeout)
    if recipe.startswith(MODELS):
        from foldcover_harness.measure.asked import writer as model_writer

        return model_writer(recipe, base_url)
    raise ValueError(f"no writer {recipe!r}: there are {', '.join(RECIPES)}, command:CMD, model:NAME and summary:NAME")


def argv(text: str) -> list[str]:
    """The arguments of a "command:CMD". ValueError where CMD is empty or its quotes are open."""
    try:
        found = shlex.split(text.removeprefix(COMMAND))
    except ValueError as error:
        raise ValueError(f"{text!r}: {str(error).lower()}") from None
    if not found:
        raise ValueError(f"{text!r} names no command")
    return found


def title(unit: Unit) -> str:
    """The words of the unit's title, as a fold without a model's title would have them."""
    users = [Said(0, text) for source, text in unit.pieces if source == "user"]
    receipt = Receipt(0, 0, (), 0, (), (), (), tuple(users), unit.said("closing"))
    return title_of(receipt, None, "", MOST_CHARACTERS).rpartition(" [")[0]


def keywords(text: str) -> Terms:
    """The words and literals of a text with their counts, each in its first form."""
    counts: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for item in items(text[:MOST_READ]):
        if item.casefold() not in STOPWORDS:
            key = key_of(item)
            forms.setdefault(key, item)
            counts[key] += 1
    return [(forms[key], float(count)) for key, count in counts.items()]
