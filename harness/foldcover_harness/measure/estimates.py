"""Rates with their intervals: bootstrap, clustered by transcript; Wilson's where answers are independent.

Rule: what is drawn again and again is whole transcripts, with replacement, since questions of one transcript are not
independent. An interval is the middle 95 % of the drawn rates, stretched to hold the estimate where it must be; with
questions of fewer than two transcripts there is none. Deterministic by the seed.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Marks = NDArray[np.bool_]
    """A row a question, a column a way of asking."""
    Reals = NDArray[np.float64]

DRAWS: Final = 2000
INSIDE: Final = (2.5, 97.5)


class Estimate(msgspec.Struct, frozen=True):
    """A rate between 0 and 1 (or a difference of two), its interval, and how many answers it stands on.

    All None where nothing was asked; low and high are None where fewer than two transcripts were.
    """

    rate: float | None
    low: float | None
    high: float | None
    answers: int


def wilson(hits: int, answers: int) -> Estimate:
    """The share of hits among independent answers, with Wilson's interval of 95 %."""
    if not answers:
        return Estimate(None, None, None, 0)
    z = NormalDist().inv_cdf(INSIDE[1] / 100)
    rate, spread = hits / answers, z * z / answers
    centre = (rate + spread / 2) / (1 + spread)
    reach = sqrt(rate * (1 - rate) * spread + spread * spread / 4) / (1 + spread)
    return Estimate(rate, min(max(centre - reach, 0.0), rate), max(min(centre + reach, 1.0), rate), answers)


class Clusters:
    """The transcripts that questions come from, and the draws of them, the same for every rate."""

    def __init__(self, of: NDArray[np.intp], seed: int) -> None:
        import numpy as np

        self.numbers, self.of = np.unique(of, return_inverse=True)
        self.seed = seed

    def rate(self, hits: Marks, asked: Marks) -> Estimate:
        """The share of hits among what was asked; the mean of the columns that were asked at all."""
        return self._estimate([self._summed(hits & asked)], self._summed(asked), int(asked.sum()))

    def gain(self, hits: Marks, others: Marks, asked: Marks) -> Estimate:
        """By how much the rate of `hits` is above that of `others` on the same questions."""
        sums = [self._summed(hits & asked), self._summed(others & asked)]
        return self._estimate(sums, self._summed(asked), int(asked.sum()))

    def _summed(self, marks: Marks) -> Reals:
        """Marks by transcript and column."""
        import numpy as np

        found = np.zeros((len(self.numbers), marks.shape[1]))
        np.add.at(found, self.of, marks.astype(float))
        return found

    def _estimate(self, hits: list[Reals], asked: Reals, answers: int) -> Estimate:
        import numpy as np

        if not answers:
            return Estimate(None, None, None, 0)
        there = asked.sum(axis=1) > 0
        hits, asked = [each[there] for each in hits], asked[there]
        count = len(asked)
        ones = np.ones((1, count))
        estimate = float(_rates(ones, hits, asked)[0])
        if count < 2:
            return Estimate(estimate, None, None, answers)
        draws = np.random.default_rng(self.seed).multinomial(count, [1 / count] * count, DRAWS).astype(float)
        low, high = np.nanpercentile(_rates(draws, hits, asked), INSIDE)
        return Estimate(estimate, min(float(low), estimate), max(float(high), estimate), answers)


def _rates(draws: Reals, hits: list[Reals], asked: Reals) -> Reals:
    """The rate (less the other one, if any) of each draw: the mean over the columns asked in it."""
    import numpy as np

    count = draws @ asked
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = [(draws @ each) / count for each in hits]
    found = rates[0] if len(rates) == 1 else rates[0] - rates[1]
    seen = count > 0
    # A draw always holds a transcript that was asked something, so no row is empty.
    mean: Reals = np.where(seen, found, 0.0).sum(axis=1) / seen.sum(axis=1)
    return mean
