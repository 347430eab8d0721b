"""foldcover: keep the list of titles of an agent's finished work short, by a rule with thirteen laws.

The prompt of a long-running agent is its standing part, then the cover (one title line per closed unit, oldest
first), then the open tail. When the cover outgrows its budget, adjacent lines are merged along a ruler of aligned
blocks, so that every merged line is written once in its life. This package is that rule and nothing else: pure,
total functions over immutable trees; standard library only; no files, no clock, no randomness, no exceptions.

    view = close(view, weight)                    a unit closed
    while asked := wanted(view, budget):          lines that will be needed: write them,
        for block in asked:                       as many at once as you like
            view = write(view, block, weight)
    view, merged, outcome = settle(view, budget)  merge down to budget // 2 once above the budget
    cover(view)                                   what to show, oldest first

Read in this order: trees, views, operations, ranks, settling, impl.
"""

from foldcover.impl import CORE, Impl
from foldcover.operations import close, write, zoom
from foldcover.ranks import Key, Rank, age_over_size, smallest_first
from foldcover.settling import Outcome, Settled, settle, wanted
from foldcover.trees import EMPTY, Block, Leaf, Merged, Split, Tree, View
from foldcover.views import aligned, cover, lines, pairs, ready, units, weight

__all__ = [
    "CORE",
    "EMPTY",
    "Block",
    "Impl",
    "Key",
    "Leaf",
    "Merged",
    "Outcome",
    "Rank",
    "Settled",
    "Split",
    "Tree",
    "View",
    "age_over_size",
    "aligned",
    "close",
    "cover",
    "lines",
    "pairs",
    "ready",
    "settle",
    "smallest_first",
    "units",
    "wanted",
    "weight",
    "write",
    "zoom",
]
