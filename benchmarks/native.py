"""What the compiled core costs: C against a floor, against the Python core, through cffi, and as WebAssembly in node.

Run it with `python benchmarks/native.py` (needs cc, node, and `pip install ./bindings`). All on the same history: one
title a close, every wanted line written, weight 1 each, smallest first. Each figure is the best of a few runs, taken
turn by turn with what it is compared to; compare the ratios. Exit code 1 where an aim is missed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import foldcover as fc
from foldcover_native import Cover

HERE = Path(__file__).resolve().parent
C = HERE.parent / "bindings" / "c"
MANY = 10_000_000
BUDGET = 1_000
TURNS = 9


def build(folder: Path, *flags: str) -> str:
    """Compile native.c with the C core, optimized as a distribution would; two units, unless `flags` join them."""
    program = folder / "-".join(("native", *flags))
    sources = [str(HERE / "native.c"), str(C / "foldcover.c")]
    subprocess.run(["cc", "-std=c11", "-O2", *flags, f"-I{C}", *sources, "-o", str(program)], check=True)
    return str(program)


def ask(*command: str | int | Path) -> dict[str, Any]:
    """What a measuring program printed."""
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def best(*results: dict[str, Any]) -> dict[str, Any]:
    """The run with the least time."""
    return min(results, key=lambda result: float(result["ns"]))


def whole(result: dict[str, Any]) -> float:
    """Nanoseconds a close of the whole host loop, wanted and write too."""
    return float(result["ns"]) + float(result["host_ns"])


def python_life(closes: int) -> float:
    """Nanoseconds a close of the whole host loop on the Python core."""
    view = fc.EMPTY
    start = time.perf_counter()
    for _ in range(closes):
        view = fc.close(view)
        while asked := fc.wanted(view, BUDGET):
            for block in asked:
                view = fc.write(view, block)
        view = fc.settle(view, BUDGET).view
    return (time.perf_counter() - start) / closes * 1e9


def cffi_life(closes: int) -> float:
    """Nanoseconds of a close and its settle through cffi, a call each, less the host's wanted and write."""
    cover, host = Cover(), 0.0
    start = time.perf_counter()
    for _ in range(closes):
        cover.close()
        if cover.weight > BUDGET:
            since = time.perf_counter()
            while asked := cover.wanted(BUDGET):
                for block in asked:
                    cover.write(block)
            host += time.perf_counter() - since
        cover.settle(BUDGET)
    return (time.perf_counter() - start - host) / closes * 1e9


def growth(program: str) -> None:
    """How the cost of a close with its settle grows with n and with the budget."""
    print("\ngrowth          closes    budget   ns a close   x the one before")
    for title, lives in (
        ("with n", [(10**power, BUDGET) for power in (4, 5, 6, 7)]),
        ("with the budget", [(10**6, 10**power) for power in (2, 3, 4, 5)]),
    ):
        before = None
        for closes, budget in lives:
            took = best(*(ask(program, "life", closes, budget, 0) for _ in range(TURNS)))["ns"]
            ratio = "" if before is None else f"{took / before:10.2f}x"
            print(f"{title:<16}{closes:>10,}{budget:>8,}{took:>12.1f}  {ratio}", flush=True)
            before = took


def main() -> int:
    """Print the tables."""
    missed: list[str] = []

    def show(title: str, took: float, against: float, aim: float | None = None) -> None:
        ratio = took / against
        said = "" if aim is None else f"   aim {aim:g}x: {'met' if ratio <= aim else 'MISSED'}"
        if aim is not None and ratio > aim:
            missed.append(title)
        print(f"{title:<58}{took:>12,.1f} ns{ratio:>10,.2f}x{said}", flush=True)

    with tempfile.TemporaryDirectory(prefix="foldcover-") as name:
        program, joined = build(Path(name)), build(Path(name), "-flto")
        turns = [
            (
                ask(program, "floor", MANY),
                ask(program, "life", MANY, BUDGET, 0),
                ask(joined, "life", MANY, BUDGET, 0),
                ask(program, "life", MANY // 10, BUDGET, 1),
                ask(program, "bare", MANY, BUDGET, 0),
                ask("node", HERE / "native.mjs", MANY, BUDGET),
            )
            for _ in range(TURNS)
        ]
        floor, life, inlined, older, bare, wasm = (best(*column) for column in zip(*turns, strict=True))
        print(f"{MANY:,} closes, budget {BUDGET:,}: a close with its settle{'ratio':>26}")
        show("floor: append a 16-byte record to a warm array", floor["ns"], floor["ns"])
        show("C, every wanted line written", life["ns"], floor["ns"], 3)
        show("the same, compiled as one with its host (-flto)", inlined["ns"], floor["ns"])
        show("C by age_over_size, a tenth as many closes", older["ns"], floor["ns"])
        show("C, no line ever written (the view grows)", bare["ns"], floor["ns"])
        show("WebAssembly in node against C", wasm["ns"], life["ns"], 2)
        show("the same, the whole host loop (wanted and write too)", whole(wasm), whole(life))
        show("cffi, a call each, 1,000,000 closes, against C", cffi_life(1_000_000), life["ns"])
        print(f"allocations in the last nine tenths of the closes: {life['allocations']}; lines now {life['lines']}")
        few = 20_000
        c = best(*(ask(program, "life", few, BUDGET, 0) for _ in range(TURNS)))
        print(f"\n{few:,} closes, the whole host loop (wanted and write too){'ratio':>22}")
        show("Python core", python_life(few), whole(c))
        show("C core", whole(c), whole(c))
        growth(program)
    print(f"\naims missed: {'; '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
