"""The deliberate breaks: thirteen for the thirteen laws, one for each pin.

A mutant is a one-place change of the core's source: `old` occurs exactly once in `module` and becomes `new`.
This one definition serves every gate. A law's mutant falsifies exactly that law among the thirteen (it may break
pins as well: they say more). A pin's mutant passes all thirteen and falsifies exactly that pin.
"""

from __future__ import annotations

from dataclasses import dataclass


class NotApplied(Exception):
    """The place that a mutant changes does not occur exactly once: the core has moved on, the mutant has not."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A break of the core that must be seen by the law or pin called `breaks`."""

    breaks: str
    module: str
    old: str
    new: str
    story: str

    def apply(self, source: str) -> str:
        """The source of `module` with the change made. Raises NotApplied unless `old` occurs exactly once."""
        count = source.count(self.old)
        if count != 1:
            raise NotApplied(f"the place of mutant {self.breaks} occurs {count} times in {self.module}.py, not once")
        return source.replace(self.old, self.new)


_RETURN_GROWN = "    return (done.tree, *done.behind)\n"
_REST = "    return Carry(done.tree, 0, (*done.behind, tree))\n"
_WRITE_LOOP = "    start, found, after = 0, False, EMPTY\n"
_STOP = "    if pick is None or weight_of(done.forest) <= low:\n        return done\n"
_SETTLED_VIEW = "tuple(tree_of(node) for node in done.forest)"
_SHOWN_TREE = "        case Shown(tree=tree, measure=_):\n            return tree\n"
_SETTLE_WALK = "    done = walk(view, low, Terms(units(view), rank, False))\n"
_IF_PAIR = "if pair and (terms.asking or line is not None)"

LAW_MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "covers_close",
        "operations",
        _RETURN_GROWN,
        "    return (done.tree, *done.behind) if view else (Merged(2, weight),)\n",
        "the first close counts its unit twice",
    ),
    Mutant(
        "covers_settle",
        "settling",
        _STOP,
        "    if weight_of(done.forest) <= low:\n"
        "        return done\n"
        "    if pick is None:\n"
        "        return Progress(done.forest[1:], done.merged)\n",
        "where nothing is ready, the newest tree is dropped",
    ),
    Mutant(
        "covers_write",
        "operations",
        _WRITE_LOOP,
        "    match view:\n"
        "        case (Merged(size=2, weight=own), *rest):\n"
        "            return (Leaf(own), *rest)\n"
        "        case _:\n"
        "            pass\n" + _WRITE_LOOP,
        "write turns a merged pair at the head into one unit",
    ),
    Mutant(
        "aligned_close",
        "operations",
        "tree_size(tree) == done.size:",
        "tree_size(tree) >= done.size:",
        "the carry also takes a tree that is bigger",
    ),
    Mutant(
        "aligned_settle",
        "settling",
        _SETTLED_VIEW,
        "tuple(tree_of(node) for node in reversed(done.forest))",
        "settle gives the trees back oldest first",
    ),
    Mutant(
        "aligned_write",
        "operations",
        "    return after\n",
        "    return after[::-1]\n",
        "write gives the trees back oldest first",
    ),
    Mutant(
        "written",
        "settling",
        _SETTLE_WALK,
        _SETTLE_WALK.replace("False", "True"),
        "settle takes missing lines as written",
    ),
    Mutant(
        "budget",
        "settling",
        "    for _ in range(lines(view)):\n",
        "    for _ in range(1):\n",
        "settle stops after one merge",
    ),
    Mutant(
        "fit_stable",
        "settling",
        "Settled(view, (), Outcome.FITS)",
        "Settled(view, (), Outcome.SETTLED)",
        "a view within the budget is reported as settled",
    ),
    Mutant(
        "coarsen_settle",
        "settling",
        _SHOWN_TREE,
        "        case Shown(tree=tree, measure=measure):\n"
        "            return Split(Leaf(measure.weight), Leaf(0), None) if measure.size == 2 else tree\n",
        "settle shows a merged pair as two lines again",
    ),
    Mutant(
        "coarsen_close",
        "operations",
        _REST,
        "    match tree:\n"
        "        case Merged(size=2, weight=own):\n"
        "            return Carry(done.tree, 0, (*done.behind, Split(Leaf(own), Leaf(0), None)))\n"
        "        case _:\n"
        "            return Carry(done.tree, 0, (*done.behind, tree))\n",
        "close shows a merged pair as two lines again",
    ),
    Mutant(
        "coarsen_write",
        "operations",
        "Split(left, right, weight) if marks",
        "Merged(stop - start, weight) if marks",
        "write merges at once",
    ),
    Mutant(
        "quiet",
        "operations",
        "Carry(Leaf(weight), 1, EMPTY)",
        "Carry(Leaf(weight + 1), 1, EMPTY)",
        "a title weighs more than the host said",
    ),
)

PIN_MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "target",
        "settling",
        _SETTLE_WALK,
        _SETTLE_WALK.replace("low", "budget"),
        "settle stops at the budget, not at half of it",
    ),
    Mutant(
        "ranked",
        "settling",
        _SETTLE_WALK,
        _SETTLE_WALK.replace("rank", "smallest_first"),
        "settle ignores the rank it was given",
    ),
    Mutant(
        "pair",
        "settling",
        _IF_PAIR,
        _IF_PAIR.replace("pair", "(pair or not terms.asking)"),
        "settle merges over halves that are not merged",
    ),
    Mutant(
        "keeps",
        "settling",
        "Split(tree_of(left), tree_of(right), line)",
        "Split(tree_of(left), tree_of(right), None)",
        "settle forgets the lines that are not shown yet",
    ),
    Mutant(
        "weighs",
        "operations",
        "Carry(Leaf(weight), 1, EMPTY)",
        "Carry(Leaf(weight // 2), 1, EMPTY)",
        "a title weighs half of what the host said",
    ),
    Mutant(
        "write_sets",
        "operations",
        "    return after\n",
        "    return view\n",
        "write does nothing",
    ),
    Mutant(
        "shape",
        "operations",
        "Split(tree, done.tree, None)",
        "Split(tree, done.tree, 1)",
        "a carry makes a line out of nothing",
    ),
    Mutant(
        "reads",
        "operations",
        "range(block.start, block.stop))",
        "range(block.start, block.stop - 1))",
        "zoom leaves out the last unit",
    ),
    Mutant(
        "asks",
        "settling",
        "for pick in done.merged if pick.line is None)",
        "for pick in done.merged)",
        "wanted asks for lines that are there",
    ),
)

MUTANTS: tuple[Mutant, ...] = LAW_MUTANTS + PIN_MUTANTS
