"""Run CrossHair on a file of contracts, and believe nothing but one "Confirmed over all paths" for each.

Its exit code 0 also covers "Not confirmed", "Unable to meet precondition" and a file without contracts; 1 is also
what it ends with when it crashes. So the exit code is not asked for an answer: every function must be named by
exactly one line of its output, and only two kinds of line are an answer.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

CONFIRMED = "Confirmed over all paths."
LINE = re.compile(r"^.*?\.py:(\d+): (\w+): (.*)$")
HOW_TO_INSTALL = "CrossHair is not installed: pip install crosshair-tool"


class Verdict(Enum):
    """What CrossHair knows of a contract."""

    CONFIRMED = "confirmed"
    """Over all paths."""
    REFUTED = "refuted"
    """There is a counterexample."""
    UNDECIDED = "undecided"
    """Anything else: not confirmed, out of time, no precondition met, nothing reported, a crash."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said of one contract: a verdict, CrossHair's own words, the seconds of its whole run."""

    name: str
    verdict: Verdict
    words: str
    seconds: float = 0.0


def is_installed() -> bool:
    """Whether CrossHair can be run."""
    return find_spec("crosshair") is not None


def check(file: Path, names: Sequence[str], timeout: float) -> list[Answer]:
    """Check a file of contracts with these names, each for at most `timeout` seconds."""
    flags = ["--report_all", "--analysis_kind", "PEP316", "--per_condition_timeout", f"{timeout:g}"]
    command = [sys.executable, "-m", "foldcover_laws.symbolic.unenforced", "check", file.name, *flags]
    start = time.perf_counter()
    try:
        done = subprocess.run(
            command, cwd=file.parent, capture_output=True, text=True, timeout=60 + timeout * len(names), check=False
        )
    except subprocess.TimeoutExpired:
        return [Answer(name, Verdict.UNDECIDED, "no answer in time", time.perf_counter() - start) for name in names]
    seconds = time.perf_counter() - start
    found = read(file.read_text("utf-8"), names, done.stdout, done.stderr, done.returncode)
    return [Answer(one.name, one.verdict, one.words, seconds) for one in found]


def read(source: str, names: Sequence[str], stdout: str, stderr: str, code: int) -> list[Answer]:
    """What the output of CrossHair says of each contract."""
    owners = owners_of(source)
    said: dict[str, list[tuple[str, str]]] = {name: [] for name in names}
    stray = ""
    for line in filter(str.strip, stdout.splitlines()):
        match = LINE.match(line)
        owner = "" if match is None else owners.get(int(match[1]), "")
        if match is None or owner not in said:
            stray = stray or line.strip()
        else:
            said[owner].append((match[2], match[3]))
    last = ([*filter(str.strip, stderr.splitlines())] or [""])[-1].strip()
    if not stray and code not in (0, 1):
        stray = f"CrossHair ended with exit code {code}: {last}"
    return [Answer(name, *verdict_of(said[name], stray, last)) for name in names]


def owners_of(source: str) -> Mapping[int, str]:
    """Which function each line of the file belongs to."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return {
        line: function.name
        for function in functions
        for line in range(function.lineno, (function.end_lineno or function.lineno) + 1)
    }


def contracts_in(source: str) -> list[str]:
    """The functions of a file whose docstring has a postcondition."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return [function.name for function in functions if "post:" in (ast.get_docstring(function) or "")]


def verdict_of(said: Sequence[tuple[str, str]], stray: str, last: str) -> tuple[Verdict, str]:
    """The verdict on one contract, from the lines about it, a line about nothing known, and the last of stderr."""
    for severity, words in said:
        if severity == "error" and "when calling " in words:
            return Verdict.REFUTED, words
    if stray:
        return Verdict.UNDECIDED, stray
    if not said:
        return Verdict.UNDECIDED, f"CrossHair reported nothing {f'({last})' if last else ''}".strip()
    if list(said) == [("info", CONFIRMED)]:
        return Verdict.CONFIRMED, CONFIRMED
    return Verdict.UNDECIDED, "; ".join(words for _, words in said)
