"""The vectors of close, write and zoom, of malformed views and large numbers: one thing each, and the bug it exposes.

Rule: only views, operations and reasons stand here. The expected results are computed by `make.py` and frozen in JSON.
"""

from __future__ import annotations

from collections.abc import Iterator

from vector_kit import ONES, SEVEN, Case, one, pair, settle, view_of

from foldcover import Block, Leaf, Merged, Split, View, age_over_size, smallest_first
from foldcover_laws.messages import Close, Write, Zoom
from foldcover_laws.views import deep


def closes() -> Iterator[Case]:
    """Units grow by one; the carry joins what is as big, as often as it is."""
    for total in range(17):
        why = f"{total} in binary is {total:b}: one carry for each 1 at its end; a carry that stops early or goes on"
        yield one(f"unit {total}, all split", why, "shape", view_of(total, 1), Close(1))
    for total in (1, 3, 7, 15):
        merged = tuple(Leaf() if not bit else Merged(1 << bit, 1) for bit in range(total.bit_length()))
        why = "a merged block carries like any tree; opened again, it adds a line"
        yield one(f"unit {total}, merged blocks", why, "coarsen_close", merged, Close(2))
    yield one(
        "a merged pair stays closed",
        "a block that is shown again as its units",
        "coarsen_close",
        (Merged(2),),
        Close(1),
    )
    yield one("over a bigger tree", "a carry that takes whatever comes first", "aligned_close", (pair(),), Close(1))
    yield one("empty view", "a first unit that is counted twice", "covers_close", (), Close(1))
    for weight in (0, 1, 2, 7, -1, -5, 1000):
        for name, view in (("nothing", ()), ("one", ONES), ("a pair", (pair(),))):
            why = "a weight that is ignored, halved, made positive or added to"
            yield one(f"weight {weight} on {name}", why, "weighs", view, Close(weight))
    yield one("lines stay", "a carry that forgets the lines below it", "shape", (Leaf(3), pair(9)), Close(1))
    yield one("a carry has no line", "a line out of nothing", "shape", (Leaf(3),), Close(4))


def writes() -> Iterator[Case]:
    """A line is written once, on a split that has none; anything else changes nothing."""
    for start, size in ((0, 2), (2, 2), (0, 4), (4, 2), (4, 1), (6, 1), (0, 8), (1, 2), (2, 4), (3, 2), (0, 1), (0, 7)):
        why = "a block that is looked up by start or size alone"
        yield one(f"seven units, {start}+{size}", why, "write_sets", view_of(7, None), Write(Block(start, size), 5))
    for start, size in ((-1, 2), (0, 0), (0, -2), (7, 2), (1 << 40, 2), (0, 1 << 40), (-2, 9)):
        why = "an address outside of the view that is cut, wrapped or refused"
        yield one(f"outside, {start}+{size}", why, "write_sets", view_of(7, None), Write(Block(start, size), 5))
    for start, size in ((0, 2), (2, 2), (0, 4), (4, 2)):
        why = "a line that is written again"
        yield one(f"written already, {start}+{size}", why, "write_sets", SEVEN, Write(Block(start, size), 9))
    for weight in (0, 1, 6, -4, 100):
        why = "a weight that is ignored or changed; 0 and below are lines too"
        yield one(f"weight {weight}", why, "write_sets", (pair(),), Write(Block(0, 2), weight))
    yield one("over a line of weight 0", "0 taken for no line", "write_sets", (pair(0),), Write(Block(0, 2), 3))
    yield one(
        "merged block", "a merged block that is weighed anew", "write_sets", (Merged(2, 3),), Write(Block(0, 2), 9)
    )
    yield one(
        "merged head",
        "a merged block that turns into a unit",
        "covers_write",
        (Merged(2, 3), Merged(4)),
        Write(Block(0, 4), 9),
    )
    yield one("no merge", "a write that merges at once", "coarsen_write", (pair(),), Write(Block(0, 2), 1))
    yield one(
        "trees keep their order",
        "trees given back oldest first",
        "aligned_write",
        view_of(3, None),
        Write(Block(0, 2), 1),
    )
    yield one("empty view", "an empty view that is not expected", "write_sets", (), Write(Block(0, 1), 1))
    yield one(
        "inner before outer",
        "the first split of that start, not of that size",
        "write_sets",
        view_of(8, None),
        Write(Block(0, 8), 2),
    )


def zooms() -> Iterator[Case]:
    """The units of a range inside the view; nothing for any other range."""
    for start, size in ((0, 7), (0, 1), (6, 1), (3, 3), (0, 4), (4, 2), (1, 6)):
        yield one(
            f"inside, {start}+{size}",
            "the last unit left out, or one too many",
            "reads",
            SEVEN,
            Zoom(Block(start, size)),
        )
    for start, size in (
        (0, 8),
        (7, 1),
        (6, 2),
        (-1, 2),
        (-1, 1),
        (0, 0),
        (3, 0),
        (7, 0),
        (2, -1),
        (1 << 40, 1),
        (0, 1 << 40),
    ):
        yield one(
            f"outside, {start}+{size}",
            "a range that is cut, wrapped or refused",
            "reads",
            SEVEN,
            Zoom(Block(start, size)),
        )
    yield one("through a merged block", "a merged block for its units", "reads", (Merged(4),), Zoom(Block(1, 2)))
    yield one("across trees", "the newest tree first", "reads", (Leaf(), Merged(2), Merged(4)), Zoom(Block(3, 4)))
    yield one("empty view", "an empty view", "reads", (), Zoom(Block(0, 1)))


def malformed() -> Iterator[Case]:
    """Views that no history leads to, fractions beyond doubles among them. A port may refuse to load them."""
    views: tuple[tuple[str, View], ...] = (
        ("sizes fall", (Merged(2), Leaf())),
        ("equal sizes", (Leaf(), Leaf(), Leaf())),
        ("unequal halves", (Split(Leaf(), pair(1), 1),)),
        ("three and five", (Split(Merged(3), Merged(3), 1), Merged(5))),
        ("merged blocks of one", (Merged(1), Merged(1))),
        ("three pairs", (pair(1), pair(1), pair(1))),
    )
    for name, view in views:
        yield one(f"{name}: close", "only the head is asked for its size", "shape", view, Close(1))
        yield one(
            f"{name}: write",
            "addresses worked out from sizes that are powers of two",
            "write_sets",
            view,
            Write(Block(0, 2), 4),
        )
        yield one(
            f"{name}: settle",
            "pairs found from sizes that are powers of two, or outcomes worked out from n",
            "keeps",
            view,
            settle(len(view) - 1),
        )
        yield one(
            f"{name}: settle by age",
            "ages over sizes that are no powers of two",
            "ranked",
            view,
            settle(1, age_over_size),
        )
    f58, f59 = 591286729879, 956722026041
    near: View = (Merged(f59), Split(Merged(f58 - 1), Leaf(), 1), Split(Merged(f59 - 1), Leaf(), 1))
    why = "ages over sizes that differ by 1 / (F58 * F59), equal in doubles"
    yield one("neighbours of Fibonacci", why, "ranked", near, settle(4, age_over_size))


def large() -> Iterator[Case]:
    """Numbers beyond 32 bits."""
    big, word = 1 << 50, 1 << 31
    for weight in (word - 1, word, 2 * word, 2 * word + 1, -word - 1, big + 1, (1 << 53) - 2):
        yield one(f"close {weight}", "weights of 32 bits, or floats", "weighs", (), Close(weight))
        yield one(
            f"write {weight}",
            "lines of 32 bits, or floats",
            "write_sets",
            (pair(),),
            Write(Block(0, 2), weight - 2 if weight > big + 1 else weight),
        )
    heavy: View = (Split(Leaf(word), Leaf(word), word - 1),)
    for budget in (0, word, 2 * word - 1, 2 * word):
        yield one(f"sum of 2**32, budget {budget}", "a sum that wraps", "budget", heavy, settle(budget))
    odd: View = (Split(Leaf(big), Leaf(big + 1), 3),)
    for budget in (2 * big, 2 * big + 1):
        yield one(f"2**51 + 1, budget {budget}", "a half in doubles, or of 32 bits", "budget", odd, settle(budget))
    wide: View = (Split(Merged(word), Merged(word), 1), Split(Merged(2 * word), Merged(2 * word), 1))
    for rank in (smallest_first, age_over_size):
        yield one(f"sizes of 2**32, {rank.__name__}", "addresses of 32 bits", "ranked", wide, settle(3, rank))
    yield one(
        "write at 2**33", "addresses of 32 bits", "write_sets", (pair(), Merged(4 * word)), Write(Block(4 * word, 2), 7)
    )
    yield one(
        "zoom at 2**33", "addresses of 32 bits", "reads", (pair(), Merged(4 * word)), Zoom(Block(4 * word - 1, 3))
    )
    half = Split(Merged(word), Merged(word), None)
    eight: View = (Split(half, half, None),)
    for start in (0, 2 * word):
        why = "starts that are the same in 32 bits"
        yield one(f"write at {start} of 2**33", why, "write_sets", eight, Write(Block(start, 2 * word), 7))
    for start, size in ((0, 2 * word + 2), (2 * word, 2)):
        why = "a range that is another in 32 bits"
        yield one(f"zoom {start} by {size}", why, "reads", (pair(),), Zoom(Block(start, size)))
    yield one("zoom of 1,025 units", "a zoom cut off", "reads", (Merged(2048),), Zoom(Block(1000, 1025)))
    late: View = (Split(deep(33), Split(Merged(2 * word), Merged(2 * word), 1), None),)
    why = "ages over sizes multiplied in 64 bits: one product is 2**67"
    yield one("products beyond 64 bits", why, "ranked", late, settle(3, age_over_size))
    yield one(
        "46 carries",
        "a carry through all sizes",
        "shape",
        (Leaf(), *(Merged(1 << bit) for bit in range(1, 46))),
        Close(1),
    )
