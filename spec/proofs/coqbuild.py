"""Compiling a folder of Coq files in the order of their imports, each within a time limit."""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

_REQUIRE = re.compile(r"^Require Import ([\w ]+)\.$", re.MULTILINE)
_THEOREM = re.compile(r"^Theorem (\w+)", re.MULTILINE)


class Verdict(Enum):
    """How compiling a file ended."""

    BUILT = "built"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    NOT_TRIED = "not tried"


@dataclass(frozen=True)
class Built:
    """A file, how it went, and what Coq said."""

    name: str
    verdict: Verdict
    said: str


def imports(path: Path) -> set[str]:
    """The files of the same folder that a file requires."""
    return {name for line in _REQUIRE.findall(path.read_text(encoding="utf-8")) for name in line.split()}


def theorems(path: Path) -> list[str]:
    """The names of the theorems that a file states."""
    return _THEOREM.findall(path.read_text(encoding="utf-8"))


def needed(folder: Path, names: set[str]) -> set[str]:
    """These files and all that they require."""
    found: set[str] = set()
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= imports(folder / f"{name}.v") - found
    return found


def waves(folder: Path, names: set[str]) -> list[list[str]]:
    """The files in groups: each group requires only files of the groups before. ValueError if they go in circles."""
    left: dict[str, set[str]] = {name: imports(folder / f"{name}.v") & names for name in names}
    groups: list[list[str]] = []
    while left:
        group = sorted(name for name, needs in left.items() if not needs & left.keys())
        if not group:
            raise ValueError(f"these files require each other: {sorted(left)}")
        groups.append(group)
        for name in group:
            del left[name]
    return groups


def compile_file(folder: Path, name: str, limit: float) -> Built:
    """Run coqc on one file."""
    try:
        done = subprocess.run(
            ["coqc", "-q", f"{name}.v"], cwd=folder, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return Built(name, Verdict.TIMED_OUT, f"more than {limit:g} s")
    said = done.stdout + done.stderr
    return Built(name, Verdict.BUILT if done.returncode == 0 else Verdict.FAILED, said.strip())


def build(folder: Path, names: set[str], limit: float) -> list[Built]:
    """Compile the files, as many at once as there are cores; one whose imports did not compile is not tried."""
    results: dict[str, Built] = {}
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        for group in waves(folder, names):
            missing = {name for name, built in results.items() if built.verdict is not Verdict.BUILT}
            blocked = {name for name in group if imports(folder / f"{name}.v") & missing}
            waiting = [pool.submit(compile_file, folder, name, limit) for name in group if name not in blocked]
            results |= {name: Built(name, Verdict.NOT_TRIED, "") for name in blocked}
            results |= {one.result().name: one.result() for one in waiting}
    return list(results.values())
