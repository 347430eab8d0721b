"""What the session library costs: a request, an append, an open; as ratios to the least that could be done.

    python benchmarks/session.py

A session of 10,000 units in a window of 400,000 tokens, with a tail of about 200,000, is made in a temporary folder (on
the disk of the present working folder, so that flushing costs what it costs there). Each pair is taken turn by turn;
compare the ratios.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from foldcover_harness.session import Session
from foldcover_harness.session.exact import json_line

UNITS = 10_000
WINDOW = 400_000
WORDS = "the retry queue drops a message when the lease expires before the ack arrives; see worker.py line 118. " * 8
TURNS = 5


def fastest(*acts: Callable[[], object]) -> list[float]:
    """The least seconds of each act, taken turn by turn."""
    best = [float("inf")] * len(acts)
    for _ in range(TURNS):
        for number, act in enumerate(acts):
            start = time.perf_counter()
            act()
            best[number] = min(best[number], time.perf_counter() - start)
    return best


def grown(folder: Path) -> Session:
    """A session of many units and a long tail."""
    session = Session.create(folder, wire="anthropic", standing={"model": "m", "system": WORDS}, window=WINDOW)
    for unit in range(UNITS):
        session.user({"role": "user", "content": f"step {unit}"})
        session.assistant({"role": "assistant", "content": [{"type": "text", "text": f"Step {unit} is done."}]})
        if unit > 0:
            session.fold(unit - 1, unit - 1)
    for _ in range(500):
        session.user({"role": "user", "content": WORDS})
        session.assistant({"role": "assistant", "content": [{"type": "text", "text": WORDS}]})
    return session


def appends(session: Session, path: Path, count: int = 1_000) -> tuple[float, float]:
    """The median seconds of an append to the session, and of a bare write and flush of the same bytes, one by one in
    turn: a disk is not the same for long.
    """
    message = {"role": "assistant", "content": [{"type": "text", "text": WORDS * 5}]}
    line = json_line({"e": "message", "role": "assistant", "message": message})
    file = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)

    def ours() -> None:
        session.assistant(message)

    def bare() -> None:
        os.write(file, line)
        os.fdatasync(file)

    taken: tuple[list[float], list[float]] = ([], [])
    acts: tuple[Callable[[], None], Callable[[], None]] = (ours, bare)
    for _ in range(count):
        for act, times in zip(acts, taken, strict=True):
            start = time.perf_counter()
            act()
            times.append(time.perf_counter() - start)
    os.close(file)
    mine, floor = map(median, taken)
    return mine, floor


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="foldcover-", dir=".") as name:
        folder = Path(name) / "session"
        start = time.perf_counter()
        session = grown(folder)
        took, lines, tokens = time.perf_counter() - start, len(session.cover()), session.load().tokens
        print(f"{UNITS:,} units folded in {took:.0f} s, {lines} lines, {tokens:,} tokens")
        messages: list[Any] = session.request()["messages"]
        built, encoded = fastest(session.request, lambda: json.dumps(messages))
        print(f"a request             {built * 1e3:8.1f} ms  {built / encoded:6.2f} x json-encoding its messages once")
        mine, floor = appends(session, Path(name) / "bare")
        print(f"an append of 4 kB     {mine * 1e3:8.2f} ms  {mine / floor:6.2f} x a bare write and fdatasync")
        session.close()
        data = (folder / "journal.jsonl").read_bytes()
        opened, parsed = fastest(
            lambda: Session.open(folder, read_only=True), lambda: [json.loads(line) for line in data.splitlines()]
        )
        print(f"opening the session   {opened * 1e3:8.0f} ms  {opened / parsed:6.2f} x json-decoding its journal once")


if __name__ == "__main__":
    main()
