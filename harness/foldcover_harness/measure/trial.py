"""Asking a reader: every question, in every wording, over some lines.

Rule: a line is right when its block holds the unit that the question was taken from. What a reader finds is a place
(1 to 3) among the lines shown, 0 where the right line is not among its three best, FAILED where the reader failed, and
UNASKED where the question does not belong: its unit is under no such line. Lines are shown in an order shuffled by the
seed.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from foldcover import Block
from foldcover_harness.measure.questions import WAYS, Question
from foldcover_harness.measure.readers import Ask

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.intp]
    Places = NDArray[np.int8]
    """A row a question, a column a way."""

FAILED: Final = -1
UNASKED: Final = -2
Choice = Callable[[int, "np.random.Generator"], "tuple[int, Sequence[int]] | None"]
"""For a unit: the number of its line and the numbers of the other lines shown; None where it is not asked."""


def view(holder: Sequence[int], blocks: Sequence[Block], size: int | None) -> Choice:
    """All lines of a view. `holder` says for each unit which line holds it; with a size, only lines of so many units
    are asked for.
    """
    numbers = range(len(blocks))

    def choose(unit: int, _: np.random.Generator) -> tuple[int, Sequence[int]] | None:
        right = holder[unit]
        if size is not None and blocks[right].size != size:
            return None
        return right, [number for number in numbers if number != right]

    return choose


def fixed(blocks: Sequence[Block], total: int, size: int, among: int) -> Choice:
    """The line of the aligned block of `size` units, and `among` - 1 others drawn from runs that share no unit with it:
    from the aligned ones, and where those are too few from all.
    """
    at = {block.start: number for number, block in enumerate(blocks)}
    aligned = [number for number, block in enumerate(blocks) if block.start % size == 0]

    def choose(unit: int, random: np.random.Generator) -> tuple[int, Sequence[int]] | None:
        start = unit - unit % size
        if start + size > total:
            return None
        pool = [number for number in aligned if blocks[number].start != start]
        if len(pool) < among - 1:
            pool = [number for number, block in enumerate(blocks) if abs(block.start - start) >= size]
        if len(pool) < among - 1:
            return None
        drawn: list[int] = random.choice(pool, among - 1, replace=False).tolist()
        return at[start], drawn

    return choose


def mixed(total: int, size: int, merged: int) -> Choice:
    """The merged line of the unit's block among the lines of all units outside it. Lines 0 to `total` - 1 are those of
    single units, then come the merged ones.
    """

    def choose(unit: int, _: np.random.Generator) -> tuple[int, Sequence[int]] | None:
        number = unit // size
        if number >= merged:
            return None
        return total + number, [single for single in range(total) if single // size != number]

    return choose


def run(
    ask: Ask, questions: Sequence[Question], choose: Choice, seed: int, name: str, tick: Callable[[], None]
) -> Places:
    """Ask all questions. `name` keeps the shuffles of one view apart from those of another."""
    import numpy as np

    random = np.random.default_rng([seed, zlib.crc32(name.encode())])
    places: Places = np.full((len(questions), len(WAYS)), UNASKED, np.int8)
    for number, question in enumerate(questions):
        chosen = choose(question.unit, random)
        if chosen is not None:
            right, others = chosen
            shown = np.array([right, *others], np.intp)
            # Wordings that came out alike are asked once.
            answers: dict[str, int] = {}
            for column, way in enumerate(WAYS):
                words = question.asked(way)
                if words not in answers:
                    answers[words] = _place(ask(words, random.permutation(shown)), right)
                places[number, column] = answers[words]
        tick()
    return places


def _place(answer: tuple[int, ...] | None, right: int) -> int:
    if answer is None:
        return FAILED
    return answer.index(right) + 1 if right in answer else 0
