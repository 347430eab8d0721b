"""Small made histories whose questions have a known answer."""

from __future__ import annotations

import json
from pathlib import Path

from foldcover_harness.measure.history import Unit

NAMES = (
    "otter",
    "lynx",
    "heron",
    "badger",
    "marten",
    "stoat",
    "osprey",
    "weasel",
    "curlew",
    "plover",
    "dunlin",
    "gannet",
)


def fact(number: int) -> str:
    """A sentence with a detail that only one unit holds, and that says what the unit is about."""
    name = name_of(number)
    return (
        f"The {name} harbour ledger keeps {name} {name}berth {name}quay tallies in port_{name}.py line {number + 10}."
    )


def name_of(number: int) -> str:
    """A word that only one unit has."""
    return NAMES[number % len(NAMES)] + "abcdefghij"[number // len(NAMES)] * 3


def unit(number: int, transcript: int = 0, project: str = "") -> Unit:
    """A unit whose other texts repeat its own words."""
    name = name_of(number)
    return Unit(
        transcript,
        project,
        (
            ("user", f"{name} please"),
            ("input", json.dumps({"command": f"cat {name}berth {name}quay"})),
            ("output", f"{name}berth"),
            ("closing", f"{fact(number)}\nDone with {name}, {name}berth and {name}quay."),
        ),
    )


def units(count: int, transcripts: int = 4) -> list[Unit]:
    """A history; its transcripts are as long as each other."""
    return [unit(number, number * transcripts // count) for number in range(count)]


def transcript(
    folder: Path, numbers: range, name: str = "t.jsonl", cwd: str = "/home/me/harbour", day: int = 1
) -> Path:
    """A Claude Code transcript of the same units, a turn each."""
    lines: list[dict[str, object]] = []
    for number in numbers:
        stamp = f"2026-01-{day:02}T00:00:{number:02}Z"
        for kind, content in (("user", unit(number).said("user")), ("assistant", unit(number).said("closing"))):
            lines.append(
                {
                    "type": kind,
                    "uuid": f"{name}-{number}-{kind}",
                    "timestamp": stamp,
                    "cwd": cwd,
                    "message": {"role": kind, "id": f"{name}-{number}", "content": [{"type": "text", "text": content}]},
                }
            )
    path = folder / name
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path
