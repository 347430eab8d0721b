"""foldcover mutants --mutmut: mutmut changes every line of the core; the laws and pins must see every change.

mutmut makes each small change that it knows (an operator, a number, an argument, a condition), and runs lines_probe.py
on it. A change that nothing sees must be listed in equivalent.toml, with the argument why no caller can tell. The list
is keyed by the change itself: function, old lines, new lines. An entry without such a change is stale, and fails.

0 everything is killed or argued · 1 a change survived, or an entry is stale · 2 mutmut is missing or did not run ·
3 undecided: a time-out, a crash, a count that does not add up. mutmut works in a throw-away folder: its own folder
is called mutants/ too, and must not meet ours. It does not change constants, decorated functions and enums.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click

from foldcover_mutants.overlay import environment, lay

EPILOG = """\b
Exit codes:
  0 all killed or argued
  1 one survived, or an argument is stale
  2 usage, or mutmut did not run
  3 undecided
"""
HOW_TO_INSTALL = "mutmut is not installed: pip install mutmut"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
PROJECT = """\
[tool.mutmut]
source_paths = ["foldcover"]
pytest_add_cli_args_test_selection = ["tests/test_probe.py"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-q"]
timeout_multiplier = 5.0
timeout_constant = 20.0
use_git_change_detection = false
"""
PROBE = "from foldcover_mutants.lines_probe import *  # noqa: F403\n"
UNSEEN = ("survived", "no tests")
Fate = Literal["killed", "equivalent", "survived", "timed out", "undecided"]


class NotRun(Exception):
    """mutmut did not run to its end."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one function: the lines that go and the lines that come, without their indentation."""

    function: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Argued:
    """An entry of equivalent.toml: a change, and why nobody can tell."""

    change: Change
    why: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One of mutmut's changes: its name, mutmut's word for how it ended, the change itself unless it was killed."""

    name: str
    status: str
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """All changes, each with exactly one fate, and the entries that match none."""

    fates: tuple[tuple[Trial, Fate], ...]
    stale: tuple[Argued, ...]
    total: int
    seconds: float

    def count(self, fate: Fate) -> int:
        """How many met this fate."""
        return sum(one == fate for _, one in self.fates)

    @property
    def adds_up(self) -> bool:
        """Whether mutmut's own total is the number of changes that have a fate, and not zero."""
        return 0 < self.total == len(self.fates)

    @property
    def exit_code(self) -> int:
        """See the top of this file."""
        if self.count("survived") or self.stale:
            return 1
        return 3 if self.count("timed out") or self.count("undecided") or not self.adds_up else 0


def is_installed() -> bool:
    """Whether mutmut and pytest can be run."""
    return find_spec("mutmut") is not None and find_spec("pytest") is not None


def read_equivalents(file: Path = EQUIVALENT) -> list[Argued]:
    """The committed list. Every entry needs an argument, and no change may be listed twice."""
    entries = tomllib.loads(file.read_text("utf-8")).get("equivalent", [])
    argued = [
        Argued(Change(entry["function"], stripped(entry["old"]), stripped(entry["new"])), entry["why"].strip())
        for entry in entries
    ]
    twice = [change.function for change, count in Counter(one.change for one in argued).items() if count > 1]
    if twice or not all(one.why for one in argued):
        raise NotRun(f"{file.name}: an entry without an argument, or twice the same ({', '.join(twice)})")
    return argued


def stripped(text: str) -> str:
    """The lines without indentation, empty ones left out."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def change_of(name: str, diff: str) -> Change:
    """The change that a unified diff makes to the function of a mutant's name."""
    rows = [row for row in diff.splitlines() if row[:1] in "+-" and not row.startswith(("---", "+++"))]
    old = stripped("\n".join(row[1:] for row in rows if row[:1] == "-"))
    new = stripped("\n".join(row[1:] for row in rows if row[:1] == "+"))
    place = name.rpartition("__mutmut_")[0].removeprefix("foldcover.")
    module, _, function = place.rpartition(".")
    return Change(f"{module}.{function.removeprefix('xǁ').removeprefix('x_').replace('ǁ', '.')}", old, new)


def judge(trials: Sequence[Trial], argued: Sequence[Argued], total: int, seconds: float = 0.0) -> Score:
    """Give every change its fate. Only a change that nothing saw, or that timed out, can be argued away."""
    listed = {one.change: one for one in argued}
    fates: list[tuple[Trial, Fate]] = []
    used: set[Change] = set()
    for trial in trials:
        fate: Fate = "undecided"
        if trial.status == "killed":
            fate = "killed"
        elif trial.status in (*UNSEEN, "timeout"):
            fate = "timed out" if trial.status == "timeout" else "survived"
            if trial.change in listed:
                fate = "equivalent"
                used.add(trial.change)
        fates.append((trial, fate))
    return Score(tuple(fates), tuple(one for one in argued if one.change not in used), total, seconds)


def run(workers: int, timeout: float, equivalents: Path = EQUIVALENT) -> Score:
    """Run mutmut on a copy of the core, and judge what it says."""
    argued = read_equivalents(equivalents)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="foldcover-") as name:
        folder = Path(name)
        lay(folder, None)
        (folder / "tests").mkdir()
        (folder / "tests" / "test_probe.py").write_text(PROBE, "utf-8")
        (folder / "pyproject.toml").write_text(PROJECT, "utf-8")
        _mutmut(folder, timeout, "run", "--max-children", str(workers))
        _mutmut(folder, timeout, "export-cicd-stats")
        total = json.loads((folder / "mutants" / "mutmut-cicd-stats.json").read_text("utf-8"))["total"]
        trials = _trials(folder, workers, timeout)
    return judge(trials, argued, total, time.perf_counter() - start)


def _trials(folder: Path, workers: int, timeout: float) -> list[Trial]:
    rows = _mutmut(folder, timeout, "results", "--all", "true").splitlines()
    found = [row.strip().rpartition(": ")[::2] for row in rows if "__mutmut_" in row]

    def trial(named: tuple[str, str]) -> Trial:
        name, status = named
        killed = status == "killed"
        return Trial(name, status, None if killed else change_of(name, _mutmut(folder, timeout, "show", name)))

    with ThreadPoolExecutor(workers) as pool:
        return [*pool.map(trial, found)]


def _mutmut(folder: Path, timeout: float, *arguments: str) -> str:
    # mutmut puts its own folder first on the path; ours must not come before it.
    env = {**environment(folder), "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "mutmut", *arguments]
    try:
        done = subprocess.run(
            command, cwd=folder, env=env, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise NotRun(f"mutmut {arguments[0]}: no answer within {timeout:g} s") from error
    if done.returncode != 0:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:] or ["no output"]
        raise NotRun(f"mutmut {arguments[0]} ended with exit code {done.returncode}: {last[0]}")
    return done.stdout


def lines_of(score: Score) -> list[str]:
    """The score for the eye: what was not killed, then the numbers, which add up."""
    shown: list[str] = []
    for trial, fate in score.fates:
        if fate in ("survived", "timed out", "undecided"):
            change = trial.change or Change(trial.name, "", "")
            shown += [f"{fate}: {change.function} ({trial.name}, {trial.status})"]
            shown += [f"  - {row}" for row in change.old.splitlines()] + [
                f"  + {row}" for row in change.new.splitlines()
            ]
    shown += [
        f"stale: equivalent.toml lists a change of {one.change.function} that is not there" for one in score.stale
    ]
    names: tuple[Fate, ...] = ("killed", "equivalent", "survived", "timed out", "undecided")
    counts = " + ".join(f"{score.count(name)} {name}{' (argued)' * (name == 'equivalent')}" for name in names)
    sign = "=" if score.adds_up else "is NOT"
    return [*shown, f"{counts} {sign} {score.total} changes in all, {score.seconds:.0f} s"]


def as_dict(score: Score) -> dict[str, object]:
    """The score as plain data, for --json."""
    unkilled = [(trial, fate) for trial, fate in score.fates if fate != "killed"]
    return {
        "ok": score.exit_code == 0,
        "exit_code": score.exit_code,
        "total": score.total,
        "killed": score.count("killed"),
        "equivalent": score.count("equivalent"),
        "survived": score.count("survived"),
        "timed_out": score.count("timed out"),
        "undecided": score.count("undecided"),
        "stale": [one.change.function for one in score.stale],
        "seconds": round(score.seconds, 1),
        "not_killed": [{"name": trial.name, "status": trial.status, "fate": fate} for trial, fate in unkilled],
    }


@click.command(epilog=EPILOG)
@click.option("--workers", default=os.cpu_count() or 1, type=click.IntRange(1), help="Changes at a time [all cores].")
@click.option("--timeout", default=1800.0, show_default=True, type=click.FloatRange(1), help="Seconds for mutmut.")
@click.option("--json", "as_json", is_flag=True, help="Print the score as JSON.")
def lines(workers: int, timeout: float, as_json: bool) -> None:
    """Let mutmut change every line of the core: everything is seen by the laws and pins, or argued one by one."""
    if not is_installed():
        click.echo(HOW_TO_INSTALL, err=True)
        sys.exit(2)
    try:
        score = run(workers, timeout)
    except NotRun as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    for line in [json.dumps(as_dict(score), indent=2)] if as_json else lines_of(score):
        click.echo(line)
    sys.exit(score.exit_code)


if __name__ == "__main__":
    lines(prog_name="foldcover mutants --mutmut")
