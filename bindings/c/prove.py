"""Prove the C core with Frama-C: `python bindings/c/prove.py`.

What is proved is written beside the code, as contracts and invariants in foldcover.c; this program only asks for it and
counts. A goal is one thing to show: that an access is inside its array, that a sum does not overflow, that a loop ends,
that a contract holds. It fails unless every goal of every function is proved, by Frama-C itself, z3 or cvc4.

Exit status: 0 all proved; 1 not all, or the annotations take something for granted that they must not; 2 a tool is
missing; 3 out of time.
"""

import argparse
import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "foldcover.c"

TOOLS = {"frama-c": "frama-c-base", "why3": "why3", "z3": "z3", "cvc4": "cvc4"}
WANTED = "no {}: the proof needs Frama-C, Why3, z3 and cvc4 (Debian: apt install frama-c-base why3 z3 cvc4)"

# Every check that Frama-C can add by itself: accesses, divisions, shifts, overflow of signed and of unsigned numbers,
# narrowing casts. Calls through pointers are checked by their own goals ("calls" in the annotations) instead. The
# memory model is the typed one; the casts that it lets pass are those from and to void pointers of the allocator.
OPTIONS = (
    "-wp",
    "-wp-rte",
    "-rte-no-pointer-call",
    "-warn-unsigned-overflow",
    "-warn-signed-downcast",
    "-warn-unsigned-downcast",
    "-wp-model=Typed+Cast",
    "-wp-prover=z3,cvc4",
    "-wp-cache=none",
    "-wp-par=1",
)
# How many functions Frama-C gets at a time: reading the source again costs less than keeping the goals of all.
AT_ONCE = 3

DEFINITION = re.compile(
    r"^(?:static |inline |const |OFTEN |RARE )*\w+ \**(?P<name>\w+)\([^;{}]*\)(?: \*/)? \{"
    r"|^ {4}\w+ (?P<ghost>\w+)\([^;{}]*\) \{",
    re.MULTILINE,
)
DECLARATION = re.compile(r"^(?:\w+ )+\**(?P<name>\w+)\([^;{}]*\);", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
UNSEEN = re.compile(r"^#ifdef __FRAMAC__\n(.*?)^#(endif|else)", re.MULTILINE | re.DOTALL)
MACRO = re.compile(r"^#define (\w+)(?:\\\n|[^\n])*", re.MULTILINE)
# Words of the annotation language that assume instead of proving, and what may be assumed: the caller's functions.
ASSUMING = re.compile(
    r"\b(?:admit|axiom|lemma|assume|allocates)\b|\bterminates(?! \\true\b)|\b(?:requires|ensures) \\?false\b"
)
ENDS = re.compile(r"\btotal;|\bterminates \\true;")
CALLERS = {"callers_allocate", "callers_release", "callers_before"}
ANALYSED = re.compile(r"^\[rte:annot\] annotating function (\w+)$", re.MULTILINE)
TOOK = re.compile(r"^\[wp\] \[([^\]]+)\] Goal .* : Valid \((.*)\)$", re.MULTILINE)
SECONDS = re.compile(r"(?<![:\d.])([\d.]+)(ms|s)\)")
PROBLEM = re.compile(r"^\[(?:kernel|wp|rte)[^\]]*\] .*(?:[Ee]rror|aborted).*$", re.MULTILINE)

KINDS = ("accesses and overflow", "termination", "contracts")


@dataclass(slots=True)
class Function:
    """What is known of one function: its goals by kind, as (proved, all)."""

    name: str
    goals: dict[str, tuple[int, int]] = field(default_factory=lambda: dict.fromkeys(KINDS, (0, 0)))
    unproved: list[str] = field(default_factory=list[str])

    @property
    def proved(self) -> int:
        """How many of its goals are proved."""
        return sum(proved for proved, _ in self.goals.values())

    @property
    def total(self) -> int:
        """How many goals it has."""
        return sum(total for _, total in self.goals.values())


class MissingError(Exception):
    """A tool is not there."""


class TooLongError(Exception):
    """The whole took longer than it may."""


def annotations(text: str) -> Iterator[str]:
    """All that Frama-C reads and compilers do not: comments, and macros to use in them."""
    for found in COMMENT.finditer(text):
        if found.group().startswith(("/*@", "//@")):
            yield found.group()
    for found in UNSEEN.finditer(text):
        yield from (macro.group() for macro in MACRO.finditer(found[1]))


def defined(text: str) -> dict[str, str]:
    """The functions that the source defines, each with the contract right before it, or nothing."""
    names: dict[str, str] = {}
    for found in DEFINITION.finditer(text):
        before = text[: found.start()].rstrip()
        opened = before.rfind("/@" if found["ghost"] else "/*")
        contract = (
            before.endswith("@/") if found["ghost"] else before.endswith("*/") and before.startswith("/*@", opened)
        )
        names[found["name"] or found["ghost"]] = before[opened:] if contract else ""
    return names


def complaints(text: str) -> list[str]:
    """What of the source must not be, before anything is proved."""
    contracts = defined(text)
    wrong = [f"{name} has no contract" for name, contract in contracts.items() if not contract]
    wrong += [f"{name} is not said to end" for name, text in contracts.items() if text and not ENDS.search(text)]
    for comment in annotations(text):
        wrong += [f"an annotation takes for granted: {found.group()}" for found in ASSUMING.finditer(comment)]
    code = COMMENT.sub("", text)
    for found in DECLARATION.finditer(code):
        if found["name"] not in CALLERS | contracts.keys():
            wrong.append(f"{found['name']} is declared, and its contract taken for granted")
    for found in UNSEEN.finditer(code):
        if "{" in MACRO.sub("", found[1]) or found[2] == "else":
            wrong.append("there is code that only Frama-C sees")
        for macro in MACRO.finditer(found[1]):
            if re.search(rf"\b{macro[1]}\b", MACRO.sub("", code)):
                wrong.append(f"the code uses {macro[1]}, which is another thing for Frama-C")
    return wrong if contracts else ["the source defines no function"]


def missing() -> str | None:
    """The first tool that is not there."""
    return next((tool for tool in TOOLS if shutil.which(tool) is None), None)


class Commands:
    """Commands that end, with all they started, when the time is over."""

    def __init__(self, until: float) -> None:
        self._until = until
        self._running: set[subprocess.Popen[str]] = set()

    def run(self, command: Sequence[str], env: Mapping[str, str]) -> str:
        """What a command prints."""
        with subprocess.Popen(
            command, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        ) as process:
            self._running.add(process)
            try:
                printed, _ = process.communicate(timeout=max(0.0, self._until - time.monotonic()))
            except subprocess.TimeoutExpired as error:
                self._kill(process)
                raise TooLongError from error
            except BaseException:
                self._kill(process)
                raise
            finally:
                self._running.discard(process)
        return printed

    def end(self) -> None:
        """End all that still runs."""
        self._until = 0.0
        for process in list(self._running):
            self._kill(process)

    @staticmethod
    def _kill(process: subprocess.Popen[str]) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def tuned(folder: Path) -> dict[str, str]:
    """An environment with a list of solvers of its own, in which z3 does not tune itself to each problem.

    It is ten times as fast without, on problems like these.
    """
    z3 = folder / "z3"
    z3.write_text(f'#!/bin/sh\nexec {shlex.quote(shutil.which("z3") or "z3")} smt.auto_config=false "$@"\n')
    z3.chmod(0o755)
    path = os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])
    return {**os.environ, "WHY3CONFIG": str(folder / "why3.conf"), "PATH": path}


def ask(source: Path, names: Sequence[str], jobs: int, patience: int, until: float) -> tuple[str, list[Function]]:
    """Run Frama-C on a few functions at a time, `jobs` times at once: what it prints, and the goals."""
    commands = Commands(until)
    with tempfile.TemporaryDirectory(prefix="foldcover-") as name, ThreadPoolExecutor(jobs) as pool:
        folder = Path(name)
        env = tuned(folder)

        def few(at: int) -> tuple[str, list[Function]]:
            report = folder / f"{at}.json"
            command = ["frama-c", f"-cpp-extra-args=-I{HERE}", *OPTIONS, f"-wp-timeout={patience}"]
            command += [f"-wp-report-json={report}", f"-wp-fct={','.join(names[at : at + AT_ONCE])}", str(source)]
            printed = commands.run(command, env)
            return printed, collect(json.loads(report.read_text(encoding="utf-8"))) if report.exists() else []

        try:
            commands.run(["why3", "config", "detect"], env)
            answers = list(pool.map(few, range(0, len(names), AT_ONCE)))
        except BaseException:
            commands.end()
            pool.shutdown(cancel_futures=True)
            raise
    return "".join(printed for printed, _ in answers), [function for _, found in answers for function in found]


def kind(goal: str) -> str:
    """Which of the three kinds a goal is, told by its name."""
    if "_assert_rte_" in goal:
        return KINDS[0]
    return KINDS[1] if "_loop_variant" in goal or "_terminates" in goal else KINDS[2]


def collect(report: Mapping[str, Any]) -> list[Function]:
    """The goals of a report of Frama-C, function by function."""
    found: list[Function] = []
    for name, goals in report.get("wp:functions", {}).items():
        function = Function(name)
        for goal, results in goals.items():
            if goal.startswith("wp:"):
                continue
            proved, total = results["wp:main"].get("valid", 0), results["wp:main"]["total"]
            before = function.goals[kind(goal)]
            function.goals[kind(goal)] = (before[0] + proved, before[1] + total)
            if proved < total:
                function.unproved.append(goal)
        found.append(function)
    return found


def solvers(printed: str) -> dict[str, tuple[int, float]]:
    """How many goals each solver proved, and the seconds that took."""
    counts: dict[str, tuple[int, float]] = {}
    for found in TOOK.finditer(printed):
        count, seconds = counts.get(found[1], (0, 0.0))
        times = SECONDS.findall(f"({found[2]})".replace("Qed:", ""))
        spent = sum(float(number) / (1000 if unit == "ms" else 1) for number, unit in times)
        counts[found[1]] = (count + 1, seconds + spent)
    return counts


def judge(source: str, printed: str, functions: Sequence[Function], names: Sequence[str]) -> list[str]:
    """Why this is no proof; nothing if it is."""
    wrong = complaints(source)
    analysed = {*ANALYSED.findall(printed)} & {function.name for function in functions if function.total > 0}
    wrong += [f"{name} was not analysed" for name in names if name not in analysed]
    wrong += [f"{function.name}: {goal} is not proved" for function in functions for goal in function.unproved]
    wrong += [found.group() for found in PROBLEM.finditer(printed)]
    if sum(function.total for function in functions) == 0:
        wrong.append("no goal ran")
    return wrong


def table(functions: Sequence[Function]) -> str:
    """One line a function, and the sum."""
    width = max((len(function.name) for function in functions), default=0)
    rows = [" ".join([" " * width, *(f"{title:>22}" for title in KINDS), f"{'all':>10}"])]
    for function in functions:
        cells = [f"{f'{proved}/{total}':>22}" for proved, total in function.goals.values()]
        rows.append(" ".join([f"{function.name:<{width}}", *cells, f"{f'{function.proved}/{function.total}':>10}"]))
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, print, and answer with the exit status."""
    parser = argparse.ArgumentParser(prog="prove.py", description="Prove the C core with Frama-C.")
    parser.add_argument("--source", type=Path, default=SOURCE, help="the file to prove (default: foldcover.c)")
    parser.add_argument("--functions", default="", help="only these, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="functions at a time (default: 2)")
    parser.add_argument("--patience", type=int, default=15, help="seconds a solver has for one goal (default: 15)")
    parser.add_argument("--limit", type=float, default=1800, help="seconds for everything (default: 1800)")
    parser.add_argument("--json", action="store_true", help="print the outcome as one JSON object")
    options = parser.parse_args(arguments)
    tool = missing()
    if tool is not None:
        print(WANTED.format(tool), file=sys.stderr)
        return 2
    started = time.monotonic()
    source = options.source.read_text(encoding="utf-8")
    names = [name for name in options.functions.split(",") if name] or list(defined(source))
    try:
        printed, functions = ask(options.source, names, options.jobs, options.patience, started + options.limit)
    except TooLongError:
        print(f"not done after {options.limit:g} seconds", file=sys.stderr)
        return 3
    wrong = judge(source, printed, functions, names)
    proved, total = sum(function.proved for function in functions), sum(function.total for function in functions)
    seconds = time.monotonic() - started
    if options.json:
        print(
            json.dumps(
                {
                    "proved": proved,
                    "total": total,
                    "seconds": round(seconds, 1),
                    "functions": {function.name: [function.proved, function.total] for function in functions},
                    "solvers": {name: [count, round(spent, 2)] for name, (count, spent) in solvers(printed).items()},
                    "wrong": wrong,
                }
            )
        )
    else:
        print(table(functions))
        print(
            f"\n{proved} of {total} goals proved in {seconds:.0f} s; "
            + ", ".join(
                f"{name}: {count} in {spent:.1f} s" for name, (count, spent) in sorted(solvers(printed).items())
            )
        )
        for reason in wrong:
            print(f"no proof: {reason}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
