"""The cover keeper: what happens to the cover when a unit closes, and only then.

Rule: the core decides every merge. The keeper asks which lines are wanted, has them written, notes each before it
counts, asks again until nothing more is wanted or nothing more can be had, then settles. A line that cannot be written
leaves its pair as it is: the cover stays over its budget, that is reported once, and it is tried again at the next
close. (Second post, "The rule", "The floor".)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import Any, NamedTuple

import foldcover as fc
from foldcover import Block, Outcome
from foldcover_harness.session.settings import Settings
from foldcover_harness.session.state import State
from foldcover_harness.session.writers import R, Written

AT_ONCE = 4
"""Lines written side by side."""

Event = dict[str, Any]


Write = Callable[[Block, tuple[str, ...]], Written]
"""Writes the line of a block from its inputs, oldest first. Never raises."""
Weigh = Callable[[Block, str], int]
"""What the line of a block weighs in the cover."""


class Kept(NamedTuple):
    """What keeping the cover came to."""

    written: tuple[Block, ...]
    merged: tuple[Block, ...]
    outcome: Outcome
    missing: tuple[tuple[Block, str], ...]
    """Blocks whose line could not be had, and why."""
    cut: int
    """Lines that were cut to the weight of what they replace."""


def budget(state: State, settings: Settings) -> int:
    """The cover's budget in tokens: the share of the window, never below the floor 2 (floor(log2 n) + 1) t, t the most
    that a line weighs, a title or a merged one: from there on a cover whose lines are all written is never stuck
    (second post, "The floor").
    """
    total = len(state.units)
    heaviest = max(settings.line, max((unit.weight for unit in state.units), default=0))
    return max(int(settings.share * settings.window), 2 * total.bit_length() * heaviest)


def inputs(state: State, block: Block) -> tuple[str, ...] | None:
    """What a line is written from: the titles of the block's units up to R, else the lines of its two halves. None
    where a half has no line: then nobody knows yet what the block's line may weigh.
    """
    half = block.size // 2
    halves = (Block(block.start, half), Block(block.start + half, half))
    if half > 1 and not all(part in state.lines for part in halves):
        return None
    if block.size <= R:
        return tuple(unit.title for unit in state.units[block.start : block.stop])
    return tuple(state.lines[part] for part in halves)


def keep(state: State, most: int, write: Write, weigh: Weigh, note: Callable[[Event], None]) -> Kept:
    """Bring the cover within `most` tokens. `note` makes an event durable and applies it to the state."""
    written: list[Block] = []
    missing: dict[Block, str] = {}
    cut = 0
    while asked := [block for block in fc.wanted(state.view, most) if block not in missing]:
        for block, line in _lines(state, asked, write):
            if line.line is None:
                missing[block] = line.why
                continue
            weight = weigh(block, line.line)
            note({"e": "line", "start": block.start, "size": block.size, "text": line.line, "weight": weight})
            written.append(block)
            cut += line.cut
    settled = fc.settle(state.view, most)
    if settled.merged:
        merged = [list(block) for block in settled.merged]
        note({"e": "settle", "budget": most, "merged": merged, "outcome": settled.outcome.value})
    return Kept(tuple(written), settled.merged, settled.outcome, tuple(missing.items()), cut)


def _lines(state: State, asked: list[Block], write: Write) -> Iterator[tuple[Block, Written]]:
    """The lines of the asked blocks, small blocks first: those of one size are written side by side."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _, same in groupby(sorted(asked, key=lambda block: (block.size, block.start)), lambda block: block.size):
            blocks = list(same)
            given = [inputs(state, block) for block in blocks]
            ready = [(block, lines) for block, lines in zip(blocks, given, strict=True) if lines is not None]
            there, lines_of = [block for block, _ in ready], [lines for _, lines in ready]
            yield from zip(there, pool.map(write, there, lines_of), strict=True)
            for block, lines in zip(blocks, given, strict=True):
                if lines is None:
                    yield block, Written(None, "one of its halves has no line")
