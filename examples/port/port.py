"""A port of the cover rule, as a template: JSON lines on stdin and stdout, as spec/ports.md says.

It serves the Python core; in another language the four operations are yours. Judge it from the root of a checkout:

    foldcover laws --port 'python examples/port/port.py'
"""

import json
import sys
from typing import Any

import foldcover as fc

RANKS = {"smallest_first": fc.smallest_first, "age_over_size": fc.age_over_size}


def tree_of(value: dict[str, Any]) -> fc.Tree:
    """A tree from its JSON."""
    match value:
        case {"leaf": weight}:
            return fc.Leaf(weight)
        case {"merged": [size, weight]}:
            return fc.Merged(size, weight)
        case {"split": [left, right, line]}:
            return fc.Split(tree_of(left), tree_of(right), line)
        case _:
            raise ValueError(f"not a tree: {value}")


def json_of(tree: fc.Tree) -> dict[str, Any]:
    """A tree as JSON."""
    match tree:
        case fc.Leaf(weight=weight):
            return {"leaf": weight}
        case fc.Merged(size=size, weight=weight):
            return {"merged": [size, weight]}
        case fc.Split(left=left, right=right, line=line):
            return {"split": [json_of(left), json_of(right), line]}


def answer(view: fc.View, asked: dict[str, Any]) -> tuple[fc.View, dict[str, Any]]:
    """The view after a request, and what to say besides it."""
    match asked["op"]:
        case "hello":
            return view, {"name": "template", "load": True, "wanted": True}
        case "reset":
            return fc.EMPTY, {}
        case "load":
            return tuple(tree_of(tree) for tree in asked["view"]), {}
        case "close":
            return fc.close(view, asked["weight"]), {}
        case "write":
            return fc.write(view, fc.Block(asked["start"], asked["size"]), asked["weight"]), {}
        case "settle":
            after, merged, outcome = fc.settle(view, asked["budget"], RANKS[asked["rank"]])
            return after, {"merged": merged, "outcome": outcome.value}
        case "zoom":
            return view, {"blocks": fc.zoom(view, fc.Block(asked["start"], asked["size"]))}
        case "wanted":
            return view, {"blocks": fc.wanted(view, asked["budget"], RANKS[asked["rank"]])}
        case other:
            raise ValueError(f"no operation {other}")


def main() -> None:
    """Answer a line with a line, until bye."""
    view = fc.EMPTY
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["op"] == "bye":
            break
        try:
            view, more = answer(view, asked)
        except Exception as error:
            more = {"error": str(error)}
        shown = {} if more.keys() & {"name", "blocks", "error"} else {"view": [json_of(tree) for tree in view]}
        print(json.dumps({"id": asked["id"], **shown, **more}), flush=True)


if __name__ == "__main__":
    main()
