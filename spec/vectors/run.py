"""Run the vectors on the Python core through the template port: how anybody would, in any language.

python spec/vectors/run.py            a line for each vector that fails; exit code 1 when there is one
python spec/vectors/run.py --json     the core that ran, how many vectors, and the names of those that fail
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import foldcover

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "examples" / "port"))

import port  # noqa: E402


def steps_of(case: dict[str, Any]) -> list[dict[str, Any]]:
    """The operations of a case: its own, or those of its history."""
    steps: list[dict[str, Any]] = case.get("steps", [case])
    return steps


def holds(case: dict[str, Any]) -> bool:
    """Whether every operation answers what is expected."""
    view: foldcover.View = tuple(port.tree_of(tree) for tree in case.get("view", []))
    for step in steps_of(case):
        view, more = port.answer(view, step)
        shown = {} if "blocks" in more else {"view": [port.json_of(tree) for tree in view]}
        if json.loads(json.dumps({**shown, **more})) != step["expect"]:
            return False
    return True


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every case with its full name."""
    for file in sorted(HERE.glob("*.json")):
        if file.name != "schema.json":
            for case in json.loads(file.read_text("utf-8"))["cases"]:
                yield f"{file.stem}: {case['name']}", case


def main() -> int:
    """Run them all."""
    every = list(cases())
    failed = [name for name, case in every if not holds(case)]
    if "--json" in sys.argv:
        print(json.dumps({"foldcover": foldcover.__file__, "cases": len(every), "failed": failed}))
    else:
        print("".join(f"fails: {name}\n" for name in failed) + f"{len(every)} vectors, {len(failed)} fail")
    return 1 if failed or not every else 0


if __name__ == "__main__":
    sys.exit(main())
