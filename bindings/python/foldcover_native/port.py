"""The C core as a port: JSON lines on stdin and stdout, so that the laws judge it as they judge anybody's.

    foldcover laws --port 'python -m foldcover_native.port'

One view lives in C all the time, as in a host. An operation that is refused answers with an error and changes nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from foldcover import Block, Leaf, Merged, Split, Tree, age_over_size, smallest_first
from foldcover_native.cover import Cover

RANKS = {"smallest_first": smallest_first, "age_over_size": age_over_size}

Json = dict[str, Any]


def tree_of(value: Json) -> Tree:
    """A tree from its JSON."""
    match value:
        case {"leaf": int(weight)}:
            return Leaf(weight)
        case {"merged": [int(size), int(weight)]}:
            return Merged(size, weight)
        case {"split": [left, right, None | int() as line]}:
            return Split(tree_of(left), tree_of(right), line)
        case _:
            raise ValueError(f"not a tree: {json.dumps(value)[:80]}")


def json_of(tree: Tree) -> Json:
    """A tree as JSON."""
    match tree:
        case Leaf(weight=weight):
            return {"leaf": weight}
        case Merged(size=size, weight=weight):
            return {"merged": [size, weight]}
        case Split(left=left, right=right, line=line):
            return {"split": [json_of(left), json_of(right), line]}


def _close(cover: Cover, asked: Json) -> Json:
    cover.close(asked["weight"])
    return _shown(cover)


def _write(cover: Cover, asked: Json) -> Json:
    cover.write(Block(asked["start"], asked["size"]), asked["weight"])
    return _shown(cover)


def _settle(cover: Cover, asked: Json) -> Json:
    merged, outcome = cover.settle(asked["budget"], RANKS[asked["rank"]])
    return {**_shown(cover), "merged": merged, "outcome": outcome.value}


def _load(cover: Cover, asked: Json) -> Json:
    cover.load(tuple(tree_of(tree) for tree in asked["view"]))
    return _shown(cover)


def _reset(cover: Cover, asked: Json) -> Json:
    cover.reset()
    return _shown(cover)


def _zoom(cover: Cover, asked: Json) -> Json:
    return {"blocks": cover.zoom(Block(asked["start"], asked["size"]))}


def _wanted(cover: Cover, asked: Json) -> Json:
    return {"blocks": cover.wanted(asked["budget"], RANKS[asked["rank"]])}


def _hello(cover: Cover, asked: Json) -> Json:
    return {"name": "foldcover-native (C)", "load": True, "wanted": True}


OPERATIONS: dict[str, Callable[[Cover, Json], Json]] = {
    "hello": _hello,
    "reset": _reset,
    "load": _load,
    "close": _close,
    "write": _write,
    "settle": _settle,
    "zoom": _zoom,
    "wanted": _wanted,
}


def _shown(cover: Cover) -> Json:
    return {"view": [json_of(tree) for tree in cover.save()]}


def main() -> None:
    """Answer each line with a line, until bye or the end of the input."""
    cover = Cover()
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["op"] == "bye":
            return
        try:
            answer = OPERATIONS[asked["op"]](cover, asked)
        except (KeyError, ValueError, OverflowError, MemoryError) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": asked["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
