"""Nodes that nobody may look into: with them one step of the core is checked for trees of any size.

An opaque tree stands for any tree whatever, or for any run of trees. It carries what the measures say of it, as
unknown numbers. The core's measures answer from those; everything else that runs is the core's own. Code that asks an
opaque tree for its constructor raises Peeked: the step would say nothing about it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn, cast

from foldcover import Tree, operations, settling, trees, views
from foldcover.settling import Measure, Node, Pick

MODULES: tuple[Any, ...] = (trees, views, operations, settling)


class Peeked(BaseException):
    """The core looked at the constructor of an opaque node."""


class _Closed:
    """What `match` and isinstance ask an object for: the core must not, CrossHair may."""

    @property
    def __class__(self) -> type:
        here = inspect.currentframe()
        asker = None if here is None else here.f_back
        if asker is None or str(asker.f_globals.get("__name__")).startswith("foldcover."):
            raise Peeked
        return type(self)

    @__class__.setter
    def __class__(self, _: object) -> NoReturn:
        raise Peeked


class Summary(NamedTuple):
    """What the measures say of a tree: units, lines, weight, and whether it is complete."""

    size: int
    lines: int
    weight: int
    complete: bool


class OpaqueTree(_Closed):
    """A tree of which only a summary is known."""

    def __init__(self, about: Summary) -> None:
        self.about = about


class OpaqueNode(_Closed):
    """A measured node of which only the measure is known."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure


def tree(about: Summary) -> Tree:
    """An opaque tree, in the place of any tree."""
    return cast(Tree, OpaqueTree(about))


def node(size: int, lines: int, weight: int, best: Pick | None) -> Node:
    """An opaque measured node, in the place of any."""
    return cast(Node, OpaqueNode(Measure(size, lines, weight, best)))


def _answer(name: str, kind: type, answer: Callable[[Any], object]) -> None:
    """Let a measure of the core answer for opaque nodes, in every module that knows it by name."""
    for module in MODULES:
        real = getattr(module, name, None)
        if real is not None:
            setattr(module, name, _either(real, kind, answer))


def _either(real: Callable[[Any], object], kind: type, answer: Callable[[Any], object]) -> Callable[[Any], object]:
    def measure(it: Any) -> object:
        return answer(it) if type(it) is kind else real(it)

    return measure


def observe() -> None:
    """Put the answers for opaque nodes in place, once in a process that checks nothing else."""
    _answer("tree_size", OpaqueTree, lambda it: it.about.size)
    _answer("tree_lines", OpaqueTree, lambda it: it.about.lines)
    _answer("tree_weight", OpaqueTree, lambda it: it.about.weight)
    _answer("complete_size", OpaqueTree, lambda it: it.about.size if it.about.complete else 0)
    _answer("one_line", OpaqueTree, lambda it: it.about.lines == 1)
    _answer("measure_of", OpaqueNode, lambda it: it.measure)
    _answer("tree_of", OpaqueNode, lambda it: tree(Summary(it.measure.size, it.measure.lines, it.measure.weight, True)))


@contextmanager
def assuming(module: Any, name: str, hypothesis: Callable[..., object]) -> Generator[None]:
    """For a while, let a function of the core be answered by an induction hypothesis."""
    real = getattr(module, name)
    setattr(module, name, hypothesis)
    try:
        yield
    finally:
        setattr(module, name, real)


def summary_of(it: Tree) -> Summary:
    """The measures of a tree that may have opaque parts."""
    size = trees.tree_size(it)
    return Summary(size, trees.tree_lines(it), trees.tree_weight(it), trees.complete_size(it) == size)
