"""Examples that Python and Coq must answer alike: the check that the translation means what Python does.

`python spec/proofs/coqexamples.py DIR [--views N]` writes Examples_*.v into DIR. The views are all that a history of up
to six closes reaches, small odd ones, some met in longer random histories, and random malformed ones. Each function of
the core is applied to them in Coq, with Python's answer on the other side. Compiling a file lets the kernel evaluate
each (vm_compute).
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "core"))

import foldcover as fc  # noqa: E402

HEAD = """\
From Coq Require Import ZArith List Bool.
Import ListNotations.
Require Import Core Named.
Open Scope Z_scope.
"""
RANKS: tuple[tuple[fc.Rank, str], ...] = ((fc.smallest_first, "by_size"), (fc.age_over_size, "by_age"))


def number(value: int) -> str:
    """An integer in Coq."""
    return str(value) if value >= 0 else f"({value})"


def tree(node: fc.Tree) -> str:
    """A tree in Coq."""
    match node:
        case fc.Leaf(weight=weight):
            return f"(Leaf {number(weight)})"
        case fc.Merged(size=size, weight=weight):
            return f"(Merged {number(size)} {number(weight)})"
        case fc.Split(left=left, right=right, line=line):
            own = "None" if line is None else f"(Some {number(line)})"
            return f"(Split {tree(left)} {tree(right)} {own})"


def items(parts: list[str]) -> str:
    """A list in Coq."""
    return "[" + "; ".join(parts) + "]"


def view(trees: fc.View) -> str:
    """A view in Coq."""
    return items([tree(node) for node in trees])


def block(value: fc.Block) -> str:
    """A block in Coq."""
    return f"(mkBlock {number(value.start)} {number(value.size)})"


def blocks(values: tuple[fc.Block, ...]) -> str:
    """A list of blocks in Coq."""
    return items([block(value) for value in values])


def complete_trees(size: int) -> list[fc.Tree]:
    """Every tree over `size` units (a power of two), all lines of weight 1."""
    if size == 1:
        return [fc.Leaf(1)]
    halves = complete_trees(size // 2)
    return [fc.Merged(size, 1), *(fc.Split(a, b, line) for a, b in product(halves, halves) for line in (None, 1))]


def reached_views(most: int) -> Iterator[fc.View]:
    """Every view that a history of up to `most` closes of weight 1 can reach: the aligned ones."""
    for total in range(most + 1):
        sizes = [1 << bit for bit in range(total.bit_length()) if total >> bit & 1]
        yield from product(*(complete_trees(size) for size in sizes))


def odd_views() -> Iterator[fc.View]:
    """Views of one or two trees, and every pair below one tree, with sizes of 0 and below, lines and weights varied."""
    ones: list[fc.Tree] = [fc.Leaf(1), fc.Leaf(-1), fc.Merged(2, 3), fc.Merged(0, 1), fc.Merged(-1, 2)]
    yield ()
    for size in (1, 2):
        yield from product(ones, repeat=size)
    twos: list[fc.Tree] = [fc.Split(a, b, line) for a, b in product(ones, ones) for line in (None, 0, 2)]
    for node in twos:
        yield (node,)
    for node in (fc.Split(fc.Leaf(1), fc.Leaf(1), line) for line in (None, 1)):
        others: tuple[fc.Tree, ...] = (fc.Leaf(2), fc.Merged(2, 1), node)
        for other, line in product(others, (None, 1)):
            yield (fc.Split(node, other, line),)
            yield fc.Split(other, node, line), fc.Leaf(1)


def random_tree(rng: random.Random, depth: int) -> fc.Tree:
    """Any tree, seldom a well-formed one."""
    kind = rng.random()
    if depth == 0 or kind < 0.25:
        return fc.Leaf(rng.randint(-2, 5))
    if kind < 0.45:
        return fc.Merged(rng.choice((1, 2, 2, 4, 8, 3, 0, -1)), rng.randint(-2, 5))
    line = None if rng.random() < 0.35 else rng.randint(-1, 4)
    return fc.Split(random_tree(rng, depth - 1), random_tree(rng, depth - 1), line)


def history(rng: random.Random) -> Iterator[fc.View]:
    """The views of a session: closes, writes of some pairs, a settle now and then."""
    now: fc.View = ()
    for _ in range(rng.randint(4, 16)):
        now = fc.close(now, rng.randint(0, 4))
        for pair in fc.pairs(now):
            if rng.random() < 0.5:
                now = fc.write(now, pair, rng.randint(0, 4))
        if rng.random() < 0.3:
            yield now
            now = fc.settle(now, rng.randint(0, 12), rng.choice(RANKS)[0]).view
    yield now


def views(count: int, rng: random.Random) -> Iterator[fc.View]:
    """All that small histories reach, odd small ones, then `count` from histories, then `count` malformed ones."""
    yield from reached_views(6)
    yield from odd_views()
    met = 0
    while met < count:
        for seen in history(rng):
            met += 1
            yield seen
    for _ in range(count):
        yield tuple(random_tree(rng, rng.randint(0, 4)) for _ in range(rng.randint(1, 4)))


def equations(trees: fc.View, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Applications in Coq and what Python answers."""
    v = view(trees)
    yield f"units {v}", number(fc.units(trees))
    yield f"lines {v}", number(fc.lines(trees))
    yield f"weight {v}", number(fc.weight(trees))
    yield f"aligned {v}", str(fc.aligned(trees)).lower()
    yield f"cover {v}", blocks(fc.cover(trees))
    yield f"pairs {v}", blocks(fc.pairs(trees))
    yield f"ready {v}", blocks(fc.ready(trees))
    own = rng.randint(-2, 5)
    yield f"close {v} {number(own)}", view(fc.close(trees, own))
    anywhere = fc.Block(rng.randint(-1, 8), rng.choice((0, 1, 2, 3, 4, 8)))
    for target in {anywhere, *rng.sample(fc.pairs(trees), min(2, len(fc.pairs(trees))))}:
        yield f"write {v} {block(target)} {number(own)}", view(fc.write(trees, target, own))
        yield f"zoom {v} {block(target)}", blocks(fc.zoom(trees, target))
    total = fc.weight(trees)
    for rank, name in RANKS:
        for budget in {rng.randint(-2, max(total, 1)), total - 1, total}:
            result = fc.settle(trees, budget, rank)
            answer = f"mkSettled {view(result.view)} {blocks(result.merged)} {result.outcome.name}"
            yield f"settle (order := named) {v} {number(budget)} {name}", answer
            yield (
                f"wanted (order := named) {v} {number(budget)} {name}",
                blocks(fc.wanted(trees, budget, rank)),
            )


def write_examples(folder: Path, count: int, per_file: int = 2500) -> int:
    """Write the files; the answer is the number of examples."""
    rng = random.Random(20240229)
    examples: list[str] = []
    for trees in dict.fromkeys(views(count, rng)):
        for left, right in equations(trees, rng):
            name = f"example_{len(examples)}"
            examples.append(f"Example {name} : {left} = {right}.\nProof. vm_compute. reflexivity. Qed.\n")
    for position in range(0, len(examples), per_file):
        text = HEAD + "".join(examples[position : position + per_file])
        (folder / f"Examples_{position // per_file}.v").write_text(text, encoding="utf-8")
    return len(examples)


def main(arguments: list[str]) -> int:
    """Run the command; the exit code is its answer."""
    parser = argparse.ArgumentParser(description="Write examples that Python and Coq must answer alike.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--views", type=int, default=150, help="views from histories, and as many malformed ones")
    chosen = parser.parse_args(arguments)
    print(f"{write_examples(chosen.folder, chosen.views)} examples written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
