"""Ports that are wrong in one way each, as a process: `python wrong.py KIND`. `right` is right.

They serve the template over the Python core with one operation changed. Each kind stands for a bug that a port in
another language can have; test_ports_judged.py says which law or pin must name it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cmp_to_key
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "examples", "port"))

import port

import foldcover as fc

Change = dict[str, Any]


def narrow(number: int) -> int:
    """What is left of a number in 32 bits."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def as_double_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """Age over size in doubles, not an exact fraction."""
    return fc.settle(view, budget, _doubles if rank is fc.age_over_size else rank)


def _doubles(block: fc.Block, total: int) -> Any:
    return (-(total - block.start) / block.size, block.start)


def floor_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """Age over size rounded down."""
    return fc.settle(view, budget, _floors if rank is fc.age_over_size else rank)


def _floors(block: fc.Block, total: int) -> Any:
    return (-((total - block.start) // block.size), block.start)


def ties_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """The newer of two equals first."""
    return fc.settle(view, budget, lambda block, total: (rank(block, total)[0], -block.start))


def truncating_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """Half of a negative budget rounded towards zero, as C divides."""
    if budget >= 0 or fc.weight(view) <= budget or budget % 2 == 0:
        return fc.settle(view, budget, rank)
    return fc.settle(view, budget + 1, rank)


def narrow_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """The weight added up in 32 bits."""
    if narrow(fc.weight(view)) <= budget:
        return fc.Settled(view, (), fc.Outcome.FITS)
    return fc.settle(view, budget, rank)


def backwards_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """What was merged, last first."""
    settled = fc.settle(view, budget, rank)
    return settled._replace(merged=settled.merged[::-1])


def sorted_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """What was merged, by address."""
    settled = fc.settle(view, budget, rank)
    return settled._replace(merged=tuple(sorted(settled.merged)))


def strict_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """Over the budget as soon as it is reached."""
    return fc.settle(view, budget - 1, rank) if fc.weight(view) == budget else fc.settle(view, budget, rank)


def never_stuck_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """STUCK only where nothing at all was merged."""
    settled = fc.settle(view, budget, rank)
    return settled._replace(outcome=fc.Outcome.SETTLED) if settled.merged else settled


def inclusive_zoom(view: fc.View, block: fc.Block) -> tuple[fc.Block, ...]:
    """One unit more, where there is one."""
    return fc.zoom(view, block) + fc.zoom(view, fc.Block(block.stop, 1)) if fc.zoom(view, block) else ()


def clipping_zoom(view: fc.View, block: fc.Block) -> tuple[fc.Block, ...]:
    """A range that leaves the view is cut instead of refused."""
    start, stop = max(block.start, 0), min(block.stop, fc.units(view))
    return fc.zoom(view, fc.Block(start, stop - start))


def over_write(view: fc.View, block: fc.Block, weight: int = 1) -> fc.View:
    """A line is written again."""

    def tree(own: fc.Tree, start: int) -> tuple[fc.Tree, int]:
        match own:
            case fc.Split(left=left, right=right, line=line):
                older, middle = tree(left, start)
                newer, stop = tree(right, middle)
                return fc.Split(older, newer, weight if block == fc.Block(start, stop - start) else line), stop
            case fc.Merged(size=size):
                return own, start + size
            case fc.Leaf():
                return own, start + 1

    start, after = 0, fc.EMPTY
    for each in reversed(view):
        done, start = tree(each, start)
        after = (done, *after)
    return after


def merged_write(view: fc.View, block: fc.Block, weight: int = 1) -> fc.View:
    """A line over a merged block at the head changes its weight."""
    match view:
        case (fc.Merged(size=size), *rest) if block == fc.Block(fc.units(tuple(rest)), size):
            return (fc.Merged(size, weight), *rest)
        case _:
            return fc.write(view, block, weight)


def lazy_close(view: fc.View, weight: int = 1) -> fc.View:
    """The carry stops after one step."""
    match view:
        case (fc.Leaf() as head, *rest):
            return (fc.Split(head, fc.Leaf(weight), None), *rest)
        case _:
            return (fc.Leaf(weight), *view)


def swapped_close(view: fc.View, weight: int = 1) -> fc.View:
    """The carry puts the newer half on the left."""
    tree: fc.Tree = fc.Leaf(weight)
    rest = view
    while rest and fc.units((rest[0],)) == fc.units((tree,)):
        tree, rest = fc.Split(tree, rest[0], None), rest[1:]
    return (tree, *rest)


def unsorted_wanted(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> tuple[fc.Block, ...]:
    """The newest first."""
    return fc.wanted(view, budget, rank)[::-1]


def greedy_wanted(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> tuple[fc.Block, ...]:
    """Every pair whose line is missing."""
    return tuple(block for block in fc.pairs(view) if block not in fc.ready(view)) if fc.weight(view) > budget else ()


def silent_wanted(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> tuple[fc.Block, ...]:
    """Nothing, ever."""
    return ()


def narrow_close(view: fc.View, weight: int = 1) -> fc.View:
    """A title in 32 bits."""
    return fc.close(view, narrow(weight))


def narrow_write(view: fc.View, block: fc.Block, weight: int = 1) -> fc.View:
    """A line in 32 bits."""
    return fc.write(view, block, narrow(weight))


def signed_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """Age over size by cross-multiplication in 64 bits with a sign."""
    return fc.settle(view, budget, _signed if rank is fc.age_over_size else rank)


def unsigned_settle(view: fc.View, budget: int, rank: fc.Rank = fc.smallest_first) -> fc.Settled:
    """Age over size by cross-multiplication in 64 bits without one."""
    return fc.settle(view, budget, _unsigned if rank is fc.age_over_size else rank)


def _wrapping(bias: int) -> Callable[[fc.Block, int], Any]:
    def wrap(number: int) -> int:
        return (number + bias) % (1 << 64) - bias

    def compare(one: tuple[int, fc.Block], other: tuple[int, fc.Block]) -> int:
        older, newer = wrap(one[0] * other[1].size), wrap(other[0] * one[1].size)
        return newer - older or one[1].start - other[1].start

    order = cmp_to_key(compare)
    return lambda block, total: order((total - block.start, block))


_signed, _unsigned = _wrapping(1 << 63), _wrapping(0)


def turned_write(view: fc.View, block: fc.Block, weight: int = 1) -> fc.View:
    """The start compared in 32 bits."""
    like = [own for own in fc.pairs(view) if own.size == block.size and (own.start - block.start) % (1 << 32) == 0]
    return fc.write(view, like[0] if like else block, weight)


def turned_zoom(view: fc.View, block: fc.Block) -> tuple[fc.Block, ...]:
    """The size in 32 bits."""
    return fc.zoom(view, fc.Block(block.start, block.size if block.size < 0 else block.size % (1 << 32)))


def started_zoom(view: fc.View, block: fc.Block) -> tuple[fc.Block, ...]:
    """The start in 32 bits."""
    return fc.zoom(view, fc.Block(block.start if block.start < 0 else block.start % (1 << 32), block.size))


def brief_zoom(view: fc.View, block: fc.Block) -> tuple[fc.Block, ...]:
    """No more than a thousand units."""
    return () if block.size > 1000 else fc.zoom(view, block)


def short_zoom(view: fc.View, block: fc.Block) -> tuple[fc.Block, ...]:
    """The size in 16 bits."""
    return () if block.size > 65535 else fc.zoom(view, block)


KINDS: dict[str, Change] = {
    "age over size in doubles": {"settle": as_double_settle},
    "age over size rounded down": {"settle": floor_settle},
    "ties the wrong way": {"settle": ties_settle},
    "division that truncates": {"settle": truncating_settle},
    "sums in 32 bits": {"settle": narrow_settle},
    "weights in 32 bits": {"close": narrow_close},
    "lines in 32 bits": {"write": narrow_write},
    "merged in another order": {"settle": backwards_settle},
    "merged by address": {"settle": sorted_settle},
    "settles what fits": {"settle": strict_settle},
    "stuck is not told": {"settle": never_stuck_settle},
    "zoom one too far": {"zoom": inclusive_zoom},
    "zoom cuts the range": {"zoom": clipping_zoom},
    "write writes again": {"write": over_write},
    "write on a merged block": {"write": merged_write},
    "carry stops too early": {"close": lazy_close},
    "carry the wrong way round": {"close": swapped_close},
    "products in 64 bits with a sign": {"settle": signed_settle},
    "products in 64 bits without a sign": {"settle": unsigned_settle},
    "start of a write in 32 bits": {"write": turned_write},
    "size of a zoom in 32 bits": {"zoom": turned_zoom},
    "start of a zoom in 32 bits": {"zoom": started_zoom},
    "zoom of a thousand units": {"zoom": brief_zoom},
    "zoom of 65,535 units": {"zoom": short_zoom},
    "wanted newest first": {"wanted": unsorted_wanted},
    "wanted asks for every pair": {"wanted": greedy_wanted},
    "wanted asks for nothing": {"wanted": silent_wanted},
}


def main() -> None:
    """Serve, wrong as the argument says; `--no-load` and `--no-wanted` offer less."""
    kind, *flags = sys.argv[1:]
    port.__dict__["fc"] = SimpleNamespace(**{**vars(fc), **KINDS.get(kind, {})})
    right = port.answer
    known: dict[tuple[int, str], dict[str, Any]] = {}

    def answer(view: fc.View, asked: dict[str, Any]) -> tuple[fc.View, dict[str, Any]]:
        after, more = right(view, asked)
        if asked["op"] not in ("wanted", "zoom", "write"):
            known.clear()
        match asked["op"]:
            case "hello":
                more = {**more, "load": "--no-load" not in flags, "wanted": "--no-wanted" not in flags}
            case "load" if "--no-load" in flags:
                raise SystemExit("load was not offered")
            case "load" if kind == "load refuses malformed" and not fc.aligned(after):
                raise ValueError("not aligned")
            case "load" if kind == "load refuses aligned" and after == (fc.Merged(2),):
                raise ValueError("not today")
            case "load" if kind == "load shows another view" and after == (fc.Merged(2),):
                return (fc.Merged(2, 2),), more
            case "zoom" if kind == "zoom changes the view":
                after = fc.settle(view, -1).view
            case "wanted" if kind == "wanted is remembered over a write":
                more = known.setdefault((asked["budget"], asked["rank"]), more)
            case "wanted" if kind == "wanted changes the view":
                after = view[1:]
            case "close" if kind == "close fails at seven" and fc.units(view) == 7:
                raise ValueError("too many")
            case _:
                pass
        return after, more

    port.answer = answer
    port.main()


if __name__ == "__main__":
    main()
