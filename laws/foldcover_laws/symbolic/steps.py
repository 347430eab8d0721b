"""Steps of the core on opaque nodes, as contracts: no bound on n, on weights, on the budget, on the rank.

Each is the step of an induction. What stands for a recursive call answers with the hypothesis; the rest is the core's
own code. What follows by induction, and what does not, is said in spec/symbolic.md.
"""

from __future__ import annotations

from typing import Any

from foldcover import Block, Outcome, Split, operations, settling
from foldcover.settling import Measure, Open, Pick, Progress, Shown, Terms
from foldcover_laws.symbolic.opaque import Summary, assuming, node, observe, summary_of, tree

Sum = tuple[int, int, int, bool]
"""Units, lines, weight, complete?"""
Best = tuple[bool, int, int, int, int | None]
"""Is there a best pair? Its start, size, key, and line."""

observe()


def _pick(best: Best) -> Pick | None:
    there, start, size, key, line = best
    return Pick(Block(start, size), key, line) if there else None


def _terms(key: int) -> Terms:
    def rank(block: Block, total: int) -> int:
        return key

    return Terms(0, rank, False)


def carry_moves(carried: Sum, older: Sum) -> bool:
    """While the carry moves it joins a tree of its size, else comes to rest; sums add up, aligned stays aligned.

    pre: carried[0] >= 1 and older[0] >= 1
    post: _
    """
    new, old = tree(Summary(*carried)), tree(Summary(*older))
    done = operations.carry(operations.Carry(new, carried[0], ()), old)
    trees_now = [summary_of(one) for one in (done.tree, *done.behind)]
    if [sum(one[part] for one in trees_now) for part in range(3)] != [carried[part] + older[part] for part in range(3)]:
        return False
    aligned = carried[3] and older[3] and carried[0] <= older[0]
    whole = not aligned or all(one.complete for one in trees_now)
    if done.size == 0:
        return len(done.behind) == 1 and whole and (not aligned or trees_now[0].size < trees_now[1].size)
    grown = done.tree
    joined = isinstance(grown, Split) and grown.left is old and grown.right is new and grown.line is None
    return joined and done.behind == () and done.size == trees_now[0].size == 2 * older[0] and whole


def carry_rests(carried: Sum, behind: Sum, older: Sum) -> bool:
    """Once it has come to rest, nothing is joined: the next tree goes behind the others.

    pre: carried[0] >= 1 and older[0] >= 1
    post: _
    """
    one, other, last = (tree(Summary(*about)) for about in (carried, behind, older))
    done = operations.carry(operations.Carry(one, 0, (other,)), last)
    return done.size == 0 and done.tree is one and len(done.behind) == 2 and done.behind[1] is last


def write_marks(
    left: Sum, right: Sum, line: int | None, found: tuple[bool, bool], start: int, block: tuple[int, int], weight: int
) -> bool:
    """Marking keeps units, lines, weight and completeness; without a mark the stop is right.

    pre: left[0] >= 1 and right[0] >= 1
    post: _
    """
    older, newer, address = tree(Summary(*left)), tree(Summary(*right)), Block(*block)
    real, split = operations.tree_write, Split(older, newer, line)

    def hypothesis(it: Any, at: int, wanted: Block, heavy: int) -> Any:
        if it is split:
            return real(it, at, wanted, heavy)
        about, hit = (left, found[0]) if it is older else (right, found[1])
        return (at + about[0], tree(Summary(*about)) if hit else None)

    with assuming(operations, "tree_write", hypothesis):
        stop, marked = operations.tree_write(split, start, address, weight)
    if marked is None:
        return stop == start + left[0] + right[0] and not (found[0] or found[1])
    fresh = line is None and address == Block(start, left[0] + right[0])
    return summary_of(marked) == summary_of(split) and (found[0] or found[1] or fresh)


def join_measures(
    left: tuple[int, int, int],
    right: tuple[int, int, int],
    picks: tuple[Best, Best],
    line: int | None,
    start: int,
    key: int,
) -> bool:
    """A Split's measure: sums; and the best pair is a written one with the least key, the Split's own first on ties.

    pre: left[1] >= 1 and right[1] >= 1
    post: _
    """
    older, newer = _pick(picks[0]), _pick(picks[1])
    joined = settling.join(node(*left, older), node(*right, newer), line, start, _terms(key))
    size, lines, weight, best = settling.measure_of(joined)
    pair = left[1] == 1 and right[1] == 1 and line is not None
    own = Pick(Block(start, left[0] + right[0]), key, line) if pair else None
    there = [pick for pick in (own, older, newer) if pick is not None]
    sums = size == left[0] + right[0] and lines == left[1] + right[1] and weight == left[2] + right[2]
    if best is None:
        return sums and there == []
    first = next(one for one in there if one.key <= best.key)
    return sums and best == first and all(best.key <= one.key for one in there)


def merge_shrinks(
    left: tuple[int, int, int], right: tuple[int, int, int], fewer: tuple[int, int], line: int, where: int, start: int
) -> bool:
    """Merging the block itself (where = 0) or one in a half (1, 2) keeps the units and takes lines away.

    pre: left[0] >= 1 and right[0] >= 1 and 0 <= where <= 2
    pre: 1 <= fewer[0] < left[1] and 1 <= fewer[1] < right[1]
    post: _
    """
    older, newer = node(*left, None), node(*right, None)
    measure = Measure(left[0] + right[0], left[1] + right[1], left[2] + right[2], None)
    whole, real = Open(older, newer, line, measure), settling.merge
    middle = start + left[0]
    block = (Block(start, measure.size), Block(start, left[0]), Block(middle, right[0]))[where]

    def hypothesis(it: Any, at: int, wanted: Block, terms: Terms) -> Any:
        if it is whole:
            return real(it, at, wanted, terms)
        half, count = (left, fewer[0]) if it is older else (right, fewer[1])
        return node(half[0], count, half[2], None) if at == (start if it is older else middle) else None

    with assuming(settling, "merge", hypothesis):
        merged = settling.merge(whole, start, block, _terms(0))
    now = settling.measure_of(merged)
    if where == 0:
        return isinstance(merged, Shown) and now == Measure(measure.size, 1, line, None)
    return now.size == measure.size and 1 <= now.lines < measure.lines


def forest_measures(newer: tuple[int, int], older: tuple[int, int], picks: tuple[Best, Best], where: int) -> bool:
    """A forest weighs the sum; its best pair has the least key, the older wins ties; a merge touches one tree only.

    pre: newer[0] >= 1 and older[0] >= 1 and 0 <= where <= 1
    post: _
    """
    first, second = _pick(picks[0]), _pick(picks[1])
    forest = (node(newer[0], 1, newer[1], second), node(older[0], 1, older[1], first))
    answer = node(1, 1, 1, None)
    blocks = (Block(0, older[0]), Block(older[0], newer[0]))

    def hypothesis(it: Any, at: int, wanted: Block, terms: Terms) -> Any:
        return answer if it is forest[1 - where] and at == blocks[where].start else None

    with assuming(settling, "merge", hypothesis):
        merged = settling.merge_view(forest, blocks[where], _terms(0))
    there = [pick for pick in (first, second) if pick is not None]
    least = next((one for one in there if all(one.key <= other.key for other in there)), None)
    touched = merged[1 - where] is answer and merged[where] is forest[where]
    return touched and settling.best_of(forest) == least and settling.weight_of(forest) == newer[1] + older[1]


def step_merges(weight: int, low: int, best: Best, after: int) -> bool:
    """A step merges the best pair, only above the low water; otherwise nothing changes.

    post: _
    """
    pick = _pick(best)
    done = Progress((node(2, 2, weight, pick),), ())
    answer = (node(2, 1, after, None),)
    asked: list[Block] = []

    def hypothesis(forest: Any, block: Block, terms: Terms) -> Any:
        asked.append(block)
        return answer

    with assuming(settling, "merge_view", hypothesis):
        now = settling.step(done, low, _terms(0))
    if pick is None or weight <= low:
        return now is done and asked == []
    return now.forest is answer and now.merged == (pick,) and asked == [pick.block]


def settle_ends(about: Sum, budget: int, end: int, best: Best) -> bool:
    """Settle as a whole, if the walk ends at the low water or with nothing ready: what is returned, and the outcome.

    pre: about[0] >= 1 and about[1] >= 1
    pre: end <= budget // 2 or not best[0]
    post: _
    """
    view, lows = (tree(Summary(*about)),), list[int]()

    def hypothesis(given: Any, low: int, terms: Terms) -> Progress:
        lows.append(low)
        return Progress((node(about[0], 1, end, _pick(best)),), ())

    with assuming(settling, "walk", hypothesis):
        after, merged, outcome = settling.settle(view, budget, lambda block, total: 0)
    if about[2] <= budget:
        return after is view and merged == () and outcome is Outcome.FITS and lows == []
    return lows == [budget // 2] and outcome is (Outcome.SETTLED if end <= budget // 2 else Outcome.STUCK)
