"""Short random histories from reset, which only go forward: what a port is judged on that cannot load a view.

Rule: any operation at any time, with arguments at and beyond the edges, so that a wrong port is caught by the right
law within a few steps. The same seed gives the same histories.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from foldcover import Block, Rank
from foldcover_laws.cases import WIDE
from foldcover_laws.edges import turns
from foldcover_laws.performer import Found, Performer, Skipped, Untotal
from foldcover_laws.reading import Reading

STEPS = 40
WEIGHTS = ((0, 1, 1, 2, 3, 5, -1),) * 6 + ((-3, -2, -1, 1), (0, 1, 3, (1 << 31) - 1, 1 << 31, WIDE))
"""What titles and lines weigh: mostly little, in some lives less than nothing, in some more than 32 bits hold."""


def short_lives(subject: Performer, lives: int, seed: int) -> Iterator[Found]:
    """So many histories of STEPS steps."""
    for life in range(lives):
        yield from _Life(subject, random.Random(f"short/{seed}/{life}")).steps()


class _Life:
    """One history: where it stands, and its dice."""

    def __init__(self, subject: Performer, chance: random.Random) -> None:
        self.subject = subject
        self.chance = chance
        self.now = Reading(())
        self.weights = chance.choice(WEIGHTS)
        self.kinds = (self.close, self.close, self.write, self.write, self.settle, self.settle, self.zoom, self.run)

    def steps(self) -> Iterator[Found]:
        """All steps; the history ends where a call is not answered."""
        try:
            for _ in range(STEPS):
                yield from self.chance.choice(self.kinds)()
        except (Untotal, Skipped) as broken:
            yield broken

    def close(self) -> Iterator[Found]:
        """Close one to three units."""
        for _ in range(self.chance.randint(1, 3)):
            closed = self.subject.close(self.now, self.chance.choice(self.weights))
            yield closed
            self.now = closed.after

    def write(self) -> Iterator[Found]:
        """Write most of what is missing, and a block that may be anything."""
        missing = [block for block in self.now.unwritten() if self.chance.random() < 0.8]
        turned = turns(missing[0]) if missing else ()
        anything = [*self.now.splits, *self.now.shown, self._range(), self._range()]
        for block in (*turned, *missing, self.chance.choice(anything)):
            wrote = self.subject.write(self.now, block, self.chance.choice(self.weights))
            yield wrote
            self.now = wrote.after

    def settle(self) -> Iterator[Found]:
        """Ask and settle, under a budget that fits or does not."""
        weight, rank = self.now.weight, self.chance.choice(self.subject.ranks)
        near = (weight, weight - 1, 2 * weight // 3, weight // 2, 2 * weight - 1, 0, -1)
        budget = self.chance.choice(near)
        if self.subject.asks:
            yield from self._ask(budget, rank)
        settling = self.subject.settle(self.now, budget, rank)
        yield settling
        self.now = settling.after

    def _ask(self, budget: int, rank: Rank) -> Iterator[Found]:
        """Ask what is wanted; often write the first of it, and ask again."""
        first = self.subject.ask(self.now, budget, rank)
        yield first
        if first.blocks and self.chance.random() < 0.5:
            wrote = self.subject.write(self.now, first.blocks[0], self.chance.choice(self.weights))
            yield wrote
            self.now = wrote.after
            yield self.subject.ask(self.now, budget, rank)

    def zoom(self) -> Iterator[Found]:
        """Read the whole, a block, and two ranges that may leave the view."""
        ranges = [Block(0, self.now.units), *self.now.splits, *self.now.shown]
        for block in (self.chance.choice(ranges), ranges[0], *turns(ranges[0]), self._range(), self._range()):
            yield self.subject.zoom(self.now, block)

    def run(self) -> Iterator[Found]:
        """Close and settle under a budget that all titles fit in."""
        titles = tuple(self.chance.randint(0, 3) for _ in range(self.chance.randint(1, 3)))
        budget = self.now.weight + sum(titles)
        run = self.subject.run(self.now, titles, budget, self.chance.choice(self.subject.ranks))
        yield run
        self.now = run.steps[-1][1].after

    def _range(self) -> Block:
        most = self.now.units + 1
        return Block(self.chance.randint(-1, most), self.chance.randint(-1, most))
