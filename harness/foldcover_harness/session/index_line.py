"""The index line: what stands in a block, in the fewest tokens.

Rule: an item's gain is its weight times its rarity outside the block. A literal also gains what its words would, and
pays for them: a word that is paid for is never shown again, and one that was shown before gives its place back. The
item with the most gain per token is taken again and again while it fits. Items are separated by single spaces.
Deterministic: ties go to the item that sorts first.

In a pilot on 686 units of 59 transcripts such a line of about 60 tokens let a lexical reader find the right block in
48 of 100 questions at 16 units a line, keywords of the titles in 28.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from foldcover_harness.session.terms import Terms, summed
from foldcover_harness.session.words import key_of, literal, parts

Rarity = Callable[[str], float]
"""How rare an item is outside the block: more is rarer, never negative."""
MOST_TOKENS: Final = 60
MOST_OF_BLOCK: Final = 400
"""Terms of a block that are looked at."""
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d{1,3}|[^\x00-\x7f]+|[^\w\s]|_")


def rarity_of(units: Iterable[Terms]) -> Rarity:
    """Rarity among these units, by how many of them have the item: log(1 + (n - d + 0.5) / (d + 0.5)).

    Give it the units before the block: they are known when the line is written and never change. With none, all items
    are equally rare.
    """
    counts: Counter[str] = Counter()
    total = 0
    for terms in units:
        total += 1
        counts.update({key_of(item) for item, _ in terms})

    def rarity(item: str) -> float:
        return rareness(counts[key_of(item)], total)

    return rarity


def rareness(having: int, total: int) -> float:
    """The rarity of an item that `having` of `total` units have."""
    return math.log1p((total - having + 0.5) / (having + 0.5))


def tokens(item: str) -> int:
    """About how many tokens an item takes in a line, its space included. At least 1."""
    count = 0
    for piece in _PIECES.findall(item):
        if piece.isascii():
            count += 1 + (len(piece) - 1) // 7
        else:
            count += (len(piece.encode("utf-8", "replace")) + 3) // 4
    return max(count, 1)


def index_line(
    blocks: Sequence[Terms],
    rarity: Rarity,
    most_tokens: int = MOST_TOKENS,
    cost: Callable[[str], int] = tokens,
) -> str:
    """The line for units (or blocks) with these terms: at most `most_tokens` by `cost`; "" where nothing fits."""
    terms = summed(blocks, MOST_OF_BLOCK)
    gains = {key_of(item): weight * rarity(item) for item, weight in terms}
    shown = {key_of(item): item for item, _ in terms}
    words = {key: _words(item) for key, item in shown.items()}
    costs = {key: max(cost(item), 1) for key, item in shown.items()}
    chosen: dict[str, str] = {}
    paid: set[str] = set()
    left = most_tokens
    while True:
        best = _best(gains, words, costs, paid, left)
        if best is None:
            return " ".join(chosen.values())
        for again in words[best] & chosen.keys():
            left += costs[again]
            del chosen[again]
        chosen[best] = shown[best]
        left -= costs[best]
        paid |= words[best] | {best}


def _words(item: str) -> frozenset[str]:
    """The keys of the words that a literal pays for."""
    return frozenset(key_of(part) for part in parts(item)) if literal(item) else frozenset()


def _best(
    gains: dict[str, float], words: dict[str, frozenset[str]], costs: dict[str, int], paid: set[str], left: int
) -> str | None:
    """The item with the most unpaid gain per token among those that fit; None where none gains anything."""
    best, most = None, 0.0
    for key, gain in gains.items():
        if key in paid or costs[key] > left:
            continue
        worth = (gain + sum(gains.get(word, 0.0) for word in words[key] - paid)) / costs[key]
        if worth > most or (worth == most and best is not None and key < best):
            best, most = key, worth
    return best
