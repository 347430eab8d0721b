"""One view held in C and changed in place."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from foldcover import Block, Outcome, Rank, View, age_over_size, smallest_first
from foldcover_native._ffi import ffi, lib
from foldcover_native.nodes import NODE, packed, to_nodes, to_view

BLOCK = struct.Struct("=qq")
LARGEST = (1 << 63) - 1
OUTCOMES = (Outcome.FITS, Outcome.SETTLED, Outcome.STUCK)

_NAMED: dict[Rank, int] = {smallest_first: lib.FC_SMALLEST_FIRST, age_over_size: lib.FC_AGE_OVER_SIZE}
_ERRORS: dict[int, Callable[[], Exception]] = {
    lib.FC_NO_MEMORY: lambda: MemoryError("no memory for the view"),
    lib.FC_OVERFLOW: lambda: OverflowError("more than 2^48 units, or weights that add up to more than 64 bits"),
    lib.FC_BAD_VIEW: lambda: ValueError("the view is not aligned, or a block of it has more than 2^48 units"),
}


class Merges(NamedTuple):
    """What settle did: the blocks that it merged, in order, and how it ended."""

    merged: tuple[Block, ...]
    outcome: Outcome


class Cover:
    """A view, empty at first or a copy of `view`. Not for two threads at once.

    The operations are those of the core (same names, arguments, answers), but they change this view instead of giving
    back another. Numbers have 64 bits and n is at most 2^48: what is beyond raises OverflowError. A view that is not
    aligned, to which no operation leads, raises ValueError. After any exception the view is as it was.
    """

    __slots__ = ("_blocks", "_flag", "_view")

    def __init__(self, view: View = ()) -> None:
        opened = lib.foldcover_native_open()
        if opened == ffi.NULL:
            raise MemoryError("no memory for the view")
        self._view = ffi.gc(opened, lib.fc_free)
        self._flag = ffi.new("int *")
        self._blocks = ffi.new("fc_block const **")
        if view:
            self.load(view)

    @property
    def units(self) -> int:
        """How many units the view covers."""
        return lib.fc_units(self._view)

    @property
    def lines(self) -> int:
        """How many lines it shows."""
        return lib.fc_lines(self._view)

    @property
    def weight(self) -> int:
        """What the shown lines weigh together."""
        return lib.fc_weight(self._view)

    def close(self, weight: int = 1) -> None:
        """Append a unit whose title weighs `weight`. Amortised constant."""
        _check(lib.fc_close(self._view, weight))

    def write(self, block: Block, weight: int = 1) -> bool:
        """Note that the line of `block` exists; whether it is a Split that had none."""
        if not _fits(block):
            return False
        _check(lib.fc_write(self._view, block, weight, self._flag))
        return bool(self._flag[0])

    def wanted(self, budget: int, rank: Rank = smallest_first) -> tuple[Block, ...]:
        """The lines that settle will certainly need, in the order of merging."""
        if rank in _NAMED:
            _check(lib.fc_wanted(self._view, min(budget, LARGEST), _NAMED[rank]))
        else:
            self._by(rank, lambda door, asked: lib.fc_wanted_by(self._view, min(budget, LARGEST), door, asked))
        return self._answer()

    def settle(self, budget: int, rank: Rank = smallest_first) -> Merges:
        """Merge ready pairs, top-ranked first, until the view weighs at most budget // 2."""
        if rank in _NAMED:
            _check(lib.fc_settle(self._view, min(budget, LARGEST), _NAMED[rank], self._flag))
        else:
            before = self.save()
            try:
                self._by(
                    rank,
                    lambda door, asked: lib.fc_settle_by(self._view, min(budget, LARGEST), door, asked, self._flag),
                )
            except BaseException:
                self.load(before)
                raise
        return Merges(self._answer(), OUTCOMES[self._flag[0]])

    def zoom(self, block: Block) -> tuple[Block, ...]:
        """The units of the range, oldest first, as blocks of size 1; () where it is empty or leaves 0 .. n."""
        if not _fits(block):
            return ()
        inside = lib.fc_zoom(self._view, block)
        return tuple(Block(unit, 1) for unit in range(inside.start, inside.start + inside.size))

    def cover(self) -> tuple[Block, ...]:
        """The shown blocks, oldest first."""
        blocks = ffi.new("fc_block[]", self.lines)
        _check(lib.fc_cover(self._view, blocks, ffi.NULL, self.lines))
        return _blocks(blocks, self.lines)

    def save(self) -> View:
        """The view as the core's immutable trees."""
        count = lib.fc_nodes(self._view)
        nodes = ffi.new("fc_node[]", count)
        _check(lib.fc_save(self._view, nodes, count))
        return to_view(ffi.buffer(nodes, count * NODE.size))

    def load(self, view: View) -> None:
        """Take over a view. Raises ValueError for one that is not aligned, OverflowError beyond the limits."""
        nodes = to_nodes(view)
        _check(lib.fc_load(self._view, ffi.from_buffer("fc_node[]", packed(nodes)), len(nodes)))

    def reset(self) -> None:
        """Make it empty again; its memory is kept."""
        lib.fc_reset(self._view)

    def _answer(self) -> tuple[Block, ...]:
        count = lib.fc_blocks(self._view, self._blocks)
        return _blocks(self._blocks[0], count)

    def _by(self, rank: Rank, call: Callable[[Any, Any], int]) -> None:
        """Call with a rank written in Python. What it raises is raised here, after C has come to its end."""
        asked = _Asked(rank)
        _check(call(lib.foldcover_native_before, ffi.new_handle(asked)))
        if asked.error is not None:
            raise asked.error


class _Asked:
    """A rank on the way through C, its keys computed once a block, and what it raised."""

    __slots__ = ("__weakref__", "error", "keys", "rank")

    def __init__(self, rank: Rank) -> None:
        self.rank = rank
        self.keys: dict[Block, Any] = {}
        self.error: BaseException | None = None

    def key(self, block: Block, units: int) -> Any:
        if block not in self.keys:
            self.keys[block] = self.rank(block, units)
        return self.keys[block]


@ffi.def_extern()
def foldcover_native_before(context: Any, one: Any, other: Any, units: int) -> int:
    """Whether the key of one block is less than another's: what C asks."""
    asked: _Asked = ffi.from_handle(context)
    if asked.error is not None:
        return 0
    try:
        return int(asked.key(Block(one.start, one.size), units) < asked.key(Block(other.start, other.size), units))
    except BaseException as error:  # an exception must not pass through C
        asked.error = error
        return 0


def _check(status: int) -> None:
    if status != lib.FC_OK:
        raise _ERRORS[status]()


def _fits(block: Block) -> bool:
    return 0 <= block[0] <= LARGEST and 0 <= block[1] <= LARGEST


def _blocks(memory: Any, count: int) -> tuple[Block, ...]:
    return tuple(Block(*block) for block in BLOCK.iter_unpack(ffi.buffer(memory, count * BLOCK.size))) if count else ()
