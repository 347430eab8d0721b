"""The laws' own vocabulary: a view read as two tables of addresses.

    shown    block -> weight of its line            the leaves and merged blocks
    splits   block -> (line or None, left, right)   the blocks shown as their halves

The laws never use a helper of the operation they judge. They count units by adding up the shown blocks, and find
pairs by looking up both halves among the shown blocks. Addresses are unique as long as every Merged has a
positive size, so the tables and the list of roots determine the view.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from foldcover import Block, Leaf, Merged, Split, Tree, View


class NotAView(TypeError):
    """Something else stands where a view, or a part of one, should be."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A Split in the table: the weight of its line (None: not written) and the blocks of its halves."""

    line: int | None
    left: Block
    right: Block


class Reading:
    """A view, read. Cheap to make, and never changed after."""

    __slots__ = ("_aligned", "_has_single_merged", "roots", "shown", "splits", "units", "view", "weight")

    def __init__(self, view: View) -> None:
        self.view = view
        self.shown: dict[Block, int] = {}
        self.splits: dict[Block, Parts] = {}
        self.roots: list[Block] = []
        self._has_single_merged = False
        self._aligned: bool | None = None
        if not isinstance(view, tuple):
            raise NotAView(f"not a view: {view!r}")
        start = 0
        for tree in reversed(view):
            root = self._read(tree, start)
            self.roots.append(root)
            start = root.stop
        self.units = sum(block.size for block in self.shown)
        self.weight = sum(self.shown.values())

    def _read(self, tree: Tree, start: int) -> Block:
        if isinstance(tree, Split):
            left = self._read(tree.left, start)
            right = self._read(tree.right, left.stop)
            block = Block(start, left.size + right.size)
            self.splits[block] = Parts(tree.line, left, right)
            return block
        if isinstance(tree, Leaf):
            block = Block(start, 1)
        elif isinstance(tree, Merged):
            block = Block(start, tree.size)
            self._has_single_merged = self._has_single_merged or tree.size < 2
        else:
            raise NotAView(f"not a tree: {tree!r}")
        self.shown[block] = tree.weight
        return block

    @property
    def lines(self) -> int:
        """How many lines are shown."""
        return len(self.shown)

    def pairs(self) -> Iterator[Block]:
        """The splits both of whose halves are shown as one line."""
        return _pairs(self.shown, self.splits)

    def ready(self) -> Iterator[Block]:
        """The pairs whose own line is written."""
        for block in self.pairs():
            if self.splits[block].line is not None:
                yield block

    def nothing_ready(self) -> bool:
        """Whether no pair has its line."""
        return next(self.ready(), None) is None

    def unwritten(self) -> list[Block]:
        """The splits without a line."""
        return [block for block, parts in self.splits.items() if parts.line is None]

    def lines_of_splits(self) -> dict[Block, int | None]:
        """Every split's line."""
        return {block: parts.line for block, parts in self.splits.items()}

    def is_aligned(self) -> bool:
        """Whether every node is an aligned block, halves are equal, and roots shrink from the oldest on."""
        if self._aligned is None:
            self._aligned = (
                not self._has_single_merged
                and all(_is_aligned(block) for block in (*self.shown, *self.splits))
                and all(parts.left.size == parts.right.size for parts in self.splits.values())
                and all(older.size > newer.size for older, newer in pairwise(self.roots))
            )
        return self._aligned


def _pairs(shown: dict[Block, int], splits: dict[Block, Parts]) -> Iterator[Block]:
    """The splits both of whose halves are shown."""
    for block, parts in splits.items():
        if parts.left in shown and parts.right in shown:
            yield block


def _is_aligned(block: Block) -> bool:
    """Whether the size is a power of two and the start a multiple of it."""
    return block.size >= 1 and block.size.bit_count() == 1 and block.start % block.size == 0


class Moment:
    """A reading in motion: what a view shows after some of its blocks have been replaced by one line.

    Used to replay a list of merges without the core. A missing line weighs 0 here.
    """

    __slots__ = ("shown", "splits", "weight")

    def __init__(self, before: Reading) -> None:
        self.shown = dict(before.shown)
        self.splits = dict(before.splits)
        self.weight = before.weight

    def is_pair(self, block: Block) -> bool:
        """Whether both halves of the block are shown now."""
        parts = self.splits.get(block)
        return parts is not None and parts.left in self.shown and parts.right in self.shown

    def pairs(self) -> Iterator[Block]:
        """The splits both of whose halves are shown now."""
        return _pairs(self.shown, self.splits)

    def replace(self, block: Block) -> None:
        """Show the block as one line of its written weight, whatever is inside."""
        inside = [part for part in (*self.shown, *self.splits) if block.start <= part.start and part.stop <= block.stop]
        line = self.splits[block].line
        for part in inside:
            self.weight -= self.shown.pop(part, 0)
            self.splits.pop(part, None)
        self.shown[block] = 0 if line is None else line
        self.weight += self.shown[block]
