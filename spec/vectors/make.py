"""Write the vectors: what the core answers to the cases of the two files beside this one, as JSON.

    python spec/vectors/make.py            write them
    python spec/vectors/make.py --check    compare them with what is there; exit code 1 when something differs

Rule: they are frozen. A difference means that the rule has changed, which is to be said aloud, or that it is broken.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import vector_settling
import vector_trees
from vector_kit import Case

import foldcover
from foldcover import Settled, View
from foldcover_laws.messages import Answer, Budgeted, Close, Listed, Request, Shown, Write, Zoom
from foldcover_laws.wire import answer_text, request_text, view_text

HERE = Path(__file__).parent

THEMES = {
    "close": vector_trees.closes,
    "write": vector_trees.writes,
    "zoom": vector_trees.zooms,
    "settle": vector_settling.settles,
    "rank": vector_settling.ranks,
    "wanted": vector_settling.wants,
    "history": vector_settling.histories,
    "malformed": vector_trees.malformed,
    "large": vector_trees.large,
}


def perform(view: View, request: Request) -> tuple[View, Answer]:
    """The core's answer, and the view that it leaves."""
    match request:
        case Close(weight=weight):
            after = foldcover.close(view, weight)
            return after, Shown(after)
        case Write(block=block, weight=weight):
            after = foldcover.write(view, block, weight)
            return after, Shown(after)
        case Budgeted(op="settle", budget=budget, rank=rank):
            settled: Settled = foldcover.settle(view, budget, rank)
            return settled.view, settled
        case Budgeted(budget=budget, rank=rank):
            return view, Listed(foldcover.wanted(view, budget, rank))
        case Zoom(block=block):
            return view, Listed(foldcover.zoom(view, block))
        case _:
            raise ValueError(f"no operation of a vector: {request.op}")


def record(case: Case) -> dict[str, Any]:
    """The case as JSON: one operation, or the steps of a history."""
    head: dict[str, Any] = {"name": case.name, "why": case.why, "law": case.law}
    view, steps = case.view, list[dict[str, Any]]()
    for request in case.steps:
        view, answer = perform(view, request)
        asked, expected = json.loads(request_text(0, request)), json.loads(answer_text(0, answer))
        del asked["id"], expected["id"]
        steps.append({**asked, "expect": expected})
    if len(steps) > 1:
        return {**head, "steps": steps}
    return {**head, "view": json.loads(view_text(case.view)), **steps[0]}


def text(theme: str) -> str:
    """The file of a theme: a case a line."""
    make = THEMES[theme]
    cases = [record(case) for case in make()]
    names = [case["name"] for case in cases]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"{theme}: names that occur twice: {twice}")
    lines = ",\n".join(json.dumps(case) for case in cases)
    about = json.dumps(" ".join((make.__doc__ or "").split()))
    return f'{{"theme": "{theme}", "about": {about}, "cases": [\n{lines}\n]}}\n'


def differing() -> Iterator[str]:
    """The names of the files that are not what they should be."""
    for theme in THEMES:
        file = HERE / f"{theme}.json"
        if not file.exists() or file.read_text("utf-8") != text(theme):
            yield file.name


def main() -> int:
    """Write, or compare."""
    if sys.argv[1:] == ["--check"]:
        wrong = list(differing())
        print(
            f"{len(THEMES) - len(wrong)} files of vectors are as they were"
            + "".join(f"\ndiffers: {name}" for name in wrong)
        )
        return 1 if wrong else 0
    for theme in THEMES:
        (HERE / f"{theme}.json").write_text(text(theme), "utf-8")
        print(f"{theme}.json: {text(theme).count(chr(10)) - 2} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
