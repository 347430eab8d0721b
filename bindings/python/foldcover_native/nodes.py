"""Views as trees, and as the nodes that fc_save gives and fc_load takes.

The nodes are a postfix expression, oldest first; a view is a tuple of trees, newest first. Both say the same.
"""

from __future__ import annotations

import struct

from foldcover import Leaf, Merged, Split, Tree, View
from foldcover_native._ffi import lib

NODE = struct.Struct("=qqII")
"""size, weight, kind, span: struct fc_node."""

Node = tuple[int, int, int, int]


def to_nodes(view: View) -> list[Node]:
    """The nodes of a view."""
    nodes: list[Node] = []
    for tree in reversed(view):
        _append(nodes, tree)
    return nodes


def _append(nodes: list[Node], tree: Tree) -> int:
    """Append a tree, and say how many units it covers."""
    first = len(nodes)
    match tree:
        case Leaf(weight=weight):
            nodes.append((1, weight, lib.FC_LEAF, 1))
            return 1
        case Merged(size=size, weight=weight):
            nodes.append((size, weight, lib.FC_MERGED, 1))
            return size
        case Split(left=left, right=right, line=line):
            size = _append(nodes, left) + _append(nodes, right)
            span = len(nodes) + 1 - first
            kind = lib.FC_SPLIT if line is None else lib.FC_WRITTEN
            nodes.append((size, 0 if line is None else line, kind, span))
            return size


def packed(nodes: list[Node]) -> bytes:
    """The nodes as they lie in memory. Raises OverflowError where a number has more than 64 bits."""
    try:
        return b"".join(NODE.pack(*node) for node in nodes)
    except struct.error as error:
        raise OverflowError(f"a number of the view is beyond 64 bits: {error}") from error


def to_view(memory: bytes) -> View:
    """The view that nodes in memory make."""
    trees: list[Tree] = []
    for size, weight, kind, _ in NODE.iter_unpack(memory):
        if kind == lib.FC_LEAF:
            trees.append(Leaf(weight))
        elif kind == lib.FC_MERGED:
            trees.append(Merged(size, weight))
        else:
            newer, older = trees.pop(), trees.pop()
            trees.append(Split(older, newer, weight if kind == lib.FC_WRITTEN else None))
    return tuple(reversed(trees))
