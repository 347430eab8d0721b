"""settle: bring a view that outgrew its budget down to half of it; wanted: which lines that will take.

    1  A view within the budget is returned as it is.
    2  Otherwise the top-ranked ready pair is merged, again and again, until the view weighs at most half the
       budget, or nothing is ready. Half, so that the next edit of the cover is far away (hysteresis).
    3  A pair whose line is not written is never merged. The rule invents nothing and drops nothing.

The view is measured once: beside every node stand its size, its weight and the top-ranked ready pair at or
below it. A merge then rebuilds only the path from its block to its tree's root. A rank sees a block and n, and
settle changes neither, so a key is computed once per pair.

wanted is the same walk with every missing line taken as written with weight 0. Lines weigh more than that in
truth, so what it merges settle will merge for certain, if lines have weights >= 0.
(Second post, "The rule", "Why settle to half the budget", "The floor".)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from foldcover.ranks import Key, Rank, smallest_first
from foldcover.trees import Block, Leaf, Merged, Split, Tree, View
from foldcover.views import lines, units, weight


class Outcome(Enum):
    """How settle ended."""

    FITS = "fits"
    """The view was within the budget: nothing was done."""
    SETTLED = "settled"
    """The view weighs at most half the budget."""
    STUCK = "stuck"
    """No pair is ready, and the view weighs more than half the budget."""


class Settled(NamedTuple):
    """What settle gives back: the view, the blocks it merged, in order, and how it ended."""

    view: View
    merged: tuple[Block, ...]
    outcome: Outcome


class Pick(NamedTuple):
    """A pair that may be merged: its block, its key in the rank, the weight of its line (None: not written)."""

    block: Block
    key: Key
    line: int | None


class Terms(NamedTuple):
    """What stays the same while merging: n, the rank, and whether missing lines count as written."""

    total: int
    rank: Rank
    asking: bool


class Measure(NamedTuple):
    """What a node amounts to: its units, its lines, their weight, and the top-ranked pair at or below it."""

    size: int
    lines: int
    weight: int
    best: Pick | None


@dataclass(frozen=True, slots=True)
class Shown:
    """A Leaf or Merged, measured."""

    tree: Tree
    measure: Measure


@dataclass(frozen=True, slots=True)
class Open:
    """A Split, measured."""

    left: Node
    right: Node
    line: int | None
    measure: Measure


Node = Shown | Open

NO_NODES: tuple[Node, ...] = ()


class Progress(NamedTuple):
    """Where the walk stands: the measured trees, newest first, and what was merged so far."""

    forest: tuple[Node, ...]
    merged: tuple[Pick, ...]


def measure_of(node: Node) -> Measure:
    """The node's measure."""
    match node:
        case Open(left=_, right=_, line=_, measure=measure):
            return measure
        case Shown(tree=_, measure=measure):
            return measure


def tree_of(node: Node) -> Tree:
    """The tree that was measured."""
    match node:
        case Open(left=left, right=right, line=line, measure=_):
            return Split(tree_of(left), tree_of(right), line)
        case Shown(tree=tree, measure=_):
            return tree


def better(older: Pick | None, newer: Pick | None) -> Pick | None:
    """The pick with the lesser key; the older one when the keys are equal."""
    if older is None:
        return newer
    if newer is None:
        return older
    return newer if newer.key < older.key else older


def join(left: Node, right: Node, line: int | None, start: int, terms: Terms) -> Node:
    """Measure a Split that starts at unit `start` from its measured halves."""
    older, newer = measure_of(left), measure_of(right)
    block = Block(start, older.size + newer.size)
    pair = older.lines == 1 and newer.lines == 1
    own = Pick(block, terms.rank(block, terms.total), line) if pair and (terms.asking or line is not None) else None
    best = better(own, better(older.best, newer.best))
    return Open(left, right, line, Measure(block.size, older.lines + newer.lines, older.weight + newer.weight, best))


def measure_tree(tree: Tree, start: int, terms: Terms) -> Node:
    """Measure a tree that starts at unit `start`."""
    match tree:
        case Split(left=left, right=right, line=line):
            older = measure_tree(left, start, terms)
            newer = measure_tree(right, start + measure_of(older).size, terms)
            return join(older, newer, line, start, terms)
        case Merged(size=size, weight=weight):
            return Shown(tree, Measure(size, 1, weight, None))
        case Leaf(weight=weight):
            return Shown(tree, Measure(1, 1, weight, None))


def measure_view(view: View, terms: Terms) -> tuple[Node, ...]:
    """Measure every tree of a view."""
    start, forest = 0, NO_NODES
    for tree in reversed(view):
        node = measure_tree(tree, start, terms)
        start, forest = start + measure_of(node).size, (node, *forest)
    return forest


def merge(node: Node, start: int, block: Block, terms: Terms) -> Node:
    """Replace the Split at `block` by one line; only the path to it is rebuilt."""
    match node:
        case Open(left=left, right=right, line=line, measure=measure):
            if block == Block(start, measure.size):
                weight = 0 if line is None else line
                return Shown(Merged(measure.size, weight), Measure(measure.size, 1, weight, None))
            middle = start + measure_of(left).size
            if block.start < middle:
                return join(merge(left, start, block, terms), right, line, start, terms)
            return join(left, merge(right, middle, block, terms), line, start, terms)
        case Shown(tree=_, measure=_):
            return node


def merge_view(forest: tuple[Node, ...], block: Block, terms: Terms) -> tuple[Node, ...]:
    """Merge `block` in the tree that holds it."""
    start, after = 0, NO_NODES
    for node in reversed(forest):
        stop = start + measure_of(node).size
        holds = start <= block.start and block.stop <= stop
        start, after = stop, (merge(node, start, block, terms) if holds else node, *after)
    return after


def weight_of(forest: tuple[Node, ...]) -> int:
    """What the shown lines of the forest weigh together."""
    return sum(measure_of(node).weight for node in forest)


def best_of(forest: tuple[Node, ...]) -> Pick | None:
    """The top-ranked pair of the forest."""
    best: Pick | None = None
    for node in reversed(forest):
        best = better(best, measure_of(node).best)
    return best


def step(done: Progress, low: int, terms: Terms) -> Progress:
    """Merge the top-ranked pair, unless the view is down at the low water or nothing is left to merge."""
    pick = best_of(done.forest)
    if pick is None or weight_of(done.forest) <= low:
        return done
    return Progress(merge_view(done.forest, pick.block, terms), (*done.merged, pick))


def walk(view: View, low: int, terms: Terms) -> Progress:
    """Take all the steps. Each removes a line, so there are never more steps than lines."""
    done = Progress(measure_view(view, terms), ())
    for _ in range(lines(view)):
        done = step(done, low, terms)
    return done


def settle(view: View, budget: int, rank: Rank = smallest_first) -> Settled:
    """Merge ready pairs, top-ranked first, until the view weighs at most budget // 2.

    FITS: the view weighs at most `budget`; it is returned as it is. SETTLED: it was above and is now at most at
    budget // 2. STUCK: nothing is ready and it is still above budget // 2; report it, nothing is lost.
    """
    if weight(view) <= budget:
        return Settled(view, (), Outcome.FITS)
    low = budget // 2
    done = walk(view, low, Terms(units(view), rank, False))
    stuck = weight_of(done.forest) > low and best_of(done.forest) is None
    return Settled(
        tuple(tree_of(node) for node in done.forest),
        tuple(pick.block for pick in done.merged),
        Outcome.STUCK if stuck else Outcome.SETTLED,
    )


def wanted(view: View, budget: int, rank: Rank = smallest_first) -> tuple[Block, ...]:
    """The lines that settle will certainly need, in the order of merging: halves before their parent.

    The host writes them, as many at once as it likes, and asks again until the answer is (): a few rounds, since
    real lines weigh more than the 0 that is assumed here. Then it settles.
    """
    if weight(view) <= budget:
        return ()
    done = walk(view, budget // 2, Terms(units(view), rank, True))
    return tuple(pick.block for pick in done.merged if pick.line is None)
