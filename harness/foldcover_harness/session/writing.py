"""A writer of the caller's, as the keeper asks it: with the block's terms, and bounded by what the line replaces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from foldcover import Block
from foldcover_harness.session.index_line import rarity_of
from foldcover_harness.session.state import State, labelled, text_of
from foldcover_harness.session.tokens import Counter, weigh_line
from foldcover_harness.session.writers import Inputs, Writer, Written, write_line


@dataclass(frozen=True, slots=True)
class LineWriter:
    """Asks `writer` for the line of a block."""

    state: State
    writer: Writer
    most: int
    count: Counter

    def weigh(self, block: Block, line: str) -> int:
        """What the line of a block weighs in the cover, in tokens."""
        return weigh_line(labelled(block, line), self.count)

    def write(self, block: Block, lines: tuple[str, ...]) -> Written:
        """The line of a block: at most `most` tokens, and never heavier than the pair that it replaces."""
        units = self.state.units[block.start : block.stop]
        half = block.size // 2
        halves = (Block(block.start, half), Block(block.start + half, half))
        pair = sum(self.weigh(each, text_of(self.state, each)) for each in halves)
        rarity = rarity_of(unit.terms for unit in self.state.units[: block.start])
        given = Inputs(block, lines, tuple(unit.terms for unit in units), rarity, min(self.most, pair))
        return write_line(self.writer, given, partial(self.weigh, block))


def line_writer(state: State, writer: Writer, most: int, count: Counter) -> LineWriter:
    """The writer for one close."""
    return LineWriter(state, writer, most, count)
